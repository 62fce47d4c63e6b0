/** Driver of kind `mysql`: MySQL and MariaDB over their own protocol, rows straight to JSON text. */

import { allowedTables } from '../../../kinds/allow.ts';
import { AllowGuard } from '../../../kinds/mysql/dialect/allow-guard.ts';
import { allowedFunctions } from '../../../kinds/mysql/dialect/allowed-functions.ts';
import { inspectTables } from '../../../kinds/mysql/dialect/inspect.ts';
import { settingsOf } from '../../../kinds/mysql/dialect/settings.ts';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import { openPage } from '../../../kinds/open-page.ts';
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
  InspectedTable,
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
import { orAbort } from '../deadline.ts';
import type { Driver, Host } from '../driver.ts';
import { ConnectionLease } from '../lease.ts';
import { attempt, poolOf, type Traces } from '../lender.ts';
import { ConnectionParticipant, onAnyConnection, prepareAtOnce } from '../participant.ts';
import { MysqlChanges } from './changes/index.ts';
import { type Connection, connect, type Recipe } from './connection.ts';
import { Database } from './database.ts';
import { committing, recoverPrepared, rollbackPrepared, statusOf } from './finish.ts';
import { lacksOf } from './lacks.ts';
import { MysqlOnce } from './once.ts';
import { settleMark } from './once-marks.ts';
import { runRequest } from './run.ts';
import { mysqlShares } from './share.ts';
import { ShareParts } from './share-parts.ts';
import { streamRows } from './stream.ts';
import { runTransaction } from './transact.ts';
import { preparedWarnings } from './warnings.ts';

/** Clients of MySQL and MariaDB. Contract §5, §6. */
export const mysql: Driver<MysqlRequest, MysqlClient> = {
  async open({ envelope, mode }: Target, host: Host): Promise<MysqlClient> {
    const settings = settingsOf(envelope.connection);
    const recipe: Recipe = { host, settings, mode, route: {} };
    const open = (signal: AbortSignal) => connect(recipe, signal);
    const allowed = allowedFunctions(envelope.settings.allow_functions);
    const opened = allowedTables(envelope.settings.allow);
    const allowGuard = opened && new AllowGuard(opened, allowed, settings.database);
    const database = new Database(poolOf(host, open), allowed, allowGuard);
    return new MysqlClient(database, new MysqlChanges(database, host), open);
  },
};

