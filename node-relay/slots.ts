/** The connections that one endpoint may have on this node, shared by all its pools. */
import type { Caps, Profile } from '../proto/driver.ts';

/** Connections of an endpoint whose caps name none. Spec silent. */
const CAP_DEFAULT = 10;
/** Leases of one endpoint, however many connections it may have. Spec silent. */
const LEASES_MAX = 10;
/** Calls of one endpoint that may wait for a connection. Spec silent. */
export const WAITING_MAX = 1000;
/** Milliseconds after which an idle connection is ended. Spec silent. */
export const IDLE_MAX_MS = 60_000;
/**
 * Between two moves of a slot that is in use from one pool to another, in milliseconds: under
 * mixed load, pools would else end each other's connections with every call. A connection that
 * was idle as long is moved at once. Spec silent.
 */
export const MOVE_EVERY_MS = 50;

/** A backend that does not let go of a connection is not waited for longer, in milliseconds. Spec silent. */
export const CLOSING_MAX_MS = 1000;

/** What the slots need to know of a pool that shares them. */
export interface SlotHolder {
  readonly profile: Profile;
  readonly waiting: number;
  /** Place of its longest waiting call in the order of arrival; undefined when none waits. */
  readonly nextWaiting: number | undefined;
  /** When its least recently used idle connection came back, in milliseconds; undefined for none. */
  readonly idleSince: number | undefined;
  /** Opens a connection for its longest waiting call, with a slot taken already. */
  openForNext(): void;
  /** Ends its least recently used idle connection and frees the slot. */
  endOldestIdle(): void;
}

/** What is told of calls that queue for a connection. */
export interface QueueEvents {
  /** A call has left the queue: it was served, went away, or gave up. @param seconds that it waited */
  left(seconds: number): void;
  /** A call was refused: the queue was `full`, or its `time` in it was over. */
  refused(cause: 'full' | 'time'): void;
}

