/** One pool's server: lends connections to calls and takes them back. */
import type { IncomingMessage } from 'node:http';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { ConnectionPool } from '../driver.ts';
import { Gone } from '../one-socket.ts';
import type { Connection, Exchange } from './connection.ts';
import { fromFailure, INCOMPLETE, ServerFault } from './errors.ts';
import type { AllowedFunctions } from './guard.ts';
import type { Settings } from './settings.ts';

/** What a request sends, and whether it may change something. */
export interface Prepared extends Omit<Exchange, 'id'> {
  /** Runs as a read: `readonly` is set, and nothing can change. */
  readonly read: boolean;
  /** What it does is not known to be undone when it is stopped. */
  readonly changes: boolean;
}

/** A reply whose head has arrived, and the connection that its body comes on. */
interface Open {
  readonly reply: IncomingMessage;
  readonly connection: Connection;
}

/** Runs exchanges on connections of the pool. */
export class Database {
  readonly settings: Settings;
  readonly allowed: AllowedFunctions;
  readonly #pool: ConnectionPool<Connection>;

  constructor(pool: ConnectionPool<Connection>, settings: Settings, allowed: AllowedFunctions) {
    this.#pool = pool;
    this.settings = settings;
    this.allowed = allowed;
  }

  /**
   * Sends a request and reads its reply to the end.
   * @throws GatewayError as the call's circumstances say; the reader's own failures stop the server's work
   */
  async call<Value>(
    prepared: Prepared,
    call: Call,
    read: (reply: IncomingMessage) => Promise<Value>,
  ): Promise<Value> {
    const open = await this.open(prepared, call);
    const { reply, connection } = open;
    try {
      return await this.attempt(open, prepared, call, async () => {
        const value = await read(reply);
        if (!reply.complete) throw new Error('The reply ended before its end');
        connection.ended();
        return value;
      });
    } finally {
      this.giveBack(connection);
    }
  }

  /**
   * Sends a request. A connection that turns out dead is replaced: for a read always, for a
   * write only before anything was sent.
   */
  async open(prepared: Prepared, call: Call): Promise<Open> {
    for (;;) {
      const connection = await this.#borrow(call.signal);
      const { reused } = connection;
      connection.reused = true;
      const stop = () => connection.interrupt();
      call.signal.addEventListener('abort', stop, { once: true });
      try {
        const reply = await connection.exchange({ ...prepared, id: crypto.randomUUID() });
        return { reply, connection };
      } catch (cause) {
        if (cause instanceof Gone) this.#pool.discard(connection);
        else this.giveBack(connection);
        const isLoss = !(cause instanceof ServerFault) && !(cause instanceof GatewayError);
        const mayAgain = cause instanceof Gone || (reused && !prepared.changes);
        if (isLoss && mayAgain && !call.signal.aborted) continue;
        throw failureOf(cause, prepared, call, !isTold(cause));
      } finally {
        call.signal.removeEventListener('abort', stop);
      }
    }
  }

  /** Work with an open reply; when it fails, the statement is stopped. */
  async attempt<Value>(
    { connection }: Open,
    prepared: Prepared,
    call: Call,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const stop = () => connection.interrupt();
    call.signal.addEventListener('abort', stop, { once: true });
    try {
      if (call.signal.aborted) stop();
      return await work();
    } catch (cause) {
      stop();
      throw failureOf(cause, prepared, call, !isTold(cause));
    } finally {
      call.signal.removeEventListener('abort', stop);
    }
  }

  /** Takes a connection back; one that is not as new is ended. */
  giveBack(connection: Connection): void {
    if (connection.lost || connection.interrupted) {
      this.#pool.discard(connection);
      return;
    }
    connection.inUse = false;
    this.#pool.release(connection);
  }

  /** Ends idle connections now and the others when they come back. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #borrow(signal: AbortSignal): Promise<Connection> {
    for (;;) {
      signal.throwIfAborted();
      const connection = await this.#pool.acquire(signal);
      connection.inUse = true;
      if (!connection.lost) return connection;
      this.#pool.discard(connection);
    }
  }
}

/** The server said what became of the statement. */
function isTold(cause: unknown): boolean {
  return cause instanceof ServerFault && cause.code !== INCOMPLETE;
}

function failureOf(
  cause: unknown,
  { read, changes }: Prepared,
  { signal }: Call,
  isLoss: boolean,
): unknown {
  return fromFailure(cause, { read, uncertain: changes && isLoss, signal });
}