/** What the driver can do. */
export class MysqlClient
  implements
    BackendClient<MysqlRequest>,
    Streams<MysqlRequest>,
    Transacts<MysqlRequest>,
    Leases<MysqlRequest>,
    Inspects,
    Warns,
    Prepares<MysqlRequest>,
    KeepsOnce<MysqlRequest>,
    Changes
{
  readonly hasColumns = true;
  readonly #database: Database;
  readonly #changes: MysqlChanges;
  readonly #open: (signal: AbortSignal) => Promise<Connection>;
  readonly #parts: ShareParts;
  readonly #once: MysqlOnce;

  /** @param open makes a connection besides those of the pool */
  constructor(
    database: Database,
    changes: MysqlChanges,
    open: (signal: AbortSignal) => Promise<Connection>,
  ) {
    this.#database = database;
    this.#changes = changes;
    this.#open = open;
    this.#parts = new ShareParts(database, (call, work) => this.#finish(call, work));
    this.#once = new MysqlOnce(database);
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

  once(work: OnceWork<MysqlRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    return this.#once.once(work, mark, call);
  }

  settleMark(mark: OnceMark, _recovery: string, call: Call): Promise<ShareStatus> {
    return this.#finish(call, (connection) => settleMark(connection, mark));
  }

  async lease(call: Call): Promise<Lease<MysqlRequest>> {
    const database = this.#database;
    const connection = await database.borrow(call.signal);
    return new ConnectionLease(database, connection, async (request: MysqlRequest, call) => {
      const { value } = await runRequest({ database, connection, call, place: 'lease' }, request);
      return value;
    });
  }

  join(beginning: Beginning, call: Call): Promise<PreparingParticipant<MysqlRequest>> {
    return ConnectionParticipant.join(this.#database, mysqlShares(this.#parts), beginning, call);
  }

  prepare(
    beginning: Beginning,
    share: Share<MysqlRequest>,
    call: Call,
  ): Promise<Performed & Prepared> {
    const work = { beginning, share, call };
    return prepareAtOnce(this.#database, mysqlShares(this.#parts), work);
  }

  lacks(call: Call): Promise<readonly Lack[]> {
    return this.#parts.lacks.get(() => this.#finish(call, lacksOf));
  }

  settle(recovery: string, call: Call): Promise<ShareStatus> {
    return this.#finish(call, (connection) => statusOf(connection, recovery));
  }

  commit(name: string, _recovery: string, call: Call): Promise<Finished> {
    return this.#end(name, call, committing());
  }

  rollback(name: string, _recovery: string, call: Call): Promise<Finished> {
    return this.#end(name, call, rollbackPrepared);
  }

  recover(prefix: string, call: Call): Promise<readonly PreparedShare[]> {
    return this.#finish(call, (connection) => recoverPrepared(connection, prefix));
  }

  waits(prefix: string, call: Call): Promise<LockWaits> {
    const look = this.#parts.looks.look(prefix, (signal, work) =>
      onAnyConnection(this.#database, this.#open, { mode: call.mode, signal }, work),
    );
    return orAbort(look, call.signal);
  }

  warnings(call: Call): Promise<readonly Warning[]> {
    return this.#finish(call, (connection) => preparedWarnings(connection));
  }

  /** On the connection that prepared it, where that is still there. */
  async #end(
    name: string,
    call: Call,
    finish: (connection: Connection, name: string) => Promise<Finished>,
  ): Promise<Finished> {
    const held = this.#parts.held.take(name);
    if (held === undefined) return this.#finish(call, (connection) => finish(connection, name));
    const { connection, left } = held;
    let traces: Traces = 'some';
    try {
      const ended = await attempt(connection, 'write', call.signal, () => finish(connection, name));
      traces = afterShare(connection, left);
      return ended;
    } catch (error) {
      if (connection.wire.lost === undefined || connection.interrupted) throw error;
      return await this.#finish(call, (each) => finish(each, name));
    } finally {
      this.#database.giveBack(connection, traces);
    }
  }

  #finish<Value>(call: Call, work: (connection: Connection) => Promise<Value>): Promise<Value> {
    return onAnyConnection(this.#database, this.#open, call, work);
  }

  inspect(page: InspectPage, call: Call): Promise<InspectedTables> {
    const { allowGuard } = this.#database;
    const isOpen = allowGuard && ((table: InspectedTable) => allowGuard.opens(table));
    return this.#database.call('read', call.signal, async (connection) => ({
      value: await openPage(page, isOpen, (each) =>
        inspectTables((query, values) => connection.rows(query, values), each),
      ),
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

  acknowledgeChanges(slot: string): boolean {
    return this.#changes.acknowledgeChanges(slot);
  }

  dropChanges(): Promise<boolean> {
    return this.#changes.dropChanges();
  }

  changesLag(): Promise<ChangesLag> {
    return this.#changes.changesLag();
  }

  close(): Promise<void> {
    this.#parts.held.close();
    return this.#database.close();
  }
}

/** What a share that has ended leaves on its connection, once what the driver has set for it is taken back. */
function afterShare(connection: Connection, left: readonly Traces[]): Traces {
  if (left.some((each) => each === 'some' || each === 'unusable')) return 'some';
  return {
    async ask() {
      // The lock first: while it is held, a repeated commit is told that the share is open.
      if (!(await connection.endShare())) return true;
      for (const each of left) if (typeof each === 'object' && (await each.ask())) return true;
      return false;
    },
  };
}
