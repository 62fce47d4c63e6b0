/** One server of an endpoint: its pool, the connection that callers share, and those that they borrow. */

import type { RedisCommand } from '../../../kinds/redis/command.ts';
import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import type { ConnectionPool, Host } from '../driver.ts';
import { Borrowed } from './borrowed.ts';
import type { Connection } from './connection.ts';
import type { SendBounds } from './link.ts';
import { Shared } from './shared.ts';

/** A server, wherever `connect` goes. */
export class Node {
  readonly #pool: ConnectionPool<Connection>;
  readonly #shared: Shared;
  /** A connection was at some time. */
  reached = false;

  constructor(host: Host, connect: (signal: AbortSignal) => Promise<Connection>) {
    const pool = host.pool<Connection>({
      open: async (signal) => {
        const connection = await connect(signal);
        this.reached = true;
        // One that the server drops while idle must not be the next caller's.
        connection.wire.onLost = () => pool.discard(connection);
        return connection;
      },
      close: (connection) => connection.close(),
    });
    this.#pool = pool;
    this.#shared = new Shared(pool);
  }

  /** As `RedisServer.send`. */
  send(commands: readonly RedisCommand[], sending: SendBounds): Promise<readonly ReplyValue[]> {
    return this.#shared.send(commands, sending);
  }

  /** As `RedisServer.borrow`. */
  async borrow(signal: AbortSignal): Promise<Borrowed> {
    for (;;) {
      const connection = await this.#pool.acquire(signal);
      if (!connection.wire.lost) return new Borrowed(this.#pool, connection);
      this.#pool.discard(connection);
    }
  }

  close(): Promise<void> {
    this.#shared.close();
    return this.#pool.close();
  }
}
