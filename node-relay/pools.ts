/** Clients of backends by pool key: opened when first used, closed when released or idle. */
import type { BackendClient, Profile } from '../proto/driver.ts';
import { GatewayError } from '../proto/errors.ts';
import type { Target as TargetMessage } from '../proto/gen/relay/v1/relay_pb.ts';
import { SlottedPool } from './connection-pool.ts';
import { type Connections, isOther } from './connections.ts';
import type { Dialer } from './dial.ts';
import type { Driver, Host } from './drivers/driver.ts';
import type { Seals } from './seals.ts';
import { type QueueEvents, Slots } from './slots.ts';
import type { CallTarget } from './target.ts';

/** Milliseconds after which an unused pool is closed. Spec silent. */
export const POOL_IDLE_MAX_MS = 300_000;
/** How often idle pools are looked for, in milliseconds. */
const SWEEP_EVERY_MS = 30_000;

/** Kinds whose backends anything that speaks HTTP is. Contract §6, "http kind". */
const HTTP_KINDS: readonly string[] = ['http', 'pinecone'];

/** A client that one call or lease uses. */
export interface PoolUse {
  readonly client: BackendClient;
  /** Connections that leases of the endpoint may hold, besides those of its calls. */
  readonly leasesMax: number;
  /** Must be called once, when the use has ended. */
  leave(): void;
}

interface EndpointSlots {
  readonly kind: string;
  readonly slots: Slots;
}

interface Pool {
  readonly endpoint: string;
  readonly client: Promise<BackendClient>;
  users: number;
  usedAt: number;
  /** No longer in the registry: closed when its last user leaves. */
  released: boolean;
}

/** What the registry opens clients with. */
interface PoolsOptions {
  readonly drivers: Readonly<Record<string, Driver>>;
  readonly connections: Connections;
  readonly dialer: Pick<Dialer, 'dial' | 'vet'>;
  /** Of `HTTP_KINDS`: `RELAY_ALLOW` alone opens nothing to them. */
  readonly httpDialer: Pick<Dialer, 'dial' | 'vet'>;
  readonly seals: Seals;
  /** Called with failures for which no caller waits. */
  readonly onFault: (cause: unknown) => void;
  /** Told of calls that queue, by the kind of their endpoint. */
  readonly queues?: (kind: string) => QueueEvents;
}

/** Calls that wait for connections to endpoints of one kind. */
export interface Queued {
  readonly kind: string;
  readonly waiting: Readonly<Record<Profile, number>>;
  /** Of the endpoint for which most wait. */
  readonly longest: number;
}

/** All pools of this node. */
export class Pools {
  readonly #options: PoolsOptions;
  readonly #pools = new Map<string, Pool>();
  readonly #slots = new Map<string, EndpointSlots>();
  readonly #closing = new Set<Promise<void>>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: PoolsOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref();
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Backend connections open or being opened. */
  get connections(): number {
    return this.#slots.values().reduce((sum, { slots }) => sum + slots.used, 0);
  }

  /** Calls that wait for a connection, by the kind of their endpoint; all kinds that are in use. */
  get queued(): Queued[] {
    const found = new Map<string, Queued>();
    for (const { kind, slots } of this.#slots.values()) {
      const before = found.get(kind)?.waiting;
      const production = (before?.production ?? 0) + slots.waitingOf('production');
      const development = (before?.development ?? 0) + slots.waitingOf('development');
      const longest = Math.max(found.get(kind)?.longest ?? 0, slots.waiting);
      found.set(kind, { kind, waiting: { production, development }, longest });
    }
    return [...found.values()];
  }

  /** Whether a call with such a target need not bring its connection anew. */
  knows({ poolKey, sealedConnection }: TargetMessage): boolean {
    return (
      sealedConnection !== '' || this.#pools.has(poolKey) || this.#options.connections.has(poolKey)
    );
  }

