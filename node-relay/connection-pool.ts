/** The pool that drivers take connections from: last used first, a queue in order of arrival, and ahead of it calls by which others end. */
import type { Profile } from '../proto/driver.ts';
import { GatewayError } from '../proto/errors.ts';
import type { ConnectionMaker, ConnectionPool } from './drivers/driver.ts';
import { type SlotHolder, type Slots, WAITING_MAX } from './slots.ts';

/** Longest wait for a connection, in milliseconds; a call's deadline may end it sooner. Spec silent. */
export const WAIT_MAX_MS = 10_000;
/** Seconds after which a refused caller may try again. Spec silent. */
const RETRY_AFTER_S = 1;

/** A call that waits for a connection or for one that is being opened for it. */
interface Waiter<Connection> {
  readonly arrived: number;
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
  readonly signal: AbortSignal;
  /** Hands over; false when the call has gone away. */
  give(connection: Connection): boolean;
  fail(reason: unknown): void;
  /** From now on only the signal ends the wait. */
  opening(): void;
}

/** Connections of one pool key within its endpoint's slots. */
export class SlottedPool<Connection> implements ConnectionPool<Connection>, SlotHolder {
  readonly profile: Profile;
  readonly #slots: Slots;
  readonly #maker: ConnectionMaker<Connection>;
  readonly #queue = new Set<Waiter<Connection>>();
  /** Those that are served before all of the queue. */
  readonly #ahead = new Set<Waiter<Connection>>();
  /** Least recently used first. */
  readonly #idle: { readonly connection: Connection; readonly since: number }[] = [];
  /** In use or idle. */
  readonly #open = new Map<Connection, 'used' | 'idle'>();
  #opening = 0;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(slots: Slots, profile: Profile, maker: ConnectionMaker<Connection>) {
    this.#slots = slots;
    this.profile = profile;
    this.#maker = maker;
    slots.join(this);
  }

  get waiting(): number {
    return this.#queue.size + this.#ahead.size;
  }

  get nextWaiting(): number | undefined {
    return this.#first()?.arrived;
  }

  get contended(): boolean {
    return this.#slots.waiting > 0;
  }

  get idleSince(): number | undefined {
    return this.#idle[0]?.since;
  }

  acquire(signal: AbortSignal, place: 'last' | 'ahead' = 'last'): Promise<Connection> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      this.#open.set(idle.connection, 'used');
      return Promise.resolve(idle.connection);
    }
    // A call may have got its connection just before the pool closed: it is served like those in flight.
    if (this.#closed !== undefined) this.#slots.join(this);
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const arrived = place === 'ahead' ? 0 : this.#slots.arrive();
    const waiter = this.#waiter(arrived, signal, resolve, reject);
    if (this.#slots.take(this.profile)) {
      this.#openFor(waiter);
    } else if (this.#slots.waiting >= WAITING_MAX) {
      this.#slots.queue?.refused('full');
      waiter.fail(exhausted('Too many calls wait for a connection to this endpoint'));
    } else {
      (place === 'ahead' ? this.#ahead : this.#queue).add(waiter);
      this.#slots.balance();
    }
    return promise;
  }

  release(connection: Connection): void {
    if (this.#open.get(connection) !== 'used') return;
    const waiter = this.#first();
    const ends =
      this.#slots.exceeded(this.profile) ||
      (waiter === undefined ? this.#closed !== undefined : this.#slots.movesFrom(this));
    if (ends) this.#end(connection);
    else if (waiter === undefined) this.#keep(connection);
    else waiter.give(connection);
  }

  #keep(connection: Connection): void {
    this.#open.set(connection, 'idle');
    this.#idle.push({ connection, since: performance.now() });
    this.#slots.idle();
    this.#slots.balance();
  }

  discard(connection: Connection): void {
    const state = this.#open.get(connection);
    if (state === undefined) return;
    if (state === 'idle') {
      this.#idle.splice(
        this.#idle.findIndex((each) => each.connection === connection),
        1,
      );
    }
    this.#end(connection);
  }

  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>();
    while (this.#idle.length > 0) this.endOldestIdle();
    this.#slots.balance();
    this.#leaveWhenEmpty();
    return this.#closed.promise;
  }

  endOldestIdle(): void {
    const idle = this.#idle.shift();
    if (idle !== undefined) this.#forget(idle.connection);
  }

  openForNext(): void {
    const waiter = this.#first();
    if (waiter === undefined) return;
    this.#leaveQueue(waiter);
    this.#openFor(waiter);
  }

  #leaveQueue(waiter: Waiter<Connection>): void {
    if (!this.#queue.delete(waiter) && !this.#ahead.delete(waiter)) return;
    this.#slots.queue?.left((performance.now() - waiter.since) / 1000);
  }

  #first(): Waiter<Connection> | undefined {
    return this.#ahead.values().next().value ?? this.#queue.values().next().value;
  }

  /** Opens with a slot already taken. A caller that leaves meanwhile leaves the connection to the next. */
  #openFor(waiter: Waiter<Connection>): void {
    waiter.opening();
    this.#opening += 1;
    this.#openConnection(waiter.signal).then(
      (connection) => {
        this.#opening -= 1;
        this.#open.set(connection, 'used');
        if (!waiter.give(connection)) this.release(connection);
      },
      (reason: unknown) => {
        this.#opening -= 1;
        this.#slots.free(this.profile);
        waiter.fail(reason);
        this.#passOn();
      },
    );
  }

  /** Asynchronous, so that a maker that throws at once fails like one that rejects. */
  async #openConnection(signal: AbortSignal): Promise<Connection> {
    const closed = this.#slots.nextClosed();
    if (closed !== undefined) {
      await closed;
      signal.throwIfAborted();
    }
    return this.#maker.open(signal);
  }

  #end(connection: Connection): void {
    this.#forget(connection);
    this.#passOn();
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    this.#slots.free(this.profile);
    const closed = this.#maker.close(connection);
    if (closed instanceof Promise) this.#slots.closing(closed);
  }

  #passOn(): void {
    this.#slots.balance();
    this.#leaveWhenEmpty();
  }

  #leaveWhenEmpty(): void {
    if (this.#closed === undefined) return;
    if (this.#open.size + this.#opening + this.waiting > 0) return;
    this.#slots.leave(this);
    this.#closed.resolve();
  }

  #waiter(
    arrived: number,
    signal: AbortSignal,
    resolve: (connection: Connection) => void,
    reject: (reason: unknown) => void,
  ): Waiter<Connection> {
    let waits = true;
    const settle = (): boolean => {
      if (!waits) return false;
      waits = false;
      this.#leaveQueue(waiter);
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      return true;
    };
    const fail = (reason: unknown): void => {
      if (!settle()) return;
      reject(reason);
      this.#leaveWhenEmpty();
    };
    const onAbort = (): void => fail(signal.reason);
    const timer = setTimeout(() => {
      this.#slots.queue?.refused('time');
      fail(exhausted('No connection to this endpoint became free in time'));
    }, WAIT_MAX_MS);
    const waiter: Waiter<Connection> = {
      arrived,
      since: performance.now(),
      signal,
      give(connection) {
        if (!settle()) return false;
        resolve(connection);
        return true;
      },
      fail,
      opening: () => clearTimeout(timer),
    };
    signal.addEventListener('abort', onAbort);
    return waiter;
  }
}

function exhausted(message: string): GatewayError {
  return new GatewayError('POOL_EXHAUSTED', message, { retryAfter: RETRY_AFTER_S });
}
