/** Reports whose calls are in flight in this part when that changes: should the part die, one of them may have ended it. */

/** Milliseconds without a call after which a key is reported as idle, so that steady traffic reports nothing. */
const IDLE_AFTER_MS = 150;

/** Where it is told. */
interface Listener {
  busy(key: string): void;
  idle(keys: string[]): void;
}

/** Calls in flight by key. */
export class InFlight {
  readonly #listener: Listener;
  /** Calls in flight, of every key that was told to be busy. */
  readonly #calls = new Map<string, number>();
  /** Told to be busy, without a call now. */
  readonly #resting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** A call begins: told before anything is done for it. */
  enter(key: string): void {
    const calls = this.#calls.get(key);
    if (calls === undefined) this.#listener.busy(key);
    if (calls === 0) this.#resting.delete(key);
    this.#calls.set(key, (calls ?? 0) + 1);
  }

  /** A call has ended. */
  leave(key: string): void {
    const calls = (this.#calls.get(key) ?? 1) - 1;
    this.#calls.set(key, calls);
    if (calls > 0) return;
    this.#resting.add(key);
    this.#timer ??= setTimeout(() => this.#look(new Set(this.#resting)), IDLE_AFTER_MS).unref();
  }

  /** Reports those that rest now and did when the look was arranged. */
  #look(candidates: ReadonlySet<string>): void {
    const idle = [...this.#resting].filter((key) => candidates.has(key));
    for (const key of idle) {
      this.#resting.delete(key);
      this.#calls.delete(key);
    }
    this.#timer = undefined;
    if (idle.length > 0) this.#listener.idle(idle);
    if (this.#resting.size === 0) return;
    this.#timer = setTimeout(() => this.#look(new Set(this.#resting)), IDLE_AFTER_MS).unref();
  }
}
