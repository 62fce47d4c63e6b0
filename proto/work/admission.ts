/**
 * Admits works that keep the thread busy in many short parts, and go on after their reply, one after
 * another by turns between their owners: between two of them the thread is free for everything else.
 */
import { GatewayError } from '../errors.ts';
import type { Time } from './ticket.ts';
import { Turns } from './turns.ts';

/** Milliseconds after which the next one may be admitted: this one waits for something else by then. */
const ALONE_MS = 25;
/** Rest after a work where others are about, as a multiple of what it took: it goes on for about as long after its reply. */
const REST = 3;
/** Milliseconds that a timer may be late before the thread counts as busy. */
const LATE_MS = 3;
/** Rest of a busy thread, as a multiple of how late its timers are. */
const LATE_REST = 2;
/** Milliseconds for which one that is admitted waits at most for a thread that is less busy. */
const BUSY_MAX_MS = 100;
/** Milliseconds between two looks for a work that the runtime has ended. */
const LOOK_MS = 250;
/** Works of one owner, and from one address, that may wait. */
export const ADMITTED_WAITING_MAX = 128;
/** Works that may wait in all; beyond, an owner that has none waiting may still add one. */
const ALL_WAITING_MAX = 512;
/** Milliseconds that a refusal takes, so that it is not asked for without end. */
const REFUSED_AFTER_MS = 200;
/** Seconds after which a refused caller may try again. */
const RETRY_AFTER_S = 1;

/** Whose work it is. */
interface Admitted {
  readonly owner: string;
  /** From where it comes. */
  readonly address: string;
}

/** The works of all owners on one thread. */
export class Admission {
  readonly #time: Time;
  readonly #isAlone: (owner: string) => boolean;
  readonly #turns: Turns;
  /** From when on the next one may begin. */
  #freeAt = Number.NEGATIVE_INFINITY;

  /** @param isAlone whether nobody but an owner asks anything of the thread: then no rest is due */
  constructor(time: Time, isAlone: (owner: string) => boolean = () => false) {
    this.#time = time;
    this.#isAlone = isAlone;
    this.#turns = new Turns(time, {
      aloneMs: ALONE_MS,
      lookMs: LOOK_MS,
      before: (owner, begins) => this.#rested(owner, begins),
    });
  }

  /**
   * Does the work when it is admitted: at once after a rest, else in its owner's turn.
   * @throws GatewayError SERVICE_UNAVAILABLE, after a while, when too many of the owner or the address wait
   */
  async admit<Result>(of: Admitted, work: () => Promise<Result>): Promise<Result> {
    if (this.#turns.isBusy && !this.#hasRoom(of)) {
      await this.#time.wait(REFUSED_AFTER_MS);
      throw tooMany();
    }
    const measured = async () => {
      const began = this.#time.now();
      try {
        return await work();
      } finally {
        const took = Math.min(this.#time.now() - began, ALONE_MS);
        this.#freeAt = Math.max(this.#freeAt, this.#time.now() + took * REST);
      }
    };
    return this.#turns.inTurn(of.owner, measured, of.address);
  }

  #hasRoom({ owner, address }: Admitted): boolean {
    const { waiting } = this.#turns;
    const own = waiting.filter((each) => each.owner === owner).length;
    const near = waiting.filter((each) => each.from === address).length;
    const isFull = near >= ADMITTED_WAITING_MAX || waiting.length >= ALL_WAITING_MAX;
    return own < ADMITTED_WAITING_MAX && (own === 0 || !isFull);
  }

  /** Waits until the rest of the one before is over, and for a while until the thread answers soon. */
  async #rested(owner: string, begins: (at: number) => void): Promise<void> {
    const until = this.#time.now() + BUSY_MAX_MS;
    for (;;) {
      // One who comes is heard.
      if (this.#isAlone(owner)) return void (await this.#time.wait(0));
      const rest = Math.max(this.#freeAt - this.#time.now(), 0);
      const expected = this.#time.now() + rest;
      begins(expected);
      await this.#time.wait(rest);
      const now = this.#time.now();
      const late = now - expected;
      if (late <= LATE_MS || now >= until) return;
      this.#freeAt = Math.min(now + late * LATE_REST, until);
    }
  }
}

function tooMany(): GatewayError {
  const message = 'Too many starts of this organization wait: try again later';
  return new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S });
}
