/**
 * Shares one thread between those whose work holds it: a piece at a time, by turns between them,
 * and after each piece the thread is free for others for longer than the piece took.
 */
import { type Pieces, undivided } from './pieces.ts';
import { refuseGone, tooManyLarge, tooManyWait } from './refusal.ts';
import type { Announced, Ticket, Time } from './ticket.ts';

/** Milliseconds after which work gives way. */
const SLICE_MS = 20;
/** Pieces after which it does where the clock stands still during work. */
const SLICE_PIECES = 256;
/** Rest after a slice, as a multiple of it: most of what others ask for then finds the thread free. */
const REST = 1.5;
/** Milliseconds of work that an owner may have done lately and still begin at once. */
const CREDIT_MS = 30;
/** Milliseconds that work may take which follows outside the line, until it is reported. */
const FOLLOWS_MS = 5;
/** Owners that are remembered before those that rested long enough are forgotten. */
const OWNERS_MAX = 1_000;
/** What the clock shows afterwards counts up to so many times what was told: of a slow machine, and not of one that stood still. */
const MORE_MAX = 4;
/** Longest rest in milliseconds. */
const REST_MAX_MS = 2_000;
/** Large works of one owner that may wait at once. */
export const LARGE_WAITING_MAX = 8;
/** Other works of one owner that may wait: they need little memory meanwhile. */
export const WAITING_MAX = 64;
/** Works that may wait at once in all; beyond, an owner that has none waiting may still add one. */
const ALL_WAITING_MAX = 256;
/** Milliseconds between two looks at waiting work, and without one after which the runtime must have ended it. */
const LOOK_MS = 10;
const GONE_MS = 5_000;
/** Milliseconds since the last look within which work is there to take its turn. */
export const PRESENT_MS = 250;
/** Large works of one that are in memory at once, as long as none of them waits for something else. */
const AT_HAND_MAX = 2;
/**
 * Bytes of a work alongside which no other of its owner is in memory: the edge runtime collects
 * garbage without a pause in between, for about 2 ms for each MB that is alive.
 */
export const ALONE_BYTES = 2 * 1024 * 1024;
/** Milliseconds that a refusal takes, so that it is not asked for without end. */
const REFUSED_AFTER_MS = 200;

/** One slice of work. */
interface Slice {
  readonly from: number;
  /** What it counted for where the clock stood still meanwhile, and a rest is due. */
  toldMs: number | undefined;
}

const never = (): boolean => false;
const nothing = (): void => {};

/** The owners that work on one thread, and how much. */
export class WorkQueue {
  readonly #time: Time;
  readonly #largeMax: number;
  /** In the order in which they came. */
  readonly #places: Ticket[] = [];
  /** By owner, when the last slice ended, and when the rests after what was done lately have passed. */
  readonly #served = new Map<string, number>();
  readonly #debts = new Map<string, number>();
  /** From when on the next slice may begin. */
  #freeAt = Number.NEGATIVE_INFINITY;

  /** @param largeMax large works of one owner that may wait */
  constructor(time: Time, largeMax = LARGE_WAITING_MAX) {
    this.#time = time;
    this.#largeMax = largeMax;
  }

  /**
   * A place for large work that comes soon, such as a body that is still to be read.
   * @throws GatewayError SERVICE_UNAVAILABLE, after a while, when the owner has so many already
   */
  enter(owner: string): Promise<Ticket> {
    return this.#enter(owner, true);
  }

  /** Shows that what came in for a place is still in memory. */
  stay(place: Ticket): void {
    if (!place.isLeft) this.#look(place, this.#time.now());
  }

  /** Ends what `enter` began; a second time nothing happens. */
  leave(place: Ticket): void {
    place.isLeft = true;
    this.#remove(place);
  }

