/** The values of one run: those that are written, and those that are not yet. */
import type { Ref } from '../engine/journal.ts';
import { joinedText, type TextPart } from '../engine/text-parts.ts';
import type { PendingPaths } from './pending-paths.ts';
import { SEALED_BYTES, type Vault } from './vault.ts';

const encoder = new TextEncoder();

export class RunValues {
  readonly #vault: Vault;
  readonly #run: number;
  readonly #pending: PendingPaths;
  #lastRef: Ref | undefined;

  /** @param isNew whether none of the run is written yet */
  constructor(vault: Vault, run: number, pending: PendingPaths, isNew: boolean) {
    this.#vault = vault;
    this.#run = run;
    this.#pending = pending;
    this.#lastRef = isNew ? 0 : undefined;
  }

  text(ref: Ref): string {
    const value = this.#pending.value(ref) ?? this.#vault.text(this.#run, ref);
    if (typeof value === 'string') return value;
    return joinedText(value.parts, (part) => this.text(part));
  }

  keep(text: string): Ref {
    const ref = this.#nextRef();
    this.#pending.keep(ref, text);
    return ref;
  }

  join(parts: readonly TextPart[]): Ref {
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
