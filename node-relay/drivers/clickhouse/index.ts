/** Driver of kind `clickhouse`: ClickHouse over its HTTP interface, rows straight to JSON text. */

import { allowedTables } from '../../../kinds/allow.ts';
import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
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
} from '../../../proto/driver.ts';
import type { ConnectionMaker, Driver, Host } from '../driver.ts';
import { watchedPool } from '../watched-pool.ts';
import { AllowGuard } from './allow-guard.ts';
import { Connection, type Recipe } from './connection.ts';
import { Database } from './database.ts';
import { runRequest } from './execute.ts';
import { allowedFunctions } from './guard.ts';
import { inspectTables } from './inspect.ts';
import { settingsOf } from './settings.ts';
import { streamRows } from './stream.ts';

/** The server's own, where a connection names none. */
const DEFAULT_DATABASE = 'default';

/** Clients of ClickHouse; it has neither transactions nor leases. Contract §5, §6. */
export const clickhouse: Driver<ClickhouseRequest, ClickhouseClient> = {
  async open({ envelope }: Target, host: Host): Promise<ClickhouseClient> {
    const settings = settingsOf(envelope.connection);
    const recipe: Recipe = { host, settings };
    const maker: ConnectionMaker<Connection> = {
      open: (signal) => Connection.open(recipe, signal),
      close: (connection) => connection.close(),
    };
    const pool = watchedPool(host, maker, (connection) => connection);
    const allowed = allowedFunctions(envelope.settings.allow_functions);
    const opened = allowedTables(envelope.settings.allow);
    const home = settings.database || DEFAULT_DATABASE;
    const allowGuard = opened && new AllowGuard(opened, allowed, home);
    return new ClickhouseClient(new Database(pool, settings, allowed), allowGuard);
  },
};

/** What the driver can do. */
export class ClickhouseClient
  implements BackendClient<ClickhouseRequest>, Streams<ClickhouseRequest>, Inspects
{
  readonly hasColumns = true;
  readonly #database: Database;
  /** Undefined where requests may name everything. */
  readonly #allowGuard: AllowGuard | undefined;

  constructor(database: Database, allowGuard: AllowGuard | undefined) {
    this.#database = database;
    this.#allowGuard = allowGuard;
  }

  async run(request: ClickhouseRequest, call: Call): Promise<Buffer> {
    await this.#allowGuard?.admit(this.#database, request, call);
    return runRequest(this.#database, request, call);
  }

  async *stream(request: ClickhouseRequest, call: Call): AsyncIterable<Uint8Array> {
    await this.#allowGuard?.admit(this.#database, request, call);
    yield* streamRows(this.#database, request, call);
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    const guard = this.#allowGuard;
    const isOpen = guard && ((table: InspectedTable) => guard.opens(table));
    return openPage(page, isOpen, (each) => inspectTables(this.#database, each, call));
  }

  async ping(call: Call): Promise<number> {
    const request = { type: 'query', query: 'SELECT 1' } as const;
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
