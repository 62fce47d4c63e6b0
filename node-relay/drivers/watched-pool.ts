/** A pool of connections; those that the server drops leave it, also while they are idle. */
import type { ConnectionMaker, ConnectionPool, Host } from './driver.ts';

/** What calls back, once, when a connection is lost. */
export interface Losses {
  onLost: (() => void) | undefined;
}

/** A pool of `maker`'s connections; each reports whether a call has it, and of its loss by what `lossesOf` answers. */
export function watchedPool<Connection extends { readonly inUse: boolean }>(
  host: Host,
  maker: ConnectionMaker<Connection>,
  lossesOf: (connection: Connection) => Losses,
): ConnectionPool<Connection> {
  const pool = host.pool<Connection>({
    async open(signal) {
      const connection = await maker.open(signal);
      // One that the server drops while idle must not be the next caller's.
      lossesOf(connection).onLost = () => {
        if (!connection.inUse) pool.discard(connection);
      };
      return connection;
    },
    close: (connection) => maker.close(connection),
  });
  return pool;
}
