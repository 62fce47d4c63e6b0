/** The table that marks of writes are kept in. Spec: transactions.md §7. */

import { DatabaseError } from 'pg';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import { quotedName } from '../../../kinds/postgres/dialect/inner-query.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { ONCE_KEPT_MS, type OnceMark } from '../../../proto/once.ts';
import { lacksPlace, PURGE_STEP } from '../once.ts';
import type { Connection } from './connection.ts';
import { statementMessages } from './messages.ts';
import { OwnRows } from './own-rows.ts';

const KEPT = `pg_catalog.make_interval(secs => ${ONCE_KEPT_MS / 1000})`;
const NOW = 'pg_catalog.clock_timestamp()';
/** Marks that were made before no longer hold. */
const OLDEST = `(${NOW} OPERATOR(pg_catalog.-) ${KEPT})`;

/** unique_violation. Source: PostgreSQL manual, appendix A. */
const TAKEN = '23505';

/** The table by its whole name, which means the same whatever a search path says. */
export class OnceTable {
  /** As it is in statements. */
  readonly name: string;

  private constructor(name: string) {
    this.name = name;
  }

  /** Finds it, or makes it. @throws GatewayError BAD_REQUEST with the statement that makes it */
  static async open(connection: Connection, place: string): Promise<OnceTable> {
    const written = place.split('.').map(quotedName).join('.');
    const found = await whole(connection, written);
    if (found !== undefined) return new OnceTable(found);
    try {
      for (const text of making(written)) await ask(connection, { text });
    } catch (cause) {
      if (!(cause instanceof DatabaseError)) throw cause;
      // Another may have made it at the same time.
      const meanwhile = await whole(connection, written);
      if (meanwhile === undefined) throw lacks(place, written, cause);
      return new OnceTable(meanwhile);
    }
    const made = await whole(connection, written);
    if (made === undefined) throw lacks(place, written);
    return new OnceTable(made);
  }

  /** Keeps a mark without a reply; an old one makes room. Its tag says whether it was kept. */
  keep({ key, body }: OnceMark): Statement {
    return {
      text: `INSERT INTO ${this.name} AS kept (id, body, made_at) VALUES ($1, $2, ${NOW})
        ON CONFLICT (id) DO UPDATE SET body = excluded.body, reply = NULL, made_at = excluded.made_at
        WHERE kept.made_at OPERATOR(pg_catalog.<) ${OLDEST}`,
      values: [key, body],
    };
  }

  /** Writes a mark where there is none. */
  leave({ key, body }: OnceMark): Statement {
    return {
      text: `INSERT INTO ${this.name} (id, body, made_at) VALUES ($1, $2, ${NOW})`,
      values: [key, body],
    };
  }

  /** Whether `leave` found one. */
  isTaken(error: unknown): boolean {
    if (!(error instanceof DatabaseError) || error.code !== TAKEN) return false;
    const { schema, table } = error;
    const plain = this.name.replaceAll('"', '');
    return plain === `${schema}.${table}`.replaceAll('"', '');
  }

  /** What is kept under a key: the body's digest, and the reply in hexadecimal digits. */
  look({ key }: Pick<OnceMark, 'key'>): Statement {
    return {
      text: `SELECT body, pg_catalog.encode(reply, 'hex') FROM ${this.name} WHERE id OPERATOR(pg_catalog.=) $1::text`,
      values: [key],
    };
  }

  /** Keeps the reply of a mark. */
  answer({ key }: Pick<OnceMark, 'key'>, reply: Uint8Array): Statement {
    const hex = Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength).toString('hex');
    return {
      text: `UPDATE ${this.name} SET reply = pg_catalog.decode($2, 'hex') WHERE id OPERATOR(pg_catalog.=) $1::text`,
      values: [key, hex],
    };
  }

  /** Removes some old marks. */
  purge(): Statement {
    return {
      text: `DELETE FROM ${this.name} WHERE id IN (SELECT id FROM ${this.name}
        WHERE made_at OPERATOR(pg_catalog.<) ${OLDEST}
        ORDER BY made_at LIMIT ${PURGE_STEP} FOR UPDATE SKIP LOCKED)`,
    };
  }
}

/** What the server lacks that a mark needs, in words. @param cause an error of a statement on the table */
export function lacksOfTable(place: string, cause: DatabaseError): GatewayError {
  const written = place.split('.').map(quotedName).join('.');
  return lacks(place, written, cause);
}

/** Whether an error is about the table: it is not there, not as it should be, or not for this credential. */
export function isAboutTable(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^(?:42|3F|25006)/.test(error.code ?? '');
}

/** Whether the failure of a mark, in words, says that there is no table, or no schema. Source: PostgreSQL manual, appendix A. */
export function isMissingTable(error: unknown): boolean {
  if (!(error instanceof GatewayError) || !(error.cause instanceof DatabaseError)) return false;
  return /^(?:42P01|3F000)$/.test(error.cause.code ?? '');
}

function lacks(place: string, written: string, cause?: DatabaseError): GatewayError {
  const why = cause === undefined ? 'it cannot be found' : `the database says: ${cause.message}`;
  const refusal = lacksPlace(`table ${place}`, why, making(written).join('; '));
  return new GatewayError(refusal.code, refusal.message, { cause, details: refusal.details });
}

function making(written: string): readonly string[] {
  const index = quotedName(
    `${written.replace(/^.*\./, '').replaceAll('"', '')}_made_at`.slice(-63),
  );
  return [
    `CREATE TABLE IF NOT EXISTS ${written} (id text PRIMARY KEY, body text NOT NULL, reply bytea, made_at timestamptz NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS ${index} ON ${written} (made_at)`,
  ];
}

async function whole(connection: Connection, written: string): Promise<string | undefined> {
  const [row] = await ask(connection, {
    text: `SELECT pg_catalog.quote_ident(n.nspname) OPERATOR(pg_catalog.||) '.' OPERATOR(pg_catalog.||) pg_catalog.quote_ident(c.relname)
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
      WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)`,
    values: [written],
  });
  return row?.[0] ?? undefined;
}

/** Under the connection's own settings, whichever way they come. */
async function ask(
  { wire, settings }: Connection,
  statement: Statement,
): Promise<readonly (readonly FieldValue[])[]> {
  const own = new OwnRows();
  await wire.exchange({
    bytes: statementMessages([...settings, statement], 'sync'),
    until: 'ready',
    main: settings.length,
    sink: own,
  });
  return own.rows;
}
