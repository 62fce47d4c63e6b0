/** Driver of kind `postgres`: PostgreSQL over its own protocol, rows straight to JSON text. */

import { DatabaseError } from 'pg';
import { allowedTables } from '../../../kinds/allow.ts';
import { rolesIn } from '../../../kinds/caller-settings.ts';
import { openPage } from '../../../kinds/open-page.ts';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { allowedFunctions } from '../../../kinds/postgres/dialect/guard.ts';
import { inspectTables } from '../../../kinds/postgres/dialect/inspect.ts';
import { preparedWarnings } from '../../../kinds/postgres/dialect/prepared.ts';
import { roleWarnings } from '../../../kinds/postgres/dialect/role-warnings.ts';
import { credentialWarnings, POOLER_WARNING } from '../../../kinds/postgres/dialect/warnings.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type {
  ChangeBatch,
  Changes,
  ChangesLag,
  ChangesRequest,
  PreparedChanges,
} from '../../../proto/changes.ts';
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
import type { KeepsOnce, OnceAnswer, OnceMark, OnceWork } from '../../../proto/once.ts';
import type {
  Beginning,
  Finished,
  Lack,
  LockWaits,
  Performed,
  Prepared,
  PreparedShare,
  Prepares,
  PreparingParticipant,
  Share,
  ShareStatus,
} from '../../../proto/prepares.ts';
import type { Driver, Host } from '../driver.ts';
import { ConnectionLease } from '../lease.ts';
import { poolOf } from '../lender.ts';
import { PostgresChanges } from './changes/index.ts';
import type { Recipe } from './connection.ts';
import { Database } from './database.ts';
import { endsConnection } from './errors.ts';
import type { Execution } from './execute.ts';
import { connect } from './log-in.ts';
import { PostgresOnce } from './once.ts';
import { OnceTables } from './once-tables.ts';
import './parser.ts';
import { settingsOf } from '../../../kinds/postgres/dialect/settings.ts';
import { refuseBehindPooler } from './pooler.ts';
import { PostgresPrepares } from './prepares.ts';
import { runRequest } from './run.ts';
import { streamWithStatements, withStatements } from './statement-reader.ts';
import { streamRows } from './stream.ts';
import { runTransaction } from './transact.ts';

/** Clients of PostgreSQL. Contract §5, §6. */
export const postgres: Driver<PostgresRequest, PostgresClient> = {
  async open({ envelope, mode }: Target, host: Host): Promise<PostgresClient> {
    const settings = settingsOf(envelope.connection);
    const recipe: Recipe = { host, settings, mode, route: { startupSettings: true } };
    const open = (signal: AbortSignal) => connect(recipe, signal);
    const allowed = allowedFunctions(envelope.settings.allow_functions);
    const opened = allowedTables(envelope.settings.allow);
    const database = new Database(poolOf(host, open), allowed, opened);
    const tables = new OnceTables();
    return new PostgresClient(database, {
      changes: new PostgresChanges(database, host, recipe),
      prepares: new PostgresPrepares(database, open, tables),
      once: new PostgresOnce(database, tables),
      use: envelope.use ?? 'all',
      roles: rolesIn(envelope.settings.session),
    });
  },
};

/** A server that is only like PostgreSQL may not know what is asked. */
function unlessRefused(error: unknown): readonly Warning[] {
  if (error instanceof DatabaseError && !endsConnection(error)) return [];
  throw error;
}

/** What a client is made of beside its database. */
interface ClientParts {
  readonly changes: PostgresChanges;
  readonly prepares: PostgresPrepares;
  readonly once: PostgresOnce;
  readonly use: ConnectionUse;
  /** That `config.session` names. */
  readonly roles: readonly string[];
}

/** What the driver can do. */
export class PostgresClient
  implements
    BackendClient<PostgresRequest>,
    Streams<PostgresRequest>,
    Transacts<PostgresRequest>,
    Leases<PostgresRequest>,
    Inspects,
    Warns,
    Changes,
    Prepares<PostgresRequest>,
    KeepsOnce<PostgresRequest>
{
  readonly hasColumns = true;
  readonly #database: Database;
  readonly #changes: PostgresChanges;
  readonly #prepares: PostgresPrepares;
  readonly #once: PostgresOnce;
  readonly #use: ConnectionUse;
  readonly #roles: readonly string[];

  constructor(database: Database, { changes, prepares, once, use, roles }: ClientParts) {
    this.#database = database;
    this.#changes = changes;
    this.#prepares = prepares;
    this.#once = once;
    this.#use = use;
    this.#roles = roles;
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

  once(work: OnceWork<PostgresRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    return this.#once.once(work, mark, call);
  }

  settleMark(mark: OnceMark, _recovery: string, call: Call): Promise<ShareStatus> {
    return this.#prepares.settleMark(mark, call);
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

  join(beginning: Beginning, call: Call): Promise<PreparingParticipant<PostgresRequest>> {
    return this.#prepares.join(beginning, call);
  }

  prepare(
    beginning: Beginning,
    share: Share<PostgresRequest>,
    call: Call,
  ): Promise<Performed & Prepared> {
    return this.#prepares.prepare(beginning, share, call);
  }

  lacks(call: Call): Promise<readonly Lack[]> {
    return this.#prepares.lacks(call);
  }

  settle(recovery: string, call: Call): Promise<ShareStatus> {
    return this.#prepares.settle(recovery, call);
  }

  commit(name: string, recovery: string, call: Call): Promise<Finished> {
    return this.#prepares.commit(name, recovery, call);
  }

  rollback(name: string, recovery: string, call: Call): Promise<Finished> {
    return this.#prepares.rollback(name, recovery, call);
  }

  recover(prefix: string, call: Call): Promise<readonly PreparedShare[]> {
    return this.#prepares.recover(prefix, call);
  }

  waits(prefix: string, call: Call): Promise<LockWaits> {
    return this.#prepares.waits(prefix, call);
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    const { types } = this.#database;
    return this.#database.call('read', call.signal, async (connection) => {
      const asks = {
        catalog: (statement: Statement) => connection.catalogRows(statement),
        types: (statement: Statement) => connection.rows(statement),
      };
      const isOpen = await this.#database.allowGuard?.openedTo(asks.types);
      const value = await openPage(page, isOpen, (each) =>
        inspectTables(asks, types, each, call.resultMaxBytes),
      );
      return { value, traces: 'none' };
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
      const found = [
        ...(await credentialWarnings(ask, this.#use)),
        ...(await preparedWarnings(ask).catch(unlessRefused)),
        ...(await roleWarnings(ask, this.#roles, this.#use).catch(unlessRefused)),
      ];
      return {
        value: connection.pooled ? [...found, POOLER_WARNING] : found,
        traces: 'none',
      };
    });
  }

  prepareChanges(request: ChangesRequest, call: Call): Promise<PreparedChanges> {
    return this.#changes.prepareChanges(request, call);
  }

  changes(
    request: ChangesRequest,
    position: string | undefined,
    call: Call,
  ): AsyncIterable<ChangeBatch> {
    return this.#changes.changes(request, position, call);
  }

  acknowledgeChanges(slot: string, position: string): boolean {
    return this.#changes.acknowledgeChanges(slot, position);
  }

  dropChanges(slot: string, call: Call): Promise<boolean> {
    return this.#changes.dropChanges(slot, call);
  }

  changesLag(slot: string, call: Call): Promise<ChangesLag> {
    return this.#changes.changesLag(slot, call);
  }

  async close(): Promise<void> {
    await Promise.all([this.#changes.close(), this.#database.close()]);
  }
}
