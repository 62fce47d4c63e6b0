/**
 * Which large requests are in memory as values. One of 10 MiB may be 100 MB and more of small objects, through which each collection of
 * garbage goes while everybody waits: so of one owner one at a time is, and the others stay bytes until then.
 */
import { type Held, HeldBytes } from '../proto/work/held-bytes.ts';
import { ALONE_BYTES, LARGE_WAITING_MAX, PRESENT_MS } from '../proto/work/queue.ts';
import { tooManyLarge } from '../proto/work/refusal.ts';
import type { Time } from '../proto/work/ticket.ts';

/** Milliseconds between two looks of one that waits. */
const LOOK_MS = 10;
/** Milliseconds that a refusal takes, so that it is not asked for without end. */
const REFUSED_AFTER_MS = 200;

/** A request whose values are in memory. */
export interface AtHand {
  /** Does work on the values: until that is done, and for a moment more, no other of the owner comes in. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Nothing refers to the values any more; a second time nothing happens. */
  end(): void;
}

interface Place {
  readonly bytes: number;
  readonly held: Held;
  isIn: boolean;
  working: number;
  workedAt: number;
}

/** The large requests of all owners. */
export class Hands {
  readonly #time: Time;
  readonly #bytes: HeldBytes;
  /** By owner, in the order in which they came. */
  readonly #owners = new Map<string, Set<Place>>();

  /** @param bytes that the requests of one owner may have together, also while they wait for a database */
  constructor(time: Time, bytes = new HeldBytes()) {
    this.#time = time;
    this.#bytes = bytes;
  }

  /**
   * Waits until a request may be read. One of more than 2 MiB is as long as another such of its owner is read or written: one that waits for
   * a database does not count. All together have 64 MiB of text at most, or are one.
   * @throws GatewayError SERVICE_UNAVAILABLE, after a while, when eight of the owner are at hand or wait, and why the signal aborts
   */
  async take(owner: string, bytes: number, signal: AbortSignal): Promise<AtHand> {
    const own = this.#owners.get(owner) ?? new Set<Place>();
    if ([...own].filter((each) => this.#counts(each)).length >= LARGE_WAITING_MAX) {
      await this.#time.wait(REFUSED_AFTER_MS);
      throw tooManyLarge(LARGE_WAITING_MAX);
    }
    const held = this.#bytes.begin(owner);
    const place: Place = { bytes, held, isIn: false, working: 0, workedAt: 0 };
    this.#owners.set(owner, own.add(place));
    try {
      while (!this.#comesIn(own, place)) {
        await this.#time.wait(LOOK_MS);
        signal.throwIfAborted();
      }
    } catch (cause) {
      this.#leave(owner, place);
      throw cause;
    }
    return {
      during: (work) => this.#during(place, work),
      end: () => this.#leave(owner, place),
    };
  }

  async #during<Result>(place: Place, work: () => Promise<Result>): Promise<Result> {
    place.working += 1;
    try {
      return await work();
    } finally {
      place.working -= 1;
      place.workedAt = this.#time.now();
    }
  }

  #comesIn(own: ReadonlySet<Place>, place: Place): boolean {
    if (place.bytes > ALONE_BYTES) {
      const large = [...own].filter(({ bytes }) => bytes > ALONE_BYTES);
      if (large.some((each) => this.#isPresent(each))) return false;
      if (large.find(({ isIn }) => !isIn) !== place) return false;
    }
    place.isIn = place.held.set(place.bytes);
    if (!place.isIn) place.held.set(0);
    place.workedAt = this.#time.now();
    return place.isIn;
  }

  #isPresent({ isIn, working, workedAt }: Place): boolean {
    return isIn && (working > 0 || this.#time.now() - workedAt <= PRESENT_MS);
  }

  /** Small ones that are at hand have their own bound: that of the line. */
  #counts(place: Place): boolean {
    return !place.isIn || (place.bytes > ALONE_BYTES && this.#isPresent(place));
  }

  #leave(owner: string, place: Place): void {
    place.held.end();
    const own = this.#owners.get(owner);
    own?.delete(place);
    if (own?.size === 0) this.#owners.delete(owner);
  }
}
