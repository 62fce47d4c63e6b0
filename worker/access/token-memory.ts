/** Callers whose tokens were verified, by token: as many as there is room for, as tokens of identity providers may be long. */
import { LruMap } from '../../proto/lru-map.ts';
import type { Caller } from '../context.ts';

/** Tokens remembered per isolate. */
const CAPACITY = 10_000;
/** Characters of tokens and of what they say, of all together: those of ours have some 500. Spec silent. */
const CHARACTERS = 16 * 1024 * 1024;

/** A caller, and until when the token need not be verified again, in milliseconds since the Unix epoch. */
export interface Verified {
  readonly caller: Caller;
  readonly until: number;
}

/** What was verified. */
export class TokenMemory {
  readonly #known = new LruMap<string, Verified & { readonly token: string }>(CAPACITY, {
    most: CHARACTERS,
    of: ({ token, caller }) => token.length + 2 * (caller.external?.claims?.length ?? 0),
  });

  get(token: string): Verified | undefined {
    return this.#known.get(token);
  }

  set(token: string, { caller, until }: Verified): void {
    this.#known.set(token, { caller, until, token });
  }
}
