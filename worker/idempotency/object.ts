/** The interface of the objects that own idempotency keys; their class uses the storage. */
import type { Demand } from '../access/demand.ts';
import type { Keeper } from '../limits/quotas/keeper.ts';

/** A call that wants to begin. */
export interface Claim {
  readonly name: string;
  /** Of this try: asked again with it, `begin` says the same. */
  readonly attempt: string;
  /** The body's digest, sealed. */
  readonly body: string;
  /** Milliseconds that the call can run at most. */
  readonly lastsMs: number;
  /** It changes nothing: one that was lost may run again. */
  readonly reads: boolean;
  /** Whose storage it is kept in; absent of what is no organization's. */
  readonly keeper?: Keeper;
}

/** Why an outcome is not kept, and which status it had. */
export interface Fact {
  readonly status: number;
  readonly because: 'size' | 'secret' | 'stream' | 'storage';
  /** What the call demanded of its caller. */
  readonly demands?: readonly Demand[];
  /** The same as an earlier version of the gateway names it. */
  readonly asked?: readonly Demand[];
}

/** The state of a key: `begun` is the caller's own call, all else an earlier one. */
export type KeyState =
  | { readonly state: 'begun' }
  | Earlier<{ readonly state: 'running'; readonly ageMs: number; readonly leftMs: number }>
  /** It began, its time is up, and its end was not reported. */
  | Earlier<{ readonly state: 'lost' }>
  | Earlier<{ readonly state: 'answered'; readonly reply: ArrayBuffer }>
  | Earlier<{ readonly state: 'not kept'; readonly fact: Fact }>;
/** What `begin` answers; `no room`: it may not begin, as nothing could tell that it did. */
export type Begun = KeyState | { readonly state: 'no room' };
type Earlier<What> = What & { readonly body: string };

/** Sixteen per organization, by the name that location.ts gives. */
export interface IdempotencyKeysObject extends Rpc.DurableObjectBranded {
  /** Lets the call begin unless the key stands for one already; what it answers is on disk. */
  begin(claim: Claim): Promise<Begun>;
  /** The state of a key, without beginning; `undefined` when it stands for nothing. */
  look(name: string): KeyState | undefined;
  /**
   * Keeps the sealed outcome of a call that began, or why it is not kept. Also after its time was
   * up: what is true is told from then on. Where there is no room for the reply, `kept` says what is
   * kept in its place.
   */
  finish(
    call: Pick<Claim, 'name' | 'attempt'>,
    outcome: Uint8Array | Fact,
    kept?: { readonly keeper: Keeper; readonly fact: Fact },
  ): Promise<void>;
  /** Frees the key of a call that began and changed nothing. */
  forget(call: Pick<Claim, 'name' | 'attempt'>): void;
  /** Forgets all keys: the organization is gone. */
  clear(): Promise<void>;
}
