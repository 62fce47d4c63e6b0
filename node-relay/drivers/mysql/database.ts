/** One pool's database: its connections, and what its reads may call. */

import type { Guard } from '../../../kinds/mysql/dialect/guard.ts';
import { HiddenTraces } from '../../../kinds/mysql/dialect/traces.ts';
import type { ConnectionPool } from '../driver.ts';
import { Lender, type Traces } from '../lend.ts';
import type { Connection } from './connection.ts';

/** Lends connections to calls; what the server reports about them counts beside what a call says it left. */
export class Database extends Lender<Connection> {
  readonly guard: Guard;
  readonly hidden = new HiddenTraces();

  constructor(pool: ConnectionPool<Connection>, guard: Guard) {
    super(pool);
    this.guard = guard;
  }

  override giveBack(connection: Connection, traces: Traces): void {
    const { inTransaction, sessionChanged } = connection.wire;
    const untold = traces !== 'unusable' && (inTransaction || sessionChanged);
    super.giveBack(connection, untold ? 'some' : traces);
  }
}
