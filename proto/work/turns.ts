/**
 * Has short works done one after another, by turns between their owners: another kind of work then
 * waits for one of them and not for all that were sent together.
 */
import type { Time } from './ticket.ts';

/** Milliseconds after which the next one begins: this one waits for something else by then. */
const ALONE_MS = 3;
/** Milliseconds between two looks for a work that the runtime has ended. */
const LOOK_MS = 50;

/** How works follow each other. */
interface Pace {
  /** Milliseconds after which the next one begins although this one has not ended; 3 by default. */
  readonly aloneMs?: number;
  /** Milliseconds between two looks for a work that the runtime has ended; 50 by default. */
  readonly lookMs?: number;
  /** What each one waits for in its turn, before it begins; `begins` is told when that will be. */
  before?(owner: string, begins: (at: number) => void): Promise<void>;
}

/** A work that waits. */
interface QueuedWork {
  readonly owner: string;
  /** From where it comes; empty where nobody asks. */
  readonly from: string;
}

interface Starting extends QueuedWork {
  start(): void;
}

/** The works of all owners on one thread. */
export class Turns {
  readonly #time: Time;
  readonly #pace: Pace & { readonly aloneMs: number; readonly lookMs: number };
  /** Those that wait, by their owners: whose turn is next is first. */
  readonly #waiting = new Map<string, Starting[]>();
  /** The last that began, until it ends: when that was. */
  #last: { began: number } | undefined;

  constructor(time: Time, pace: Pace = {}) {
    this.#time = time;
    this.#pace = { aloneMs: ALONE_MS, lookMs: LOOK_MS, ...pace };
  }

  /** Whether a work has to wait. */
  get isBusy(): boolean {
    return this.#last !== undefined;
  }

  /** Those that wait. */
  get waiting(): readonly QueuedWork[] {
    return [...this.#waiting.values()].flat();
  }

  /** How many of an owner wait. */
  waitingOf(owner: string): number {
    return this.#waiting.get(owner)?.length ?? 0;
  }

  /** Does the work: at once when there is no other, or in its owner's turn. */
  async inTurn<Result>(owner: string, work: () => Promise<Result>, from = ''): Promise<Result> {
    if (this.#last) await this.#wait(owner, from);
    const own = { began: this.#time.now() };
    this.#last = own;
    if (this.#pace.before) {
      await this.#pace.before(owner, (at) => {
        own.began = at;
      });
      own.began = this.#time.now();
    }
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
  async #wait(owner: string, from: string): Promise<void> {
    let isNext = false;
    const { promise: next, resolve } = Promise.withResolvers<void>();
    const start = () => {
      isNext = true;
      resolve();
    };
    const waiting = { owner, from, start };
    const own = this.#waiting.get(owner);
    if (own) own.push(waiting);
    else this.#waiting.set(owner, [waiting]);
    while (!isNext) {
      await this.#wokenOrLook(waiting, next);
      if (!isNext) this.#startNext();
    }
    await this.#time.wait(0);
  }

  /** Where it cannot be woken it looks, and the later the more of its owner are before it: many looks would keep the thread busy. */
  #wokenOrLook(waiting: Starting, woken: Promise<void>): Promise<unknown> {
    const { lookMs } = this.#time;
    if (lookMs === undefined) return Promise.race([woken, this.#time.wait(this.#pace.lookMs)]);
    const before = this.#waiting.get(waiting.owner)?.indexOf(waiting) ?? 0;
    return this.#time.wait(lookMs * (before + 1));
  }

  async #passOn(): Promise<void> {
    await this.#time.wait(this.#pace.aloneMs);
    this.#startNext();
  }

  #startNext(): void {
    const now = this.#time.now();
    if (this.#last && now - this.#last.began < this.#pace.aloneMs) return;
    const [next] = this.#waiting;
    if (!next) return;
    const [owner, own] = next;
    const first = own.shift();
    this.#waiting.delete(owner);
    if (own.length > 0) this.#waiting.set(owner, own);
    // Until the one that starts now has begun by itself.
    this.#last = { began: now };
    first?.start();
  }
}
