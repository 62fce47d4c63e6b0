/** What readers of changes share: batches in the making, and the words for what cannot be told. Spec: workflows.md §5, `dataChange`. */
import type { Change, ChangeBatch, ChangeFault } from '../../proto/changes.ts';
import { type ErrorDetails, GatewayError } from '../../proto/errors.ts';

/** Most changes of a batch. */
export const BATCH_MAX = 1_000;
/** Bytes after which no change is added. */
const BATCH_BYTES = 1024 * 1024;
/** Milliseconds after which a batch without changes shows that all is well. */
export const QUIET_MS = 10_000;
/** Largest change in bytes, before and after together: what a run takes as its input. Spec: workflows.md §7. */
export const CHANGE_MAX_BYTES = 32 * 1024 * 1024;

/** One batch after another. */
export class BatchInMaking {
  #changes: Change[] = [];
  #faults: ChangeFault[] = [];
  #bytes = 0;
  /** When the last one was taken, on the clock of `performance`. */
  #takenAt = 0;

  add(change: Change, bytes: number): void {
    this.#changes.push(change);
    this.#bytes += bytes;
  }

  fault(...faults: readonly ChangeFault[]): void {
    this.#faults.push(...faults);
  }

  /** How many changes there are. */
  get size(): number {
    return this.#changes.length;
  }

  get isEmpty(): boolean {
    return this.#changes.length + this.#faults.length === 0;
  }

  get isFull(): boolean {
    return this.#changes.length >= BATCH_MAX || this.#bytes >= BATCH_BYTES;
  }

  /** Whether it is to go although it is empty: to show that all is well. */
  get isQuiet(): boolean {
    return performance.now() - this.#takenAt >= QUIET_MS;
  }

  /** All of it; the next one begins. */
  take(position: string): ChangeBatch {
    const batch = { changes: this.#changes, faults: this.#faults, position };
    this.#changes = [];
    this.#faults = [];
    this.#bytes = 0;
    this.#takenAt = performance.now();
    return batch;
  }

  /** The first of more changes than a batch has; what else there is stays. */
  takePart(position: string): ChangeBatch {
    return { changes: this.#changes.splice(0, BATCH_MAX), faults: [], position };
  }
}

/** A change that is larger than any that is told, to each that watches. */
export function changeTooLarge(watched: readonly string[]): ChangeFault[] {
  return watched.map((name) => ({
    watched: name,
    message: `A change of ${name} is larger than ${CHANGE_MAX_BYTES} bytes, which none that is told may be`,
  }));
}

/** The refusal of a backend that lacks what changes need. */
export function lacking(details: readonly ErrorDetails[]): GatewayError {
  const texts = details.flatMap((each) => ('message' in each ? [each.message] : []));
  return new GatewayError('BAD_REQUEST', texts.join('\n'), { details });
}

/** The same, of the server or the credential. */
export function serverLacks(...messages: readonly string[]): GatewayError {
  return lacking(messages.map((message) => ({ path: 'endpoint', message })));
}