  /**
   * Waits until one more part of what comes in for a place may be kept: as long as two of its owner
   * before it are at hand, or one if either is very large. Those that wait for what comes in do not count.
   * @param bytes of what comes in, as far as that is known
   * @throws GatewayError SERVICE_UNAVAILABLE when the signal aborts
   */
  async comeIn(place: Ticket, bytes: number, signal?: AbortSignal): Promise<void> {
    place.bytes = bytes;
    for (;;) {
      refuseGone(signal);
      const now = this.#time.now();
      this.#look(place, now);
      const before = this.#places.slice(0, this.#places.indexOf(place));
      const atHand = before.filter(
        ({ owner, isLarge, lookedAt }) =>
          owner === place.owner && isLarge && now - lookedAt <= PRESENT_MS,
      );
      const isAlone = [place, ...atHand].some((each) => each.bytes > ALONE_BYTES);
      if (atHand.length < (isAlone ? 1 : AT_HAND_MAX)) return;
      await this.#time.wait(LOOK_MS);
    }
  }

  /**
   * Does the work slice by slice. The first begins at once if the owner did little lately, and
   * that of work that is known to be large only when no rest is due. Work whose signal aborts
   * is dropped between two slices.
   * @throws GatewayError SERVICE_UNAVAILABLE when the work has to wait and the owner has 8 large ones or 64 others that do, or is dropped, and what the work throws
   */
  async work<Result>(
    owner: string,
    pieces: Pieces<Result>,
    { place, isLarge = false, isBegun = false, signal, isAlone = never }: Announced = {},
  ): Promise<Result> {
    const given = place?.isLeft ? undefined : place;
    const drops = isBegun ? undefined : signal;
    let own = given ?? (isBegun ? this.seat(owner, isLarge) : undefined);
    try {
      for (;;) {
        refuseGone(drops);
        if (this.owes(owner) || (isLarge && this.#time.now() < this.#freeAt)) {
          own ??= await this.#enter(owner, isLarge);
          await this.#turnOf(own, drops);
        }
        const rests = () => this.#rests(own, isAlone);
        const slice: Slice = { from: this.#time.now(), toldMs: undefined };
        const done = this.#slice(owner, pieces, rests, slice);
        if (done) return done.value;
        own ??= this.seat(owner, isLarge);
        await this.#giveWay(owner, rests, slice);
      }
    } finally {
      if (own && own !== given) this.leave(own);
    }
  }

  /**
   * Waits as `work` does, for work that follows outside the line and is reported then. Until that is done no other begins:
   * all who wait would find the thread free at once.
   */
  async goOn(owner: string, announced: Announced): Promise<void> {
    await this.work(owner, undivided(nothing), announced);
    this.#freeAt = Math.max(this.#freeAt, this.#time.now() + FOLLOWS_MS);
  }

  /**
   * Reports work that was done outside the line.
   * @param passedMs by how much the clock has gone on while it was done: in the edge runtime it stands still
   */
  note(owner: string, ms: number, passedMs = ms): void {
    const now = this.#time.now();
    const rest = Math.max(ms - passedMs, 0) + Math.min(ms * REST, REST_MAX_MS);
    if (this.#debts.size > OWNERS_MAX) this.#forget(now);
    this.#freeAt = Math.max(this.#freeAt, now + rest);
    this.#served.set(owner, now);
    this.#debts.set(owner, Math.max(this.#debts.get(owner) ?? now, now) + rest);
  }

  /** Whether a rest is due after a slice: somebody else may want the thread. */
  #rests(own: Ticket | undefined, isAlone: () => boolean): boolean {
    return this.#places.some((each) => each !== own) || !isAlone();
  }

  /**
   * Reports what work took beyond what was told of it, once a clock that stood still meanwhile shows it: what others
   * did since counts as well, up to a bound.
   * @param from when it began
   */
  noteMore(owner: string, from: number, toldMs: number): void {
    const more = Math.min(this.#time.now() - from - toldMs, MORE_MAX * toldMs);
    if (more <= 0) return;
    // The work, and the rest after it.
    const times = 1 + REST;
    this.#freeAt = Math.max(this.#freeAt, from + times * (toldMs + more));
    this.#debts.set(owner, (this.#debts.get(owner) ?? from) + times * more);
  }

  /** Where no rest comes, so that one who comes is heard; where the clock stood still, so that it goes on. */
  async #giveWay(owner: string, rests: () => boolean, { from, toldMs }: Slice): Promise<void> {
    if (toldMs === undefined && rests()) return;
    await this.#time.wait(0);
    if (toldMs !== undefined) this.noteMore(owner, from, toldMs);
  }

  #slice<Result>(
    owner: string,
    pieces: Pieces<Result>,
    rests: () => boolean,
    slice: Slice,
  ): { readonly value: Result } | undefined {
    const started = slice.from;
    let done = 0;
    try {
      for (; done < SLICE_PIECES; done += 1) {
        const piece = pieces.next();
        if (piece.done) return { value: piece.value };
        if (this.#time.now() - started > SLICE_MS) break;
      }
      return undefined;
    } finally {
      const took = this.#time.now() - started;
      if (rests()) {
        // Where the clock stands still, a slice counts for what it may take.
        if (took <= 0) slice.toldMs = (done / SLICE_PIECES) * SLICE_MS;
        this.note(owner, slice.toldMs ?? took, took);
      }
    }
  }

  /** Whether the owner did so much lately that what comes next waits for a turn. */
  owes(owner: string): boolean {
    const now = this.#time.now();
    const debt = (this.#debts.get(owner) ?? now) - now;
    return debt > CREDIT_MS || (debt > 0 && now < this.#freeAt);
  }

  /** A place for work that has begun and may no longer be refused. */
  seat(owner: string, isLarge: boolean): Ticket {
    const place = { owner, isLarge, lookedAt: this.#time.now(), bytes: 0, isLeft: false };
    this.#places.push(place);
    return place;
  }

  async #enter(owner: string, isLarge: boolean): Promise<Ticket> {
    const now = this.#time.now();
    this.#forget(now);
    const own = this.#places.filter((place) => place.owner === owner);
    const alike = own.filter((place) => place.isLarge === isLarge).length;
    const isFull = own.length > 0 && this.#places.length >= ALL_WAITING_MAX;
    if (isFull || alike >= (isLarge ? this.#largeMax : WAITING_MAX)) {
      await this.#time.wait(REFUSED_AFTER_MS);
      throw isLarge ? tooManyLarge(this.#largeMax) : tooManyWait(WAITING_MAX);
    }
    const place = { owner, isLarge, lookedAt: now, bytes: 0, isLeft: false };
    this.#places.push(place);
    return place;
  }

  /** The runtime ends a request that awaits what only another one resolves: each looks by itself. */
  async #turnOf(place: Ticket, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      refuseGone(signal);
      const now = this.#time.now();
      this.#look(place, now);
      if (now >= this.#freeAt && this.#isNext(place, now)) return;
      const until = this.#freeAt - now;
      await this.#time.wait(until > 0 ? Math.min(until, 10 * LOOK_MS) : LOOK_MS);
    }
  }

  /** Owners by when they were served last, works of one by when they came. */
  #isNext(own: Ticket, now: number): boolean {
    const servedAt = this.#served.get(own.owner) ?? Number.NEGATIVE_INFINITY;
    let isBefore = true;
    for (const place of this.#places) {
      if (place === own) isBefore = false;
      else if (now - place.lookedAt <= PRESENT_MS) {
        const other = this.#served.get(place.owner) ?? Number.NEGATIVE_INFINITY;
        if (other < servedAt || (isBefore && other === servedAt)) return false;
      }
    }
    return true;
  }

  #look(place: Ticket, now: number): void {
    place.lookedAt = now;
    this.#forget(now);
    if (!this.#places.includes(place)) this.#places.push(place); // It was away for long.
  }

  #remove(place: Ticket): void {
    const at = this.#places.indexOf(place);
    if (at >= 0) this.#places.splice(at, 1);
  }

  #forget(now: number): void {
    for (const place of this.#places.filter(({ lookedAt }) => now - lookedAt > GONE_MS)) {
      this.#remove(place);
    }
    for (const [owner, until] of this.#debts) {
      if (until > now || this.#places.some((place) => place.owner === owner)) continue;
      this.#debts.delete(owner);
      this.#served.delete(owner);
    }
  }
}
