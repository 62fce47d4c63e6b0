/** One pool's database: its connections, and what was learned of it. */

import type { AllowedTables } from '../../../kinds/allow.ts';
import { AllowGuard } from '../../../kinds/postgres/dialect/allow-guard.ts';
import { type AllowedFunctions, Guard } from '../../../kinds/postgres/dialect/guard.ts';
import { Shapes } from '../../../kinds/postgres/dialect/rows.ts';
import { SetterGuard } from '../../../kinds/postgres/dialect/setter-guard.ts';
import { TypeRegistry } from '../../../kinds/postgres/dialect/types.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { ConnectionPool } from '../driver.ts';
import { Lender } from '../lender.ts';
import type { Connection } from './connection.ts';

/** Lends connections to calls, with what was learned of the database they reach. */
export class Database extends Lender<Connection> {
  readonly types = new TypeRegistry();
  readonly shapes = new Shapes(this.types);
  readonly guard: Guard;
  readonly setterGuard: SetterGuard;
  /** Undefined where requests may name everything. */
  readonly allowGuard: AllowGuard | undefined;
  /** Parameter types by statement text. */
  readonly parameterTypes = new LruMap<string, readonly number[]>(2_000);

  constructor(
    pool: ConnectionPool<Connection>,
    allowed: AllowedFunctions,
    open: AllowedTables | undefined,
  ) {
    super(pool);
    this.guard = new Guard(allowed);
    this.setterGuard = new SetterGuard(allowed);
    this.allowGuard = open && new AllowGuard(open, allowed);
  }
}
