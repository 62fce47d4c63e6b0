/** Driver of kind `cassandra`: CQL over the driver's own connections, each on a socket that the host dialled. */

import { allowedTables } from '../../../kinds/allow.ts';
import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import { openPage } from '../../../kinds/open-page.ts';
import type {
  BackendClient,
  Call,
  InspectedTable,
  InspectedTables,
  InspectPage,
  Inspects,
  Streams,
  Target,
  Transacts,
} from '../../../proto/driver.ts';
import type { ConnectionMaker, Driver, Host } from '../driver.ts';
import { watchedPool } from '../watched-pool.ts';
import { AllowGuard } from './allow-guard.ts';
import { transact } from './batch.ts';
import { Connection, type Recipe } from './connection.ts';
import { Database } from './database.ts';
import { at } from './errors.ts';
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
    const opened = allowedTables(envelope.settings.allow);
    const allowGuard = opened && new AllowGuard(opened, settings.keyspace);
    return new CassandraClient(new Database(pool, settings, host), allowGuard);
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
  /** Undefined where requests may name everything. */
  readonly #allowGuard: AllowGuard | undefined;

  constructor(database: Database, allowGuard: AllowGuard | undefined) {
    this.#database = database;
    this.#allowGuard = allowGuard;
  }

  async run(request: CassandraRequest, call: Call): Promise<Buffer> {
    this.#allowGuard?.admit(request);
    return runRequest(this.#database, request, call);
  }

  async *stream(request: CassandraRequest, call: Call): AsyncIterable<Uint8Array> {
    this.#allowGuard?.admit(request);
    yield* streamRows(this.#database, request, call);
  }

  async transact(requests: readonly CassandraRequest[], call: Call): Promise<Buffer> {
    for (const [index, each] of requests.entries()) at(index, () => this.#allowGuard?.admit(each));
    return transact(this.#database, requests, call);
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    const guard = this.#allowGuard;
    const isOpen = guard && ((table: InspectedTable) => guard.opens(table));
    return openPage(page, isOpen, (each) => inspectTables(this.#database, each, call));
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
