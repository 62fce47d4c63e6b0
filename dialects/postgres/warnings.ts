/** What a credential lets its bearer do that an endpoint had better not, and the SQL that mends it. */
import type { Warning } from '../../proto/driver.ts';
import type { AskRows, Statement } from './ask.ts';
import type { FieldValue } from './encode.ts';

/** Names beyond these are left to whoever runs the statements. */
const NAMES_MAX = 10;

/** Relations that users made and that /read may read. */
const RELATIONS = `pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid >= 16384 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_(?:toast|temp)'`;
const OWNED = "pg_catalog.pg_has_role(c.relowner, 'USAGE')";

/** Answers one row; names come quoted as identifiers. To be run with `search_path` on pg_catalog. */
const STANDING: Statement = {
  text: `SELECT r.rolsuper, r.rolbypassrls,
    quote_ident(r.rolname), quote_ident(left(r.rolname, 57) || '_read'), quote_ident(current_database()),
    (SELECT count(*) FROM ${RELATIONS} AND ${OWNED}),
    (SELECT json_agg(x.name) FROM (SELECT DISTINCT quote_ident(n.nspname) AS name FROM ${RELATIONS} ORDER BY 1 LIMIT ${NAMES_MAX}) x),
    (SELECT json_agg(x.name) FROM (SELECT concat(quote_ident(n.nspname), '.', quote_ident(c.relname)) AS name FROM ${RELATIONS}
      AND ${OWNED} AND c.relrowsecurity AND NOT c.relforcerowsecurity ORDER BY 1 LIMIT ${NAMES_MAX}) x)
  FROM pg_catalog.pg_roles r WHERE r.rolname = current_user`,
};

/** What is known of the role that a connection has. */
interface Standing {
  readonly superuser: boolean;
  readonly bypasses: boolean;
  /** Quoted, as all names here. */
  readonly role: string;
  readonly reader: string;
  readonly database: string;
  /** How many relations it owns. */
  readonly owned: number;
  readonly schemas: readonly string[];
  /** Tables of its own whose row-level security does not count for their owner. */
  readonly unforced: readonly string[];
}

/**
 * Warns of the role that a connection has. Spec: keys and doors §5.
 * @param ask looks up in the catalog, with `search_path` on pg_catalog
 */
export async function credentialWarnings(ask: AskRows): Promise<Warning[]> {
  const [row] = await ask(STANDING);
  return row ? warningsOf(standingOf(row)) : [];
}

/** Warns of a pooler that lends connections to transactions. */
export const POOLER_WARNING: Warning = {
  code: 'POOLER_TRANSACTION_MODE',
  message:
    'A pooler in transaction mode, such as PgBouncer, stands before the server: sessions, statements that set ' +
    'something and functions of users are 501 here. No SQL mends that: name the host and port of the server ' +
    'itself in the configuration.',
};

function standingOf(row: readonly FieldValue[]): Standing {
  const [superuser, bypasses, role, reader, database, owned, schemas, unforced] = row;
  return {
    superuser: superuser === 't',
    bypasses: bypasses === 't',
    role: role ?? '',
    reader: reader ?? '',
    database: database ?? '',
    owned: Number(owned),
    schemas: namesOf(schemas),
    unforced: namesOf(unforced),
  };
}

function namesOf(list: FieldValue | undefined): readonly string[] {
  const names: unknown = JSON.parse(list ?? '[]');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function warningsOf(standing: Standing): Warning[] {
  const { superuser, bypasses, role, owned, unforced } = standing;
  const mend = `Make a role that reads and no more, and name it in read_conn: ${readRole(standing)}`;
  if (superuser) {
    const message = `The credential is a superuser's: the database refuses it nothing, and no row-level security counts. ${mend}`;
    return [{ code: 'CREDENTIAL_SUPERUSER', message }];
  }
  const warnings: Warning[] = [];
  if (owned > 0) {
    const forced = unforced.map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`);
    const also =
      forced.length > 0
        ? ` Row-level security that counts for the owner, too: ${forced.join(' ')}`
        : '';
    const message = `The credential owns ${owned === 1 ? 'a table or view' : `${owned} tables and views`} that it reads: it may change and drop them, and row-level security does not count for it. ${mend}${also}`;
    warnings.push({ code: 'CREDENTIAL_OWNER', message });
  }
  if (bypasses) {
    const message = `Row-level security does not count for the credential. ALTER ROLE ${role} NOBYPASSRLS; or make a role that reads and no more, and name it in read_conn: ${readRole(standing)}`;
    warnings.push({ code: 'CREDENTIAL_BYPASSES_RLS', message });
  }
  return warnings;
}

/** The statements that make a role which reads and no more. */
function readRole({ role, reader, database, schemas }: Standing): string {
  const each = (schemas.length > 0 ? schemas : ['public']).flatMap((schema) => [
    `GRANT USAGE ON SCHEMA ${schema} TO ${reader};`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${reader};`,
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${role} IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${reader};`,
  ]);
  return [
    `CREATE ROLE ${reader} LOGIN PASSWORD '…' NOSUPERUSER NOBYPASSRLS;`,
    `GRANT CONNECT ON DATABASE ${database} TO ${reader};`,
    ...each,
  ].join(' ');
}
