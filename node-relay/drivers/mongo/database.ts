/** One pool's deployment: the driver's client, held within the endpoint's slots, and calls on it. */
import { type ClientSession, type ClientSessionOptions, MongoClient } from 'mongodb';
import type { Call } from '../../../proto/driver.ts';
import { orAbort } from '../deadline.ts';
import type { ConnectionPool, Host } from '../driver.ts';
import { holdConnection } from '../hold.ts';
import type { Form } from './bson-writer.ts';
import { connectFailure, fromFailure } from './errors.ts';
import type { OpenCursor } from './open-cursor.ts';
import { KILL_MS, later, Progress } from './progress.ts';
import { REPLY_MAX_BYTES } from './reply-fault.ts';
import type { Settings } from './settings.ts';
import { Sockets } from './sockets.ts';
import type { Substitute } from './to-bson.ts';

/** Permission to use one of the driver's connections at a time; it has as many connections as there are permits. */
type Permit = Record<never, never>;

/**
 * Milliseconds after which the driver takes its connection to be lost. Far from those in which a
 * server that waits for changes comes to the order: a reply that meets that timer costs the next
 * call its connection.
 */
const KILL_ANSWERED_MS = 5_000;
/** Milliseconds that a call's server side gets less than its deadline, so that its answer is told. */
const MARGIN_MS = 20;

/** What a call works with. */
export interface Execution {
  readonly client: MongoClient;
  readonly session: ClientSession;
  readonly settings: Settings;
  readonly call: Call;
  readonly form: Form;
  /** Where it runs: by itself, as one of a transaction's operations, or in a leased session. */
  readonly place: 'call' | 'transaction' | 'lease';
  /** When the call began, on the clock of `performance`. */
  readonly startedAt: number;
  /** The server's last reply in the session, as its bytes. */
  reply(): Uint8Array | undefined;
  /** Takes in replies of any size; only a part of them is answered. */
  takeLarge(): void;
  /** Keeps a cursor open for later calls; left out where there are no later calls. */
  keep?(cursor: OpenCursor): void;
  /** Puts earlier results instead of references to them. */
  readonly substitute?: Substitute | undefined;
}

/** Lends the driver's client to calls. */
export class Database {
  readonly settings: Settings;
  readonly #host: Host;
  readonly #pool: ConnectionPool<Permit>;
  readonly #sockets: Sockets;
  #client: Promise<MongoClient> | undefined;
  #permits = 0;
  #closing = false;

