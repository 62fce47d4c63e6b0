/** Driver of kind `postgres`: PostgreSQL over its own protocol, rows straight to JSON text. */

import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { allowedFunctions, Guard } from '../../../kinds/postgres/dialect/guard.ts';
import { inspectTables } from '../../../kinds/postgres/dialect/inspect.ts';
import { credentialWarnings, POOLER_WARNING } from '../../../kinds/postgres/dialect/warnings.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type {
  BackendClient,
  Call,
  ConnectionUse,
  InspectedTables,
  InspectPage,
  Inspects,
  Lease,
  Leases,
  Streams,
  Target,
  Transacts,
  Warning,
  Warns,
} from '../../../proto/driver.ts';
import type { Driver, Host } from '../driver.ts';
import { ConnectionLease } from '../lease.ts';
import { poolOf } from '../lend.ts';
import type { Recipe } from './connection.ts';
import { Database } from './database.ts';
import type { Execution } from './execute.ts';
import { connect } from './log-in.ts';
import './parser.ts';
import { settingsOf } from '../../../kinds/postgres/dialect/settings.ts';
import { refuseBehindPooler } from './pooler.ts';
import { runRequest } from './run.ts';
import { streamWithStatements, withStatements } from './statement-reader.ts';
import { streamRows } from './stream.ts';
import { runTransaction } from './transact.ts';

/** Clients of PostgreSQL. Contract §5, §6. */
export const postgres: Driver<PostgresRequest, PostgresClient> = {
  async open({ envelope, mode }: Target, host: Host): Promise<PostgresClient> {
    const settings = settingsOf(envelope.connection);
    const recipe: Recipe = { host, settings, mode, route: { startupSettings: true } };
    const pool = poolOf(host, (signal) => connect(recipe, signal));
    const guard = new Guard(allowedFunctions(envelope.settings.allow_functions));
    return new PostgresClient(new Database(pool, guard), envelope.use ?? 'all');
  },
};

/** What the driver can do. */
export class PostgresClient
  implements
    BackendClient<PostgresRequest>,
    Streams<PostgresRequest>,
    Transacts<PostgresRequest>,
    Leases<PostgresRequest>,
    Inspects,
    Warns
{
  readonly #database: Database;
  readonly #use: ConnectionUse;

  constructor(database: Database, use: ConnectionUse) {
    this.#database = database;
    this.#use = use;
  }

  run(request: PostgresRequest, call: Call): Promise<Buffer> {
    const database = this.#database;
    return withStatements([request], call.signal, () =>
      database.call(call.mode, call.signal, (connection) =>
        runRequest({ database, connection, call, place: 'call' }, request),
      ),
    );
  }

  stream(request: PostgresRequest, call: Call): AsyncIterable<Uint8Array> {
    return streamWithStatements([request], call.signal, () =>
      streamRows(this.#database, request, call),
    );
  }

  transact(requests: readonly PostgresRequest[], call: Call): Promise<Buffer> {
    const database = this.#database;
    return withStatements(requests, call.signal, () =>
      database.call('write', call.signal, (connection) =>
        runTransaction({ database, connection, call, place: 'transaction' }, requests),
      ),
    );
  }

  async lease(call: Call): Promise<Lease<PostgresRequest>> {
    const database = this.#database;
    const connection = await database.borrow(call.signal);
    if (connection.pooled) database.giveBack(connection, 'none');
    refuseBehindPooler(connection, 'Sessions are');
    return new ConnectionLease(database, connection, async (request: PostgresRequest, call) => {
      const execution: Execution = { database, connection, call, place: 'lease' };
      return withStatements([request], call.signal, async () => {
        const { value } = await runRequest(execution, request);
        return value;
      });
    });
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    const { types } = this.#database;
    return this.#database.call('read', call.signal, async (connection) => {
      const asks = {
        catalog: (statement: Statement) => connection.catalogRows(statement),
        types: (statement: Statement) => connection.rows(statement),
      };
      return { value: await inspectTables(asks, types, page, call.resultMaxBytes), traces: 'none' };
    });
  }

  ping(call: Call): Promise<number> {
    return this.#database.call('read', call.signal, async (connection) => {
      const start = performance.now();
      await connection.rows({ text: 'SELECT 1' });
      return { value: performance.now() - start, traces: 'none' };
    });
  }

  warnings(call: Call): Promise<readonly Warning[]> {
    return this.#database.call('read', call.signal, async (connection) => {
      const ask = (statement: Statement) => connection.catalogRows(statement);
      const found = await credentialWarnings(ask, this.#use);
      return {
        value: connection.pooled ? [...found, POOLER_WARNING] : found,
        traces: 'none',
      };
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
