/** Lends the connections of a pool to calls, and takes them back clean. */
import type { Mode } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { ConnectionMaker, ConnectionPool, Host } from './driver.ts';
import type { Filling, Lines } from './lines.ts';
import { type Losses, watchedPool } from './watched-pool.ts';

/** What a call leaves on its connection. `ask` decides later, when the caller has the answer. */
export type Traces = 'none' | 'some' | 'unusable' | { readonly ask: () => Promise<boolean> };

/** A call's answer and what it left. */
export interface Done<Value> {
  readonly value: Value;
  readonly traces: Traces;
}

/** A connection that serves one call after another. */
export interface Lendable {
  readonly wire: Losses & {
    /** Why it is of no more use. */
    readonly lost: Error | undefined;
    /** Nothing is under way on it. */
    readonly idle: boolean;
  };
  /** A call was stopped on it: what it still does must not meet the next caller. */
  readonly interrupted: boolean;
  /** It has served a call before. */
  reused: boolean;
  /** Whether a part of what the call has sent may be kept by now, whatever becomes of the rest; or may be in tables without transactions. */
  mayKeep: boolean | 'without transactions';
  /** A call has it; else the pool does. */
  inUse: boolean;
  /** When its server was last heard of: when it was made, and when a call gave it back. Milliseconds of `performance.now()`. */
  heardAt: number;
  /** Stops what is under way: asks the server, then cuts the connection. */
  interrupt(): void;
  /** Forgets all that calls have set. Answers false when the connection cannot be used again. */
  reset(): Promise<boolean>;
  /** Ends it without a word. */
  cut(): void;
  close(): Promise<void>;
  /** The error that the caller gets for a failure on it; after one that ended the connection, it counts as lost. */
  failureOf(cause: unknown, mode: Mode, signal: AbortSignal): unknown | Promise<unknown>;
}

/** A call that answers lines. */
export interface Streaming {
  readonly read: boolean;
  /** What it has left, once its lines have ended. */
  readonly traces: Traces;
  /** Until the server has accepted the statement. */
  begin(): Promise<Filling>;
}

/** Milliseconds that finding out about traces may take; no caller waits for it. */
const ASK_MS = 5_000;

/** A pool of connections; those that the server drops leave it, also while they are idle. */
export function poolOf<Connection extends Lendable>(
  host: Host,
  connect: (signal: AbortSignal) => Promise<Connection>,
): ConnectionPool<Connection> {
  const maker: ConnectionMaker<Connection> = {
    open: connect,
    close: (connection) => connection.close(),
  };
  return watchedPool(host, maker, ({ wire }) => wire);
}

/** Lends connections to calls, and takes them back clean. */
export class Lender<Connection extends Lendable> {
  readonly #pool: ConnectionPool<Connection>;

  constructor(pool: ConnectionPool<Connection>) {
    this.#pool = pool;
  }

  /**
   * Runs a call on a connection of the pool. A read on a pooled connection that turns out dead is
   * tried again on another; a write only when none of it was sent.
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
        const mayRepeat = mode === 'read' && wasDead(connection, reused, error);
        this.giveBack(connection, 'some');
        if (mayRepeat) continue;
        throw error;
      }
    }
  }

  /**
   * Streams a call's lines; the first piece is empty and follows the server's acceptance. A read
   * on a pooled connection that turns out dead before that is tried again on another.
   */
  async *stream(
    signal: AbortSignal,
    make: (connection: Connection) => Streaming,
  ): AsyncGenerator<Uint8Array> {
    for (;;) {
      const connection = await this.borrow(signal);
      const { reused } = connection;
      connection.reused = true;
      const streaming = make(connection);
      let filling: Filling;
      try {
        filling = await streaming.begin();
      } catch (error) {
        const mayRepeat = streaming.read && wasDead(connection, reused, error);
        this.giveBack(connection, 'some');
        if (mayRepeat) continue;
        throw error;
      }
      try {
        return yield* filling.pieces(() => connection.interrupt());
      } finally {
        this.giveBack(connection, streaming.traces);
      }
    }
  }

  /** A live connection of the pool, for the caller to give back. */
  async borrow(signal: AbortSignal, place: 'last' | 'ahead' = 'last'): Promise<Connection> {
    for (;;) {
      signal.throwIfAborted();
      const connection = await this.#pool.acquire(signal, place);
      connection.inUse = true;
      connection.mayKeep = false;
      if (!connection.wire.lost) return connection;
      this.#pool.discard(connection);
    }
  }

  /** Takes a connection back; one that is not as new is reset first, or ended. */
  giveBack(connection: Connection, traces: Traces): void {
    const { wire, interrupted } = connection;
    if (wire.lost || interrupted || !wire.idle || traces === 'unusable') this.discard(connection);
    else if (traces === 'none') this.#release(connection);
    else void this.#clean(connection, traces);
  }

  /** Whether calls wait for a connection. */
  get contended(): boolean {
    return this.#pool.contended;
  }

  /** Ends a connection. */
  discard(connection: Connection): void {
    this.#pool.discard(connection);
  }

  /** Ends idle connections now and the others when they come back. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #clean(connection: Connection, traces: Traces): Promise<void> {
    const dirty = typeof traces === 'object' ? await askWithin(connection, traces.ask) : true;
    if (dirty && !(await connection.reset())) return this.discard(connection);
    if (connection.wire.lost || !connection.wire.idle) this.discard(connection);
    else this.#release(connection);
  }

  #release(connection: Connection): void {
    connection.inUse = false;
    connection.heardAt = performance.now();
    this.#pool.release(connection);
  }
}

async function askWithin(connection: Lendable, ask: () => Promise<boolean>): Promise<boolean> {
  const timer = setTimeout(() => connection.cut(), ASK_MS);
  try {
    return await ask();
  } catch {
    return true;
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the connection was lost before the call that failed on it. */
function wasDead({ wire, interrupted }: Lendable, reused: boolean, error: unknown): boolean {
  const isLoss = error instanceof GatewayError && error.code === 'CONNECTION_FAILED';
  return reused && wire.lost !== undefined && !interrupted && isLoss;
}

/** Work on a connection that stops when the signal aborts; its failures are the caller's to read. */
export async function attempt<Value>(
  connection: Lendable,
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
    throw await connection.failureOf(cause, mode, signal);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** As `attempt`, for work that fills lines: they are dropped when the signal aborts. */
export function attemptLines<Value>(
  connection: Lendable,
  lines: Pick<Lines<never>, 'abandon'>,
  { mode, signal }: { readonly mode: Mode; readonly signal: AbortSignal },
  work: () => Promise<Value>,
): Promise<Value> {
  const stop = () => lines.abandon();
  signal.addEventListener('abort', stop, { once: true });
  return attempt(connection, mode, signal, work).finally(() =>
    signal.removeEventListener('abort', stop),
  );
}