  constructor(settings: Settings, host: Host) {
    this.settings = settings;
    this.#host = host;
    this.#sockets = new Sockets(host);
    this.#pool = host.pool<Permit>({
      open: async () => {
        this.#permits += 1;
        return {};
      },
      close: () => {
        this.#permits -= 1;
        this.#shrink();
      },
    });
  }

  /** Runs a call in a session of the driver's of its own. @throws GatewayError */
  async call<Value>(call: Call, work: (execution: Execution) => Promise<Value>): Promise<Value> {
    const permit = await this.borrow(call.signal);
    try {
      const client = await this.client(call.signal);
      const session = this.startSession(client);
      try {
        return await this.attempt(session, call, () => work(this.execution(client, session, call)));
      } finally {
        void session.endSession().catch(() => {});
      }
    } finally {
      this.giveBack(permit);
    }
  }

  execution(
    client: MongoClient,
    session: ClientSession,
    call: Call,
    place: Execution['place'] = 'call',
  ): Execution {
    const form = call.canonical || this.settings.canonical ? 'canonical' : 'relaxed';
    const startedAt = performance.now();
    const observer = () => this.#sockets.observers.get(session);
    const reply = () => observer()?.reply;
    const takeLarge = (): void => {
      const own = observer();
      if (own) own.replyMax = REPLY_MAX_BYTES;
    };
    const { settings } = this;
    return { client, session, settings, call, form, place, startedAt, reply, takeLarge };
  }

  startSession(client: MongoClient, options?: ClientSessionOptions): ClientSession {
    // Calls of one endpoint do not depend on each other.
    return client.startSession({ causalConsistency: false, ...options });
  }

  /** Lets a call keep its permit for an open time. @throws GatewayError POOL_EXHAUSTED */
  hold(): () => void {
    return holdConnection(this.#host);
  }

  borrow(signal: AbortSignal): Promise<Permit> {
    return this.#pool.acquire(signal);
  }

  giveBack(permit: Permit): void {
    this.#pool.release(permit);
    this.#shrink();
  }

  /** The connected client. @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, TIMED_OUT */
  client(signal: AbortSignal): Promise<MongoClient> {
    this.#client ??= this.#connect();
    return orAbort(this.#client, signal);
  }

  /**
   * Work in a session that ends when the signal aborts: the server is told to stop it, and
   * where it does not, the connection is cut and not used again.
   * @throws GatewayError
   */
  async attempt<Value>(
    session: ClientSession,
    call: Call,
    work: () => Promise<Value>,
    when?: 'uncertain',
  ): Promise<Value> {
    const { mode, signal } = call;
    signal.throwIfAborted();
    const writes = mode === 'write' && (when === 'uncertain' || !session.inTransaction());
    const progress = new Progress(writes, call.resultMaxBytes);
    this.#sockets.observers.set(session, progress);
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => {});
    const stop = (): void => {
      progress.aborted = true;
      void this.#stop(session, progress).then(() => stopped.reject(signal.reason));
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([work(), stopped.promise]);
    } catch (cause) {
      const failure = progress.faultOf(cause);
      const { uncertain } = progress;
      throw fromFailure(failure, { uncertain, signal, max: call.resultMaxBytes });
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    // The client's farewell goes over a connection that is there.
    this.#closing = true;
    await this.#pool.close();
    this.#sockets.close();
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }

  async #connect(): Promise<MongoClient> {
    const { url, options } = this.settings;
    const client = new MongoClient(url, { ...options, lookup: this.#sockets.lookup });
    const unreachable = Promise.withResolvers<never>();
    unreachable.promise.catch(() => {});
    client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
      const errors = [...servers.values()].map(({ error }) => error);
      // The driver would go on for seconds although each member was asked and none is there.
      const all = errors.length > 0 && errors.every((error) => error !== null);
      if (all) unreachable.reject(errors[0]);
    });
    try {
      return await Promise.race([client.connect(), unreachable.promise]);
    } catch (cause) {
      this.#client = undefined;
      await client.close().catch(() => {});
      throw connectFailure(cause);
    } finally {
      client.removeAllListeners('topologyDescriptionChanged');
    }
  }

  /** Ends idle connections beyond the permits: another pool of the endpoint has their slots now. */
  #shrink(): void {
    if (this.#closing) return;
    let over = this.#sockets.lines.size - this.#permits;
    if (over <= 0) return;
    // The driver takes the one that was used last: it may be about to be used.
    const idle = [...this.#sockets.lines].filter(({ busy }) => busy === 0);
    for (const line of idle.toSorted((one, other) => one.usedAt - other.usedAt)) {
      if (over <= 0) return;
      line.end();
      over -= 1;
    }
  }

  async #stop(session: ClientSession, progress: Progress): Promise<void> {
    const { line } = progress;
    if (line === undefined) return;
    const client = await this.#client?.catch(() => undefined);
    const id = session.id;
    const told =
      client && id
        ? client
            .db('admin')
            .command({ killSessions: [id] }, { timeoutMS: KILL_ANSWERED_MS })
            .catch(() => {})
        : undefined;
    await Promise.race([
      progress.idle(),
      told?.then(() => progress.idle(KILL_MS / 4)),
      later(KILL_MS),
    ]);
    progress.cut();
    await progress.idle(KILL_MS);
  }
}

/** Milliseconds that the server may take for what has so much time; at least one. */
export function serverMs(timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined ? undefined : Math.max(1, timeoutMs - MARGIN_MS);
}
