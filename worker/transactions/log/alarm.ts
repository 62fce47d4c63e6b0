/** When a log has to be woken, and the alarm that does it. */
import type { LogStore } from './store.ts';

/** Milliseconds that a transaction is kept after its end. Spec silent. */
export const KEPT_FOR_MS = 7 * 24 * 3600 * 1000;
/** Milliseconds within which an ended object looks for what it left: only its alarm begins it again. */
const LOOKS_WITHIN_MS = 2_000;
/** Milliseconds after which entries of the audit are written to D1. */
const ENTRIES_AFTER_MS = 500;

export class LogAlarm {
  readonly #storage: DurableObjectStorage;
  readonly #store: LogStore;
  /** When it is set for, where that is known: asking takes longer than all else here. */
  #at: number | undefined;

  constructor(storage: DurableObjectStorage, store: LogStore) {
    this.#storage = storage;
    this.#store = store;
  }

  /** Whether it begins an ended object again as soon as a transaction under way has it begin. */
  get isSoon(): boolean {
    const now = Date.now();
    return this.#at !== undefined && this.#at > now && this.#at <= now + LOOKS_WITHIN_MS;
  }

  /** It has come: none is set any more. */
  rang(): void {
    this.#at = undefined;
  }

  async clear(): Promise<void> {
    this.#at = undefined;
    await this.#storage.deleteAlarm();
  }

  /** Sets it for what is due first, unless it comes earlier. @param sweepAt when the next sweep is due */
  async arm(sweepAt: number): Promise<void> {
    const now = Date.now();
    // One that comes so soon finds what is due then: nothing has to be asked now.
    if (this.#at !== undefined && this.#at > now && this.#at <= now + ENTRIES_AFTER_MS) return;
    const at = this.#due(sweepAt, now);
    if (at === undefined) return;
    // One whose time has passed has come, or is about to.
    if (this.#at === undefined || this.#at <= now) {
      this.#at = undefined;
      const planned = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
      this.#at = Math.min(planned, this.#at ?? Number.POSITIVE_INFINITY);
    }
    if (this.#at <= at) return;
    this.#at = at;
    await this.#storage.setAlarm(at);
  }

  #due(sweepAt: number, now: number): number | undefined {
    const { due, started, entries, snapshots } = this.#store.agenda();
    const times = [
      due === null ? undefined : Math.min(due, now + LOOKS_WITHIN_MS),
      entries === 1 ? now + ENTRIES_AFTER_MS : undefined,
      snapshots === 1 ? sweepAt : undefined,
      started === null ? undefined : Math.max(started + KEPT_FOR_MS, sweepAt),
    ].filter((each) => each !== undefined);
    return times.length === 0 ? undefined : Math.max(Math.min(...times), now + 1);
  }
}
