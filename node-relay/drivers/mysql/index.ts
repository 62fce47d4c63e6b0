/** Driver of kind `mysql`: MySQL and MariaDB over their own protocol, rows straight to JSON text. */

import { allowedFunctions, Guard } from '../../../kinds/mysql/dialect/guard.ts';
import { inspectTables } from '../../../kinds/mysql/dialect/inspect.ts';
import { settingsOf } from '../../../kinds/mysql/dialect/settings.ts';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import type {
  BackendClient,
  Call,
  InspectedTables,
  InspectPage,
  Inspects,
  Lease,
  Leases,
  Streams,
  Target,
  Transacts,
} from '../../../proto/driver.ts';
import type { Driver, Host } from '../driver.ts';
import { ConnectionLease } from '../lease.ts';
import { poolOf } from '../lend.ts';
import { connect, type Recipe } from './connection.ts';
import { Database } from './database.ts';
import { runRequest } from './run.ts';
import { streamRows } from './stream.ts';
import { runTransaction } from './transact.ts';

/** Clients of MySQL and MariaDB. Contract §5, §6. */
export const mysql: Driver<MysqlRequest, MysqlClient> = {
  async open({ envelope, mode }: Target, host: Host): Promise<MysqlClient> {
    const settings = settingsOf(envelope.connection);
    const recipe: Recipe = { host, settings, mode, route: {} };
    const pool = poolOf(host, (signal) => connect(recipe, signal));
    const guard = new Guard(allowedFunctions(envelope.settings.allow_functions));
    return new MysqlClient(new Database(pool, guard));
  },
};

/** What the driver can do. */
export class MysqlClient
  implements
    BackendClient<MysqlRequest>,
    Streams<MysqlRequest>,
    Transacts<MysqlRequest>,
    Leases<MysqlRequest>,
    Inspects
{
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  run(request: MysqlRequest, call: Call): Promise<Buffer> {
    const database = this.#database;
    return database.call(call.mode, call.signal, (connection) =>
      runRequest({ database, connection, call, place: 'call' }, request),
    );
  }

  stream(request: MysqlRequest, call: Call): AsyncIterable<Uint8Array> {
    return streamRows(this.#database, request, call);
  }

  transact(requests: readonly MysqlRequest[], call: Call): Promise<Buffer> {
    const database = this.#database;
    return database.call('write', call.signal, (connection) =>
      runTransaction({ database, connection, call, place: 'transaction' }, requests),
    );
  }

  async lease(call: Call): Promise<Lease<MysqlRequest>> {
    const database = this.#database;
    const connection = await database.borrow(call.signal);
    return new ConnectionLease(database, connection, async (request: MysqlRequest, call) => {
      const { value } = await runRequest({ database, connection, call, place: 'lease' }, request);
      return value;
    });
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    return this.#database.call('read', call.signal, async (connection) => ({
      value: await inspectTables((query, values) => connection.rows(query, values), page),
      traces: 'none',
    }));
  }

  ping(call: Call): Promise<number> {
    return this.#database.call('read', call.signal, async (connection) => {
      const start = performance.now();
      await connection.ping();
      return { value: performance.now() - start, traces: 'none' };
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
