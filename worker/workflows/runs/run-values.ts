/** The values of one run: those that are written, and those that are not yet. */
import type { Json } from '../../../proto/json.ts';
import type { Ref } from '../engine/journal.ts';
import { LARGE_TEXT, NotReady, type Wanted } from '../engine/ready-values.ts';
import { joinedText, type TextPart } from '../engine/text-parts.ts';
import type { RunRow } from './journal.ts';
import { parsedLately } from './parsed-values.ts';
import type { PendingPaths } from './pending-paths.ts';
import { SEALED_BYTES, type Vault } from './vault.ts';
import type { Beforehand } from './when-parsed.ts';

const encoder = new TextEncoder();

export class RunValues {
  readonly #vault: Vault;
  readonly #run: number;
  readonly #id: string;
  readonly #pending: PendingPaths;
  #lastRef: Ref | undefined;
  #hasLarge = false;
  /** Of the transition that is under way; undefined: it parses what it reads. */
  beforehand: Beforehand | undefined;

  /** @param isNew whether none of the run is written yet */
  constructor(
    vault: Vault,
    { run, id }: Pick<RunRow, 'run' | 'id'>,
    pending: PendingPaths,
    isNew: boolean,
  ) {
    this.#vault = vault;
    this.#run = run;
    this.#id = id;
    this.#pending = pending;
    this.#lastRef = isNew ? 0 : undefined;
  }

  text(ref: Ref): string {
    const value = this.#pending.value(ref) ?? this.#vault.text(this.#run, ref);
    if (typeof value === 'string') return value;
    return joinedText(value.parts, (part) => this.text(part));
  }

  /**
   * A large value; undefined of one that costs little to parse, or where nothing is parsed beforehand.
   * @throws NotReady
   */
  ready(wanted: Wanted): Json | undefined {
    const of = typeof wanted === 'string' ? wanted : this.#pendingText(wanted);
    if (of !== undefined) return of.length < LARGE_TEXT ? undefined : this.#parsed(of);
    const ref = Number(wanted);
    if (this.#vault.sizeOf(this.#run, ref) < LARGE_TEXT) return undefined;
    return parsedLately(valueName(this.#id, ref)) ?? this.#parsed(ref);
  }

  #pendingText(ref: Ref): string | undefined {
    return this.#pending.value(ref) === undefined ? undefined : this.text(ref);
  }

  #parsed(wanted: Wanted): Json | undefined {
    this.#hasLarge = true;
    const known = this.beforehand?.values.get(wanted);
    if (known === undefined && this.beforehand?.mayAsk) throw new NotReady(wanted);
    return known;
  }

  /** Whether the run is known to have large values: a transition that reads one may have to begin anew. */
  get hasLarge(): boolean {
    return this.#hasLarge;
  }

  /** @param text undefined of a large one that is written already, under the next ref */
  keep(text: string | undefined): Ref {
    this.#hasLarge ||= text === undefined || text.length >= LARGE_TEXT;
    const ref = this.#nextRef();
    if (text !== undefined) this.#pending.keep(ref, text);
    return ref;
  }

  join(parts: readonly TextPart[]): Ref {
    this.#hasLarge = true;
    const sizes = parts.map((part) =>
      typeof part === 'string' ? encoder.encode(part).byteLength : this.sizeOf(part),
    );
    const ref = this.#nextRef();
    this.#pending.join(ref, { parts, size: sizes.reduce((sum, size) => sum + size, 0) });
    return ref;
  }

  /** Bytes of a large value; 0 of one that shares a row with others. */
  sizeOf(ref: Ref): number {
    const size = this.#pending.sizeOf(ref);
    return size ?? Math.max(0, this.#vault.sizeOf(this.#run, ref) - SEALED_BYTES);
  }

  /** The same of one that is not written yet; 0 where it is. */
  unwrittenSizeOf(ref: Ref): number {
    return this.#pending.sizeOf(ref) ?? 0;
  }

  #nextRef(): Ref {
    this.#lastRef ??= this.#vault.lastRef(this.#run);
    this.#lastRef += 1;
    return this.#lastRef;
  }
}

/** The name of a value of a run, by its id. */
export function valueName(id: string, ref: Ref): string {
  return `${id}:${ref}`;
}
