/** The connection of a server that many callers use at the same time. */
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { orAbort } from '../deadline.ts';
import type { ConnectionPool } from '../driver.ts';
import { fromLoss } from '../loss.ts';
import type { Connection } from './connection.ts';
import { CallLost, mayWrite } from './exchange.ts';
import type { SendBounds } from './link.ts';
import type { Wire } from './wire.ts';

/**
 * Milliseconds after which the connection goes back to its pool when it is idle, or when
 * others wait for a slot: as long as slots in use stay where they are. Spec silent.
 */
const HOLD_MS = 50;
/** Times that commands are sent again which a lost connection has provably not run, or that change nothing. Spec silent. */
const ATTEMPTS_MAX = 3;

/** Ends no wait: a connection is waited for by many. */
const { signal: nobodys } = new AbortController();

/** One connection out of a pool, held while there is something to send. */
export class Shared {
  readonly #pool: ConnectionPool<Connection>;
  #current: Connection | undefined;
  /** Another whose large reply is on its way: of these there is one at most. */
  #aside: Connection | undefined;
  /** The opening of another. */
  #next: Promise<Connection> | undefined;
  /** Resolves when the last of the calls on the connection before has ended. */
  #drained: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: ConnectionPool<Connection>) {
    this.#pool = pool;
  }

  /** As `RedisServer.send`. */
  async send(
    commands: readonly RedisCommand[],
    sending: SendBounds,
  ): Promise<readonly ReplyValue[]> {
    const { mode, signal } = sending;
    for (let attempt = 1; ; attempt += 1) {
      const wire = this.#usable() ?? (await this.#opened(signal));
      try {
        return await wire.send(commands, sending);
      } catch (error) {
        if (!(error instanceof CallLost)) throw error;
        const mayRepeat = mode === 'read' || !error.sent;
        if (mayRepeat && attempt < ATTEMPTS_MAX && !signal.aborted) continue;
        throw fromLoss(error, { mode, uncertain: error.sent && mayWrite(commands), signal });
      }
    }
  }

  /** Gives the connection back once its calls have ended. */
  close(): void {
    if (this.#current) this.#giveBack(this.#current);
    this.#aside?.wire.leave();
  }

  /** The wire as it is, unless it has to be waited for. */
  #usable(): Wire | undefined {
    const wire = this.#current?.wire;
    if (!wire || wire.lost) return undefined;
    if (wire.silent) this.#retire();
    else if (wire.laden && !this.#aside) this.#setAside();
    else return wire;
    return undefined;
  }

  async #opened(signal: AbortSignal): Promise<Wire> {
    signal.throwIfAborted();
    this.#next ??= this.#open();
    const { wire } = await orAbort(this.#next, signal);
    return wire;
  }

  /** A connection for all that wait: none of their signals ends the opening of it. */
  async #open(): Promise<Connection> {
    try {
      await this.#drained;
      for (;;) {
        const connection = await this.#pool.acquire(nobodys);
        if (connection.wire.lost) {
          this.#pool.discard(connection);
          continue;
        }
        this.#current = connection;
        this.#watch();
        return connection;
      }
    } finally {
      this.#next = undefined;
    }
  }

  /** Gives it back in time. */
  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const current = this.#current;
      if (!current) return;
      if (current.wire.lost) this.#current = undefined;
      else if (current.wire.idle || this.#pool.contended) this.#giveBack(current);
      else this.#watch();
    }, HOLD_MS).unref();
  }

  /** Gives it back when its calls have ended; new ones wait for that and for the next connection. */
  #giveBack(connection: Connection): void {
    const { wire } = connection;
    this.#current = undefined;
    if (wire.lost) return;
    if (wire.idle) {
      this.#pool.release(connection);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = promise;
    this.#untilIdle(connection, () => {
      wire.stay();
      this.#drained = undefined;
      resolve();
    });
    wire.leave();
  }

  /** Gives a connection back when it has answered all that was asked; `end` is called then, or when it is lost. */
  #untilIdle(connection: Connection, end: () => void): void {
    const { wire } = connection;
    const lost = wire.onLost;
    const restore = () => {
      wire.onIdle = undefined;
      wire.onLost = lost;
      end();
    };
    wire.onIdle = () => {
      restore();
      this.#pool.release(connection);
    };
    wire.onLost = () => {
      restore();
      lost?.();
    };
  }

  /** A connection with a large reply on its way serves only the calls that wait for it; then it is shared again. */
  #setAside(): void {
    const connection = this.#current;
    if (!connection) return;
    this.#current = undefined;
    this.#aside = connection;
    this.#untilIdle(connection, () => {
      this.#aside = undefined;
    });
  }

  /** A silent connection serves only the calls that wait for it already. */
  #retire(): void {
    const connection = this.#current;
    this.#current = undefined;
    if (connection) connection.wire.onIdle = () => this.#pool.discard(connection);
  }
}
