/** One pool's database: its connections, and what its reads may call. */

import type { AllowGuard } from '../../../kinds/mysql/dialect/allow-guard.ts';
import type { AllowedFunctions } from '../../../kinds/mysql/dialect/allowed-functions.ts';
import { Guard } from '../../../kinds/mysql/dialect/guard.ts';
import { Plans } from '../../../kinds/mysql/dialect/plans.ts';
import { SetterGuard } from '../../../kinds/mysql/dialect/setter-guard.ts';
import { HiddenTraces } from '../../../kinds/mysql/dialect/traces.ts';
import type { ConnectionPool } from '../driver.ts';
import { Lender, type Traces } from '../lender.ts';
import type { Connection } from './connection.ts';

/** Lends connections to calls; what the server reports about them counts besides what a call says it left. */
export class Database extends Lender<Connection> {
  readonly guard: Guard;
  readonly setters: SetterGuard;
  /** Undefined where requests may name everything. */
  readonly allowGuard: AllowGuard | undefined;
  readonly hidden = new HiddenTraces();
  readonly plans = new Plans();

  constructor(
    pool: ConnectionPool<Connection>,
    allowed: AllowedFunctions,
    allowGuard?: AllowGuard,
  ) {
    super(pool);
    this.guard = new Guard(allowed);
    this.setters = new SetterGuard(allowed);
    this.allowGuard = allowGuard;
  }

  override giveBack(connection: Connection, traces: Traces): void {
    const { inTransaction, sessionChanged } = connection.wire;
    const untold = traces !== 'unusable' && (inTransaction || sessionChanged);
    connection.named.clear();
    super.giveBack(connection, untold ? 'some' : traces);
  }
}
