/** What a PostgreSQL server offers to transactions over many databases. Spec: transactions.md §2, §3. */
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call } from '../../../proto/driver.ts';
import type { OnceMark } from '../../../proto/once.ts';
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
import { Lacks } from '../lacks.ts';
import {
  ConnectionParticipant,
  onAnyConnection,
  prepareAtOnce,
  type ShareSteps,
} from '../participant.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import {
  commitPrepared,
  lockWaits,
  recoverPrepared,
  rollbackPrepared,
  statusByNumber,
} from './finish.ts';
import { lacksOf } from './lacks.ts';
import type { OnceTables } from './once-tables.ts';
import { postgresShares } from './share.ts';

/** By PREPARE TRANSACTION, on one pool's database. */
export class PostgresPrepares implements Prepares<PostgresRequest> {
  readonly #database: Database;
  readonly #open: (signal: AbortSignal) => Promise<Connection>;
  readonly #tables: OnceTables;
  readonly #lacks = new Lacks();
  readonly #shares: ShareSteps<PostgresRequest, Connection>;

  /** @param open makes a connection besides those of the pool */
  constructor(
    database: Database,
    open: (signal: AbortSignal) => Promise<Connection>,
    tables: OnceTables,
  ) {
    this.#database = database;
    this.#open = open;
    this.#tables = tables;
    this.#shares = postgresShares({
      database,
      lacks: this.#lacks,
      tables,
      beside: (call, work) => this.#beside(call, work),
    });
  }

  join(beginning: Beginning, call: Call): Promise<PreparingParticipant<PostgresRequest>> {
    return ConnectionParticipant.join(this.#database, this.#shares, beginning, call);
  }

  prepare(
    beginning: Beginning,
    share: Share<PostgresRequest>,
    call: Call,
  ): Promise<Performed & Prepared> {
    return prepareAtOnce(this.#database, this.#shares, { beginning, share, call });
  }

  lacks(call: Call): Promise<readonly Lack[]> {
    return this.#lacks.get(() => this.#beside(call, lacksOf));
  }

  settle(recovery: string, call: Call): Promise<ShareStatus> {
    return this.#beside(call, (connection) => statusByNumber(connection, recovery));
  }

  /** As `KeepsOnce`. */
  settleMark(mark: OnceMark, call: Call): Promise<ShareStatus> {
    return this.#beside(call, (connection) => this.#tables.settle(connection, mark));
  }

  commit(name: string, recovery: string, call: Call): Promise<Finished> {
    return this.#beside(call, (connection) => commitPrepared(connection, name, recovery));
  }

  rollback(name: string, recovery: string, call: Call): Promise<Finished> {
    return this.#beside(call, (connection) => rollbackPrepared(connection, name, recovery));
  }

  recover(prefix: string, call: Call): Promise<readonly PreparedShare[]> {
    return this.#beside(call, (connection) => recoverPrepared(connection, prefix));
  }

  waits(prefix: string, call: Call): Promise<LockWaits> {
    return this.#beside(call, (connection) => lockWaits(connection, prefix));
  }

  #beside<Value>(call: Call, work: (connection: Connection) => Promise<Value>): Promise<Value> {
    return onAnyConnection(this.#database, this.#open, call, work);
  }
}
