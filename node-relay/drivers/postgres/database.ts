/** One pool's database: its connections, and what was learned of it. */

import { LruMap } from '../../../dialects/lru-map.ts';
import type { Guard } from '../../../dialects/postgres/guard.ts';
import { Shapes } from '../../../dialects/postgres/rows.ts';
import { TypeRegistry } from '../../../dialects/postgres/types.ts';
import type { ConnectionPool } from '../driver.ts';
import { Lender } from '../lend.ts';
import type { Connection } from './connection.ts';

/** Lends connections to calls, with what was learned of the database they reach. */
export class Database extends Lender<Connection> {
  readonly types = new TypeRegistry();
  readonly shapes = new Shapes(this.types);
  readonly guard: Guard;
  /** Parameter types by statement text. */
  readonly parameterTypes = new LruMap<string, readonly number[]>(2_000);

  constructor(pool: ConnectionPool<Connection>, guard: Guard) {
    super(pool);
    this.guard = guard;
  }
}