  /**
   * The client of a target's pool, not closed before the use has ended. A failed opening is
   * forgotten, so that the next call tries again.
   * @throws CallRefused CONNECTION_UNKNOWN
   * @throws GatewayError NOT_SUPPORTED, INVALID_CONFIGURATION
   */
  async enter(target: CallTarget): Promise<PoolUse> {
    const pool = this.#pools.get(target.poolKey) ?? (await this.#open(target));
    const slots = this.#slotsOf(target);
    slots.caps = target.caps;
    pool.users += 1;
    let client: BackendClient;
    try {
      client = await pool.client;
    } catch (reason) {
      this.#leave(pool);
      throw reason;
    }
    return { client, leasesMax: slots.leasesMax, leave: () => this.#leave(pool) };
  }

  /** Releases an endpoint's pools, those of the revision to keep left out; answers how many. */
  release(endpoint: string, keepRevision: string): number {
    const keys = [...this.#pools.keys()].filter((key) => isOther(key, endpoint, keepRevision));
    for (const key of keys) this.#release(key);
    this.#options.connections.forgetEndpoint(endpoint, keepRevision);
    return keys.length;
  }

  /** Releases all pools and waits until they are closed. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    for (const key of [...this.#pools.keys()]) this.#release(key);
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  async #open(target: CallTarget): Promise<Pool> {
    const { poolKey, endpoint, mode } = target;
    const driver = this.#options.drivers[target.kind];
    if (driver === undefined) {
      throw new GatewayError('NOT_SUPPORTED', 'This node does not serve endpoints of this kind');
    }
    const envelope = await this.#options.connections.get(target);
    // Another call may have been faster.
    const known = this.#pools.get(poolKey);
    if (known !== undefined) return known;
    const client = driver.open({ envelope, poolKey, mode }, this.#host(target));
    const pool: Pool = { endpoint, client, users: 0, usedAt: 0, released: false };
    this.#pools.set(poolKey, pool);
    client.catch(() => {
      if (this.#pools.get(poolKey) === pool) this.#pools.delete(poolKey);
      this.#options.connections.forget(poolKey);
    });
    return pool;
  }

  #host({ kind, endpoint, profile }: CallTarget): Host {
    const slots = () => this.#slotsOf({ kind, endpoint });
    const { httpDialer, seals } = this.#options;
    const dialer = HTTP_KINDS.includes(kind) ? httpDialer : this.#options.dialer;
    const own = (bound: string) => `${endpoint}\n${bound}`;
    return {
      dial: (host, port, signal) => dialer.dial(host, port, signal),
      vet: (host, port, signal) => dialer.vet(host, port, signal),
      pool: (maker) => new SlottedPool(slots(), profile, maker),
      hold: () => slots().hold(profile),
      seal: (clear, bound) => seals.seal(clear, own(bound)),
      unseal: (sealed, bound) => seals.unseal(sealed, own(bound)),
    };
  }

  #slotsOf({ kind, endpoint }: Pick<CallTarget, 'kind' | 'endpoint'>): Slots {
    const known = this.#slots.get(endpoint);
    if (known !== undefined) return known.slots;
    const slots = new Slots(this.#options.queues?.(kind));
    this.#slots.set(endpoint, { kind, slots });
    return slots;
  }

  #leave(pool: Pool): void {
    pool.users -= 1;
    pool.usedAt = performance.now();
    if (pool.released && pool.users === 0) this.#close(pool);
  }

  #release(key: string): void {
    const pool = this.#pools.get(key);
    if (pool === undefined) return;
    this.#pools.delete(key);
    pool.released = true;
    if (pool.users === 0) this.#close(pool);
  }

  #close(pool: Pool): void {
    const closing = pool.client
      .then((client) => client.close())
      .catch(this.#options.onFault)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #sweep(): void {
    const before = performance.now() - POOL_IDLE_MAX_MS;
    for (const [key, { users, usedAt }] of this.#pools) {
      if (users > 0 || usedAt > before) continue;
      this.#release(key);
      this.#options.connections.forget(key);
    }
    const used = new Set(this.#pools.values().map(({ endpoint }) => endpoint));
    for (const [endpoint, { slots }] of this.#slots) {
      if (slots.unused && !used.has(endpoint)) this.#slots.delete(endpoint);
    }
  }
}
