/** Leases: backend connections that one user holds for a while. Contract §6: "Sessions". */
import { randomBytes } from 'node:crypto';
import type { Call, Lease, ResultBytes } from '../proto/driver.ts';
import { GatewayError } from '../proto/errors.ts';
import { isParticipant, type Participant } from '../proto/prepares.ts';
import { isOther } from './connections.ts';
import { orAbort } from './drivers/deadline.ts';
import { failureCode } from './failures.ts';

/** Milliseconds after which an unused lease ends. */
export const SESSION_IDLE_MAX_MS = 30_000;
/** Milliseconds after which a lease ends, used or not. */
export const SESSION_LIFE_MAX_MS = 300_000;

/** After these errors the connection is gone or in an unknown state; drivers throw SESSION_NOT_FOUND for that. */
const LOST = new Set(['CONNECTION_FAILED', 'OUTCOME_UNKNOWN', 'SESSION_NOT_FOUND']);

/** What a lease is made from. */
export interface LeaseRequest {
  /** UUID of the endpoint that the lease is bound to. */
  readonly endpoint: string;
  readonly poolKey: string;
  /** Leases that the endpoint may have at a time. */
  readonly max: number;
  start(): Promise<Lease | Participant>;
  /** Called once the lease has ended, also when it could not start. */
  ended(): void;
}

/** What a caller gets with a new lease. */
interface OpenedLease {
  readonly id: string;
  /** Unix epoch milliseconds. */
  readonly expiresMs: number;
}

/** Which share is worked on. */
interface ShareUse {
  readonly id: string;
  readonly endpoint: string;
  /** Afterwards it is over, whatever the outcome. */
  readonly ends?: boolean;
}

interface HeldLease {
  readonly id: string;
  readonly request: LeaseRequest;
  readonly lease: Lease | Participant;
  readonly ending: AbortController;
  readonly lifeTimer: NodeJS.Timeout;
  idleTimer: NodeJS.Timeout | undefined;
  /** Settles when the last call so far has ended; never rejects. */
  turn: Promise<void>;
  calls: number;
  /** Whether its backend has said that nothing of it is left; of a session nobody asks. */
  ended: Promise<boolean> | undefined;
}

/** All leases of this node. */
export class LeaseRegistry {
  readonly #leases = new Map<string, HeldLease>();
  /** Leases of an endpoint, those being opened or ended too. */
  readonly #counts = new Map<string, number>();
  readonly #ending = new Set<Promise<boolean>>();
  readonly #onFault: (cause: unknown) => void;

  /** `onFault` is called with failures for which no caller waits. */
  constructor(onFault: (cause: unknown) => void) {
    this.#onFault = onFault;
  }

  get size(): number {
    return this.#leases.size;
  }

