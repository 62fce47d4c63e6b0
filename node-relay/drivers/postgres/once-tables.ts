/** The tables of marks that one pool knows, and what marks in them say. Spec: transactions.md §2, §7. */
import { DatabaseError } from 'pg';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { OWN_ROLE } from '../../../kinds/postgres/dialect/caller-settings.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { OnceMark } from '../../../proto/once.ts';
import type { ShareStatus } from '../../../proto/prepares.ts';
import { forestalling, statusOfBody } from '../once.ts';
import type { Connection } from './connection.ts';
import { statementMessages } from './messages.ts';
import { OnceTable } from './once-table.ts';

/** Places remembered at a time: an endpoint has one. */
const PLACES_MAX = 4;
/** A transaction that another one made impossible: of a mark, another call with its key. Source: PostgreSQL manual, appendix A. */
const CONTENDED = new Set(['40001', '40P01']);

/** What is the connection's own is done as it logged in, whatever role a statement ran as. */
const TO_OWN_ROLE: readonly Statement[] = [
  {
    text: "SELECT pg_catalog.set_config('causeway.role', pg_catalog.current_setting('role'), true)",
  },
  OWN_ROLE,
];
const TO_CALLERS_ROLE: Statement = {
  text: "SELECT pg_catalog.set_config('role', pg_catalog.current_setting('causeway.role'), true)",
};

/** A statement of the connection's own in a caller's transaction; what runs at COMMIT is the caller's again. */
export function asItself(statement: Statement): readonly Statement[] {
  return [...TO_OWN_ROLE, statement, TO_CALLERS_ROLE];
}

/** Whether another call with the same key stood in the way. */
export function isContended(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && CONTENDED.has(error.code ?? '');
}

/** Those of one pool. */
export class OnceTables {
  readonly #known = new LruMap<string, OnceTable>(PLACES_MAX);

  /** @throws GatewayError BAD_REQUEST with the statement that makes it */
  async at(connection: Connection, place: string): Promise<OnceTable> {
    const known = this.#known.get(place);
    if (known) return known;
    const table = await OnceTable.open(connection, place);
    this.#known.set(place, table);
    return table;
  }

  /** It is looked for again. */
  forget(place: string): void {
    this.#known.delete(place);
  }

  /** What a mark says; one that is not there never comes after that. */
  async settle(connection: Connection, mark: OnceMark): Promise<ShareStatus> {
    const table = await this.at(connection, mark.place);
    const before = connection.settings;
    try {
      // It waits for one that is written and not committed.
      const tag = await connection.wire.exchange({
        bytes: statementMessages([...before, table.keep(forestalling(mark))], 'sync'),
        until: 'ready',
        main: before.length,
      });
      if (tag !== 'INSERT 0 0') return 'rolled_back';
    } catch (error) {
      if (isContended(error)) return 'open';
      this.forget(mark.place);
      throw error;
    }
    const [row] = await connection.rows(table.look(mark));
    const [body] = row ?? [];
    return statusOfBody(typeof body === 'string' ? body : undefined, mark);
  }
}
