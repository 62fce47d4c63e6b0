/** One pool's node: lends connections to calls, and keeps what the server has prepared. */

import type { Call } from '../../../proto/driver.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { ConnectionPool, Host } from '../driver.ts';
import type { Connection } from './connection.ts';
import { fromFailure, isFaulty, isTold, isUnprepared, ofOperation } from './errors.ts';
import type { Prepared } from './reply.ts';
import type { Settings } from './settings.ts';

/** Statements whose ids are remembered; the server keeps those it uses. */
const PREPARED_MAX = 1_000;
/** A statement is prepared again so often before the server's word is taken for it. */
const PREPARE_TRIES = 3;

/** What a piece of work on a connection is. */
export interface ConnectionWork {
  /** What it does is not known to be undone when the connection is lost. */
  readonly changes: boolean;
  /** Set once something that changes was sent. */
  sent: boolean;
  /** Its rows leave as they come. */
  readonly streams?: true;
  /** As of its call. */
  readonly inPieces: Call['inPieces'];
}

/** Runs work on connections of the pool. */
export class Database {
  readonly settings: Settings;
  readonly host: Host;
  readonly #pool: ConnectionPool<Connection>;
  readonly #prepared = new LruMap<string, Prepared>(PREPARED_MAX);

  constructor(pool: ConnectionPool<Connection>, settings: Settings, host: Host) {
    this.#pool = pool;
    this.settings = settings;
    this.host = host;
  }

  /**
   * Runs work on a connection. One that turns out dead is replaced: for a read always, for a
   * change only before it was sent.
   * @throws GatewayError as the call's circumstances say
   */
  async call<Value>(
    work: ConnectionWork,
    call: Call,
    run: (connection: Connection) => Promise<Value>,
  ): Promise<Value> {
    const { connection, value } = await this.keep(work, call, async (borrowed) => ({
      connection: borrowed,
      value: await run(borrowed),
    }));
    this.giveBack(connection);
    return value;
  }

  /** The same, except for a connection that the caller gives back when the work is done. */
  async keep<Value>(
    work: ConnectionWork,
    call: Call,
    run: (connection: Connection) => Promise<Value>,
  ): Promise<Value> {
    for (;;) {
      const connection = await this.borrow(call.signal);
      const { reused } = connection;
      connection.reused = true;
      try {
        return await this.#attempt(connection, work, call, () => run(connection));
      } catch (cause) {
        this.giveBack(connection);
        if (cause !== DROPPED) throw cause;
        if (!reused || call.signal.aborted) {
          const { signal, resultMaxBytes: max } = call;
          throw fromFailure(cause, { uncertain: false, signal, max });
        }
      }
    }
  }

  /** Work on a connection that the caller keeps; the deadline ends both. @throws GatewayError */
  async attempt<Value>(
    connection: Connection,
    work: ConnectionWork,
    call: Call,
    run: () => Promise<Value>,
  ): Promise<Value> {
    try {
      return await this.#attempt(connection, work, call, run);
    } catch (cause) {
      const { signal, resultMaxBytes: max } = call;
      throw fromFailure(cause, { uncertain: false, signal, max });
    }
  }

  /** The same; DROPPED where nothing has happened and the connection was lost. */
  async #attempt<Value>(
    connection: Connection,
    work: ConnectionWork,
    { signal, resultMaxBytes }: Call,
    run: () => Promise<Value>,
  ): Promise<Value> {
    const stop = () => connection.interrupt();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      return await run();
    } catch (cause) {
      const isLost = connection.lost && !isFaulty(cause);
      const uncertain = work.changes && work.sent && !isTold(cause);
      const isDropped = isLost && !uncertain && !signal.aborted && !isTold(cause);
      const max = work.streams === true ? 'page' : resultMaxBytes;
      const failure = fromFailure(cause, { uncertain, signal, max });
      // What could not be read is no place to go on from.
      if (!isTold(cause) && failure !== cause) connection.interrupt();
      throw isDropped && failure !== cause ? DROPPED : failure;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /**
   * Runs a statement that the server has prepared, which it is told again where it forgot.
   * Nothing was run where it did.
   */
  async withPrepared<Value>(
    connection: Connection,
    queries: readonly string[],
    run: (prepared: readonly Prepared[]) => Promise<Value>,
    isBatch = false,
  ): Promise<Value> {
    for (let tries = 1; ; tries += 1) {
      const prepared = await this.#prepareAll(connection, queries, isBatch);
      try {
        return await run(prepared);
      } catch (cause) {
        if (!isUnprepared(cause) || tries === PREPARE_TRIES) throw cause;
        for (const query of queries) this.#prepared.delete(query);
      }
    }
  }

  async #prepareAll(
    connection: Connection,
    queries: readonly string[],
    isBatch: boolean,
  ): Promise<Prepared[]> {
    const prepared: Prepared[] = [];
    for (const [index, query] of queries.entries()) {
      prepared.push(await this.#prepare(connection, query, isBatch ? index : undefined));
    }
    return prepared;
  }

  async #prepare(connection: Connection, query: string, operation?: number): Promise<Prepared> {
    const known = this.#prepared.get(query);
    if (known) return known;
    try {
      const prepared = await connection.prepare(query);
      this.#prepared.set(query, prepared);
      return prepared;
    } catch (cause) {
      throw operation === undefined ? cause : ofOperation(cause, operation);
    }
  }

  /** A connection for a call of its own. @throws what `ConnectionPool.acquire` throws */
  async borrow(signal: AbortSignal): Promise<Connection> {
    for (;;) {
      signal.throwIfAborted();
      const connection = await this.#pool.acquire(signal);
      connection.inUse = true;
      if (!connection.lost) return connection;
      this.#pool.discard(connection);
    }
  }

  /** Takes a connection back; one that was lost is replaced when it is needed. */
  giveBack(connection: Connection): void {
    if (connection.lost) {
      this.#pool.discard(connection);
      return;
    }
    connection.inUse = false;
    connection.frameMax = undefined;
    this.#pool.release(connection);
  }

  /** Ends idle connections now and the others when they come back. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** The connection was lost before anything happened. */
const DROPPED = new Error('The connection was lost');
