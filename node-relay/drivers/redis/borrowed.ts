/** A connection for one caller, out of a server's pool. */
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import type { ConnectionPool } from '../driver.ts';
import { fromLoss } from '../loss.ts';
import type { Connection } from './connection.ts';
import { CallLost, mayWrite } from './exchange.ts';
import type { BorrowedLink, SendBounds } from './link.ts';

/** Lent until it is released. */
export class Borrowed implements BorrowedLink {
  onPush: ((message: ReplyValue) => void) | undefined;
  onLost: ((cause: Error) => void) | undefined;
  readonly #pool: ConnectionPool<Connection>;
  readonly #connection: Connection;
  #released: Error | undefined;

  constructor(pool: ConnectionPool<Connection>, connection: Connection) {
    this.#pool = pool;
    this.#connection = connection;
    const { wire } = connection;
    wire.onPush = (message) => this.onPush?.(message);
    wire.onLost = () => {
      pool.discard(connection);
      if (!this.#released && wire.lost) this.onLost?.(wire.lost);
    };
  }

  get lost(): Error | undefined {
    return this.#connection.wire.lost ?? this.#released;
  }

  async send(
    commands: readonly RedisCommand[],
    sending: SendBounds,
  ): Promise<readonly ReplyValue[]> {
    const { mode, signal } = sending;
    try {
      if (this.#released) throw new CallLost(false, this.#released);
      return await this.#connection.wire.send(commands, sending);
    } catch (error) {
      if (!(error instanceof CallLost)) throw error;
      throw fromLoss(error, { mode, uncertain: error.sent && mayWrite(commands), signal });
    }
  }

  cut(): void {
    if (!this.#released) this.#connection.wire.cut(new Error('cut'));
  }

  pause(): void {
    if (!this.#released) this.#connection.wire.pause();
  }

  resume(): void {
    if (!this.#released) this.#connection.wire.resume();
  }

  release(clean: boolean): void {
    if (this.#released) return;
    this.#released = new Error('given back');
    const { wire } = this.#connection;
    wire.onPush = undefined;
    wire.onLost = () => this.#pool.discard(this.#connection);
    wire.resume();
    // What still runs on it, or waits to be told, must not meet the next caller.
    if (wire.lost || !wire.idle) this.#pool.discard(this.#connection);
    else if (clean && !wire.subscribed) this.#pool.release(this.#connection);
    else void this.#reset();
  }

  async #reset(): Promise<void> {
    if (await this.#connection.reset()) this.#pool.release(this.#connection);
    else this.#pool.discard(this.#connection);
  }
}