/** Counts one endpoint's connections and decides which pool gets the next. Contract §5: pool caps. */
export class Slots {
  /** Undefined where nobody counts. */
  readonly queue: QueueEvents | undefined;
  readonly #holders = new Set<SlotHolder>();
  readonly #used: Record<Profile, number> = { production: 0, development: 0 };
  /** Of those, held by calls that wait for others. */
  readonly #held: Record<Profile, number> = { production: 0, development: 0 };
  #caps: Caps = { total: CAP_DEFAULT, production: CAP_DEFAULT, development: CAP_DEFAULT };
  #asked: Caps = { total: 0, production: 0, development: 0 };
  /** Connections whose slot is free already, but which the backend may still count. */
  readonly #closing: Promise<void>[] = [];
  #arrivals = 0;
  #movedAt = Number.NEGATIVE_INFINITY;
  #moveTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(queue?: QueueEvents) {
    this.queue = queue;
  }

  /** Sets the caps; 0 is the default for the total, and the total for a profile. More than fit end as they come back. */
  set caps(asked: Caps) {
    const { production, development } = asked;
    const before = this.#asked;
    // Every call brings its caps, and they rarely change.
    const same = before.production === production && before.development === development;
    if (same && before.total === asked.total) return;
    this.#asked = asked;
    const total = asked.total || CAP_DEFAULT;
    this.#caps = {
      total,
      production: Math.min(production || total, total),
      development: Math.min(development || total, total),
    };
    for (const holder of this.#holders) {
      while (holder.idleSince !== undefined && this.exceeded(holder.profile)) {
        holder.endOldestIdle();
      }
    }
    this.balance();
  }

  /** Connections that leases may hold: half, so that calls without a lease go on; 1 to 10. Spec silent. */
  get leasesMax(): number {
    return Math.max(1, Math.min(LEASES_MAX, Math.floor(this.#caps.total / 2)));
  }

  /**
   * Lets a call keep a connection for as long as others do something, unless as many do as may: the
   * total and the profile's cap less the leases and one, so that other calls always go on; at
   * least 1. Spec silent.
   * @returns what ends it, however often it is called; undefined when it may not
   */
  hold(profile: Profile): (() => void) | undefined {
    const { total, [profile]: own } = this.#caps;
    const most = Math.max(1, Math.min(total - this.leasesMax, own) - 1);
    if (this.#held[profile] >= most) return undefined;
    this.#held[profile] += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#held[profile] -= 1;
      isHeld = false;
    };
  }

  /** Connections open and being opened. */
  get used(): number {
    return this.#used.production + this.#used.development;
  }

  get waiting(): number {
    let waiting = 0;
    for (const holder of this.#holders) waiting += holder.waiting;
    return waiting;
  }

  /** Those that wait for a connection of one profile. */
  waitingOf(profile: Profile): number {
    let waiting = 0;
    for (const holder of this.#holders) if (holder.profile === profile) waiting += holder.waiting;
    return waiting;
  }

  /** Whether no pool shares these slots any more. */
  get unused(): boolean {
    return this.#holders.size === 0;
  }

  join(holder: SlotHolder): void {
    this.#holders.add(holder);
  }

  leave(holder: SlotHolder): void {
    this.#holders.delete(holder);
    if (this.#holders.size > 0) return;
    clearTimeout(this.#moveTimer);
    clearTimeout(this.#idleTimer);
  }

  /** A place in the order of arrival. */
  arrive(): number {
    this.#arrivals += 1;
    return this.#arrivals;
  }

  /** Takes a slot when there is one. */
  take(profile: Profile): boolean {
    if (!this.#hasRoom(profile)) return false;
    this.#used[profile] += 1;
    return true;
  }

  /** Gives a slot back; `balance` passes it on. */
  free(profile: Profile): void {
    this.#used[profile] -= 1;
  }

  /** Reports a connection that ends, when its slot is given back. */
  closing(closed: Promise<void>): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSING_MAX_MS);
    const ended = promise.then(() => {
      clearTimeout(timer);
      const place = this.#closing.indexOf(ended);
      if (place >= 0) this.#closing.splice(place, 1);
    });
    this.#closing.push(ended);
    closed.then(resolve, resolve);
  }

  /** What an opening has to wait for, so that there is never one connection too many; never rejects. */
  nextClosed(): Promise<void> | undefined {
    return this.#closing.shift();
  }

  /** Whether a connection that comes back has to end, because the caps were lowered. */
  exceeded(profile: Profile): boolean {
    return this.used > this.#caps.total || this.#used[profile] > this.#caps[profile];
  }

  /** Decides whether a connection that comes back ends for an older call of another pool; counts as a move. */
  movesFrom(holder: SlotHolder): boolean {
    if (!this.#mayMove()) return false;
    const own = holder.nextWaiting ?? Number.POSITIVE_INFINITY;
    for (const other of this.#holders) {
      const waits = other === holder ? undefined : other.nextWaiting;
      if (waits === undefined || waits > own) continue;
      if (!this.#fitsAfter(other.profile, holder.profile)) continue;
      this.#movedAt = performance.now();
      return true;
    }
    return false;
  }

  /** Gives free slots, and those of idle connections, to the calls that wait longest. */
  balance(): void {
    let served = true;
    while (served) {
      served = false;
      for (const holder of this.#longestWaitingFirst()) {
        if (!this.#takeOrMove(holder)) continue;
        holder.openForNext();
        served = true;
        break;
      }
    }
  }

  /** Reports that a connection became idle, so that it ends in time. */
  idle(): void {
    this.#idleTimer ??= setTimeout(() => this.#endIdle(), IDLE_MAX_MS).unref();
  }

  #longestWaitingFirst(): SlotHolder[] {
    return [...this.#holders]
      .filter((holder) => holder.nextWaiting !== undefined)
      .sort((one, other) => (one.nextWaiting ?? 0) - (other.nextWaiting ?? 0));
  }

  #takeOrMove(holder: SlotHolder): boolean {
    if (this.take(holder.profile)) return true;
    const victim = this.#leastRecentlyUsed(holder);
    if (victim === undefined) return false;
    if (!this.#mayMove(victim.idleSince)) {
      this.#moveTimer ??= setTimeout(() => {
        this.#moveTimer = undefined;
        this.balance();
      }, MOVE_EVERY_MS);
      return false;
    }
    victim.endOldestIdle();
    this.#movedAt = performance.now();
    return this.take(holder.profile);
  }

  /** The other pool whose idle connection is the oldest of those that would make room. */
  #leastRecentlyUsed(holder: SlotHolder): SlotHolder | undefined {
    let oldest: SlotHolder | undefined;
    for (const other of this.#holders) {
      if (other === holder || other.idleSince === undefined) continue;
      if (!this.#fitsAfter(holder.profile, other.profile)) continue;
      if (oldest?.idleSince === undefined || other.idleSince < oldest.idleSince) oldest = other;
    }
    return oldest;
  }

  #mayMove(idleSince = Number.POSITIVE_INFINITY): boolean {
    return performance.now() - Math.min(this.#movedAt, idleSince) >= MOVE_EVERY_MS;
  }

  #hasRoom(profile: Profile): boolean {
    return this.used < this.#caps.total && this.#used[profile] < this.#caps[profile];
  }

  /** Whether one more of `profile` fits once one of `ended` has ended. */
  #fitsAfter(profile: Profile, ended: Profile): boolean {
    const left = this.#used[profile] - (profile === ended ? 1 : 0);
    return this.used - 1 < this.#caps.total && left < this.#caps[profile];
  }

  #endIdle(): void {
    this.#idleTimer = undefined;
    const now = performance.now();
    let oldest: number | undefined;
    for (const holder of this.#holders) {
      while (holder.idleSince !== undefined && now - holder.idleSince >= IDLE_MAX_MS) {
        holder.endOldestIdle();
      }
      const since = holder.idleSince;
      if (since !== undefined && (oldest === undefined || since < oldest)) oldest = since;
    }
    if (oldest === undefined) return;
    this.#idleTimer = setTimeout(() => this.#endIdle(), oldest + IDLE_MAX_MS - now).unref();
  }
}
