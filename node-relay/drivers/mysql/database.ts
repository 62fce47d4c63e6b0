/** One pool's database: its connections, and what was learned of it. */
import type { Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { ConnectionPool } from '../driver.ts';
import type { Connection } from './connection.ts';
import { endsConnection, fromFailure, ServerError } from './errors.ts';
import type { Guard } from './guard.ts';

/** What a call leaves on its connection. */
export type Traces = 'none' | 'some' | 'unusable';

/** A call's answer and what it left. */
export interface Done<Value> {
  readonly value: Value;
  readonly traces: Traces;
}

/** Lends connections to calls, and takes them back clean. */
export class Database {
  readonly guard: Guard;
  readonly #pool: ConnectionPool<Connection>;

  constructor(pool: ConnectionPool<Connection>, guard: Guard) {
    this.#pool = pool;
    this.guard = guard;
  }

  /**
   * Runs a call on a connection of the pool. A read on a pooled connection that turns out dead is
   * tried again on another; a write only when nothing of it was sent.
   */
  async call<Value>(
    mode: Mode,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Done<Value>>,
  ): Promise<Value> {
    for (;;) {
      const connection = await this.borrow(signal);
      const { reused } = connection;
      connection.reused = true;
      try {
        const { value, traces } = await attempt(connection, mode, signal, () => work(connection));
        this.giveBack(connection, traces);
        return value;
      } catch (error) {
        const wasDead = reused && connection.wire.lost && !connection.interrupted;
        this.giveBack(connection, 'some');
        if (wasDead && mode === 'read' && isLoss(error)) continue;
        throw error;
      }
    }
  }

  /** A live connection of the pool, for the caller to give back. */
  async borrow(signal: AbortSignal): Promise<Connection> {
    for (;;) {
      signal.throwIfAborted();
      const connection = await this.#pool.acquire(signal);
      connection.inUse = true;
      if (!connection.wire.lost) return connection;
      this.#pool.discard(connection);
    }
  }

  /** Takes a connection back; one that is not as new is reset first, or ended. */
  giveBack(connection: Connection, traces: Traces): void {
    const { wire, interrupted } = connection;
    if (wire.lost || interrupted || !wire.idle || traces === 'unusable') this.discard(connection);
    else if (traces === 'none' && !wire.inTransaction && !wire.sessionChanged)
      this.#release(connection);
    else void this.#clean(connection);
  }

  /** Ends a connection. */
  discard(connection: Connection): void {
    this.#pool.discard(connection);
  }

  /** Ends idle connections now and the others when they come back. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #clean(connection: Connection): Promise<void> {
    if (await connection.reset()) this.#release(connection);
    else this.discard(connection);
  }

  #release(connection: Connection): void {
    connection.inUse = false;
    this.#pool.release(connection);
  }
}

/** Work on a connection that stops when the signal aborts; its failures are the caller's to read. */
export async function attempt<Value>(
  connection: Connection,
  mode: Mode,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  const stop = () => connection.interrupt();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ServerError && endsConnection(cause)) connection.wire.lose(cause);
    throw fromFailure(cause, { mode, uncertain: connection.wire.uncertain, signal });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'CONNECTION_FAILED';
}