  /** @throws GatewayError SESSIONS_EXHAUSTED, what `start` throws */
  async open(request: LeaseRequest): Promise<OpenedLease> {
    const { endpoint, max } = request;
    if ((this.#counts.get(endpoint) ?? 0) >= max) {
      request.ended();
      throw new GatewayError(
        'SESSIONS_EXHAUSTED',
        `Sessions and transactions hold ${max} of this endpoint's connections already, as many as they may: end one, or raise backend_pool_limits.total_max_connections, of which they may hold half, at most 10`,
        { retryAfter: 1 },
      );
    }
    this.#count(endpoint, 1);
    let lease: Lease | Participant;
    try {
      lease = await request.start();
    } catch (reason) {
      this.#count(endpoint, -1);
      request.ended();
      throw reason;
    }
    const id = randomBytes(16).toString('base64url');
    const held: HeldLease = {
      id,
      request,
      lease,
      ending: new AbortController(),
      lifeTimer: setTimeout(() => void this.#end(held), SESSION_LIFE_MAX_MS),
      idleTimer: undefined,
      turn: Promise.resolve(),
      calls: 0,
      ended: undefined,
    };
    this.#leases.set(id, held);
    this.#waitForUse(held);
    return { id, expiresMs: Date.now() + SESSION_LIFE_MAX_MS };
  }

  /**
   * Runs a request in a lease, after those that came before.
   * @throws GatewayError SESSION_NOT_FOUND, what the lease throws
   */
  async run(id: string, endpoint: string, request: unknown, call: Call): Promise<ResultBytes> {
    const held = this.#find(id, endpoint);
    if (held === undefined || isParticipant(held.lease)) throw notFound();
    const { lease } = held;
    return this.#use(held, call, (own) => lease.run(request, own));
  }

  /**
   * Works on a share of a transaction over many databases; after a failure, or once it `ends`, the share is over. Where the work
   * was stopped, the failure is told at once: a backend that does not answer does not undo the share in time either.
   * @throws GatewayError SESSION_NOT_FOUND, what the work throws
   */
  async onShare<Result>(
    { id, endpoint, ends = false }: ShareUse,
    call: Call,
    work: (participant: Participant, call: Call) => Promise<Result>,
  ): Promise<Result> {
    const held = this.#find(id, endpoint);
    if (held === undefined || !isParticipant(held.lease)) throw notFound();
    const { lease } = held;
    let isStopped = false;
    const watched = async (own: Call): Promise<Result> => {
      try {
        return await work(lease, own);
      } finally {
        isStopped = own.signal.aborted;
      }
    };
    try {
      const result = await this.#use(held, call, watched);
      if (ends) await this.#end(held);
      return result;
    } catch (reason) {
      const ended = this.#end(held);
      if (!isStopped) await orAbort(ended, call.signal).catch(() => {}); // It never rejects: the time is up.
      throw reason;
    }
  }

  async #use<Result>(
    held: HeldLease,
    call: Call,
    work: (call: Call) => Promise<Result>,
  ): Promise<Result> {
    clearTimeout(held.idleTimer);
    held.calls += 1;
    const before = held.turn;
    const { promise: after, resolve: done } = Promise.withResolvers<void>();
    held.turn = before.then(() => after);
    try {
      await orAbort(before, call.signal);
      if (held.ended !== undefined) throw notFound();
      const signal = AbortSignal.any([call.signal, held.ending.signal]);
      return await this.#runOn(held, { ...call, signal }, work);
    } finally {
      done();
      held.calls -= 1;
      this.#waitForUse(held);
    }
  }

  /** Ends a lease and waits until it is rolled back; false when it was gone, and when its backend has not said that it is. */
  async close(id: string, endpoint: string): Promise<boolean> {
    const held = this.#find(id, endpoint);
    return held !== undefined && this.#end(held);
  }

  /** Ends an endpoint's leases, those of the revision to keep left out. */
  release(endpoint: string, keepRevision: string): void {
    for (const held of this.#leases.values()) {
      if (isOther(held.request.poolKey, endpoint, keepRevision)) void this.#end(held);
    }
  }

  /** Ends all leases and waits until they are rolled back. */
  async closeAll(): Promise<void> {
    for (const held of this.#leases.values()) void this.#end(held);
    await Promise.all(this.#ending);
  }

  /** A call that was stopped in the middle takes its lease with it. */
  async #runOn<Result>(
    held: HeldLease,
    call: Call,
    work: (call: Call) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(call);
    } catch (reason) {
      if (call.signal.aborted || LOST.has(failureCode(reason))) void this.#end(held);
      throw reason;
    }
  }

  #find(id: string, endpoint: string): HeldLease | undefined {
    const held = this.#leases.get(id);
    return held?.request.endpoint === endpoint ? held : undefined;
  }

  #waitForUse(held: HeldLease): void {
    if (held.calls > 0 || held.ended !== undefined) return;
    held.idleTimer = setTimeout(() => void this.#end(held), SESSION_IDLE_MAX_MS);
  }

  #end(held: HeldLease): Promise<boolean> {
    if (held.ended !== undefined) return held.ended;
    clearTimeout(held.idleTimer);
    clearTimeout(held.lifeTimer);
    this.#leases.delete(held.id);
    held.ending.abort(new GatewayError('TIMED_OUT', 'The session ended'));
    const ended = held.turn
      .then(async () => (await held.lease.close()) !== false)
      .catch((cause: unknown) => {
        this.#onFault(cause);
        return false;
      })
      .finally(() => {
        this.#ending.delete(ended);
        this.#count(held.request.endpoint, -1);
        held.request.ended();
      });
    held.ended = ended;
    this.#ending.add(ended);
    return ended;
  }

  #count(endpoint: string, by: 1 | -1): void {
    const count = (this.#counts.get(endpoint) ?? 0) + by;
    if (count === 0) this.#counts.delete(endpoint);
    else this.#counts.set(endpoint, count);
  }
}

function notFound(): GatewayError {
  return new GatewayError('SESSION_NOT_FOUND', 'The session does not exist or has ended');
}
