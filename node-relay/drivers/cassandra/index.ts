/** Driver of kind `cassandra`: CQL over the driver's own connections, each on a socket that the host dialled. */

import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import type {
  BackendClient,
  Call,
  InspectedTables,
  InspectPage,
  Inspects,
  Streams,
  Target,
  Transacts,
} from '../../../proto/driver.ts';
import type { ConnectionMaker, Driver, Host } from '../driver.ts';
import { watchedPool } from '../watched-pool.ts';
import { transact } from './batch.ts';
import { Connection, type Recipe } from './connection.ts';
import { Database } from './database.ts';
import { runRequest } from './execute.ts';
import { inspectTables } from './inspect.ts';
import { settingsOf } from './settings.ts';
import { streamRows } from './stream.ts';

/**
 * Clients of Cassandra. The node that the endpoint names answers everything: nothing is asked
 * of its peers' addresses, so nothing else is ever dialled. There are no sessions of a caller's
 * own. Contract §5, §6.
 */
export const cassandra: Driver<CassandraRequest, CassandraClient> = {
  async open({ envelope }: Target, host: Host): Promise<CassandraClient> {
    const settings = settingsOf(envelope.connection);
    const recipe: Recipe = { host, settings };
    const maker: ConnectionMaker<Connection> = {
      open: (signal) => Connection.open(recipe, signal),
      close: (connection) => connection.close(),
    };
    const pool = watchedPool(host, maker, (connection) => connection);
    return new CassandraClient(new Database(pool, settings, host));
  },
};

/** What the driver can do. */
export class CassandraClient
  implements
    BackendClient<CassandraRequest>,
    Streams<CassandraRequest>,
    Transacts<CassandraRequest>,
    Inspects
{
  readonly hasColumns = true;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  run(request: CassandraRequest, call: Call): Promise<Buffer> {
    return runRequest(this.#database, request, call);
  }

  stream(request: CassandraRequest, call: Call): AsyncIterable<Uint8Array> {
    return streamRows(this.#database, request, call);
  }

  transact(requests: readonly CassandraRequest[], call: Call): Promise<Buffer> {
    return transact(this.#database, requests, call);
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    return inspectTables(this.#database, page, call);
  }

  async ping(call: Call): Promise<number> {
    const request = { type: 'query', query: 'SELECT key FROM system.local' } as const;
    // The first call may have to connect.
    await runRequest(this.#database, request, { ...call, mode: 'read' });
    const start = performance.now();
    await runRequest(this.#database, request, { ...call, mode: 'read' });
    return performance.now() - start;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
