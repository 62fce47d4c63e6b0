/**
 * Has short works done one after another, by turns between their owners: another kind of work then
 * waits for one of them and not for all that were sent together.
 */
import type { Time } from './queue.ts';

/** Milliseconds after which the next one begins: this one waits for something else by then. */
const ALONE_MS = 3;
/** Milliseconds between two looks for a work that the runtime has ended. */
const LOOK_MS = 50;

/** The works of all owners on one thread. */
export class Turns {
  readonly #time: Time;
  /** Starts those that wait, by their owners: whose turn is next is first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The last that began, until it ends: when that was. */
  #last: { readonly began: number } | undefined;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Does the work: at once when there is no other, or in its owner's turn. */
  async inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#last) await this.#wait(owner);
    const own = { began: this.#time.now() };
    this.#last = own;
    if (this.#waiting.size > 0) void this.#passOn();
    try {
      return await work();
    } finally {
      if (this.#last === own) this.#last = undefined;
      this.#startNext();
    }
  }

  /**
   * A timer runs alongside: the runtime ends a request that waits for another request alone. And one
   * before the work: the runtime looks for what came in only when nothing else is left to do.
   */
  async #wait(owner: string): Promise<void> {
    let isNext = false;
    const next = new Promise<void>((resolve) => {
      const start = () => {
        isNext = true;
        resolve();
      };
      this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), start]);
    });
    while (!isNext) {
      await Promise.race([next, this.#time.wait(LOOK_MS)]);
      if (!isNext) this.#startNext();
    }
    await this.#time.wait(0);
  }

  async #passOn(): Promise<void> {
    await this.#time.wait(ALONE_MS);
    this.#startNext();
  }

  #startNext(): void {
    const now = this.#time.now();
    if (this.#last && now - this.#last.began < ALONE_MS) return;
    const [next] = this.#waiting;
    if (!next) return;
    const [owner, [start, ...others]] = next;
    this.#waiting.delete(owner);
    if (others.length > 0) this.#waiting.set(owner, others);
    // Until the one that starts now has begun by itself.
    this.#last = { began: now };
    start?.();
  }
}
