/** Warnings about a credential that may do more than an endpoint should, and the SQL that mends it. */
import type { ConnectionUse, Warning } from '../../../proto/driver.ts';
import type { AskRows, Statement } from './ask.ts';
import type { FieldValue } from './encode.ts';

/** Most schemas and tables that the SQL names. The operator adds the others. */
const NAMES_MAX = 10;

/** Relations that users made and that /read may read. */
const RELATIONS = `pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid >= 16384 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_(?:toast|temp)'`;
const OWNED = "pg_catalog.pg_has_role(c.relowner, 'USAGE')";

/** Answers one row; names come quoted as identifiers. Run it with `search_path` set to pg_catalog. */
const ROLE: Statement = {
  text: `SELECT r.rolsuper, r.rolbypassrls,
    quote_ident(r.rolname), quote_ident(left(r.rolname, 57) || '_read'), quote_ident(left(r.rolname, 56) || '_write'),
    quote_ident(current_database()),
    (SELECT count(*) FROM ${RELATIONS} AND ${OWNED}),
    (SELECT json_agg(x.name) FROM (SELECT DISTINCT quote_ident(n.nspname) AS name FROM ${RELATIONS} ORDER BY 1 LIMIT ${NAMES_MAX}) x),
    (SELECT json_agg(x.name) FROM (SELECT concat(quote_ident(n.nspname), '.', quote_ident(c.relname)) AS name FROM ${RELATIONS}
      AND ${OWNED} AND c.relrowsecurity AND NOT c.relforcerowsecurity ORDER BY 1 LIMIT ${NAMES_MAX}) x)
  FROM pg_catalog.pg_roles r WHERE r.rolname = current_user`,
};

/** What is known of the role that a connection has. */
interface Role {
  readonly superuser: boolean;
  readonly bypasses: boolean;
  /** Quoted, as all names here. */
  readonly role: string;
  readonly reader: string;
  readonly writer: string;
  readonly database: string;
  /** How many relations it owns. */
  readonly owned: number;
  readonly schemas: readonly string[];
  /** Tables of its own whose row-level security does not count for their owner. */
  readonly unforced: readonly string[];
}

/**
 * Warns of the role that a connection has. keys-and-doors.md §5.
 * @param ask looks up in the catalog, with `search_path` on pg_catalog
 * @param use of a connection that does not read, an owner is warned of only where row-level security does not bind it
 */
export async function credentialWarnings(ask: AskRows, use: ConnectionUse): Promise<Warning[]> {
  const [row] = await ask(ROLE);
  return row ? warningsOf(roleOf(row), use) : [];
}

/** Warns of a pooler that lends connections to transactions. */
export const POOLER_WARNING: Warning = {
  code: 'POOLER_TRANSACTION_MODE',
  message:
    'A pooler in transaction mode, such as PgBouncer, stands before the server: sessions, statements that set ' +
    'something and functions of users are 501 here. No SQL mends that: name the host and port of the server ' +
    'itself in the configuration.',
};

function roleOf(row: readonly FieldValue[]): Role {
  const [superuser, bypasses, role, reader, writer, database, owned, schemas, unforced] = row;
  return {
    superuser: superuser === 't',
    bypasses: bypasses === 't',
    role: role ?? '',
    reader: reader ?? '',
    writer: writer ?? '',
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

/** Members of the configuration that name a connection of each use. */
export const MEMBERS: { readonly [use in ConnectionUse]: string } = {
  all: 'write_conn, which also reads,',
  reads: 'read_conn',
  writes: 'write_conn',
  development: 'development_conn',
};

function warningsOf(standing: Role, use: ConnectionUse): Warning[] {
  const { superuser, bypasses, role } = standing;
  const whose = `The role of ${MEMBERS[use]}`;
  const mend = mendOf(standing, use);
  if (superuser) {
    const message = `${whose} is a superuser: the database refuses it nothing, and row-level security does not apply to it. ${mend}`;
    return [{ code: 'CREDENTIAL_SUPERUSER', message }];
  }
  const warnings = ownerWarnings(standing, use, whose);
  if (bypasses) {
    const message = `${whose} has BYPASSRLS: row-level security does not apply to it. Either run ALTER ROLE ${role} NOBYPASSRLS; as an administrator of the database, or use another role. ${mend}`;
    warnings.push({ code: 'CREDENTIAL_BYPASSES_RLS', message });
  }
  return warnings;
}

function ownerWarnings(standing: Role, use: ConnectionUse, whose: string): Warning[] {
  const { owned, unforced } = standing;
  const code = 'CREDENTIAL_OWNER';
  const force = unforced.map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`).join(' ');
  if (use === 'writes') {
    // A connection that only writes may own its tables.
    if (unforced.length === 0) return [];
    const message = `${whose} owns tables whose row-level security does not apply to their owner. The owner can make it apply: ${force}`;
    return [{ code, message }];
  }
  if (owned === 0) return [];
  const what = owned === 1 ? 'a table or view' : `${owned} tables and views`;
  const also =
    force === '' ? '' : ` To make row-level security apply to the owner of its tables: ${force}`;
  const message = `${whose} owns ${what}: it can change and drop them, and row-level security does not apply to it. ${mendOf(standing, use)}${also}`;
  return [{ code, message }];
}

/** Says how to make a role with only the rights that the use needs. */
function mendOf(standing: Role, use: ConnectionUse): string {
  const writes = use === 'writes' || use === 'development';
  const what = writes ? 'reads and writes rows' : 'only reads';
  const member = writes ? MEMBERS[use] : 'read_conn';
  return `Create a role that ${what} (an administrator of the database runs this, with a password in place of …), and name it in ${member}: ${roleStatements(standing, writes)}`;
}

function roleStatements(standing: Role, writes: boolean): string {
  const { role, reader, writer, database, schemas } = standing;
  const made = writes ? writer : reader;
  const rights = writes ? 'SELECT, INSERT, UPDATE, DELETE' : 'SELECT';
  const each = (schemas.length > 0 ? schemas : ['public']).flatMap((schema) => {
    const later = `ALTER DEFAULT PRIVILEGES FOR ROLE ${role} IN SCHEMA ${schema} GRANT`;
    const sequences = [
      `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${made};`,
      `${later} USAGE ON SEQUENCES TO ${made};`,
    ];
    return [
      `GRANT USAGE ON SCHEMA ${schema} TO ${made};`,
      `GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO ${made};`,
      `${later} ${rights} ON TABLES TO ${made};`,
      ...(writes ? sequences : []),
    ];
  });
  return [
    `CREATE ROLE ${made} LOGIN PASSWORD '…' NOSUPERUSER NOBYPASSRLS;`,
    `GRANT CONNECT ON DATABASE ${database} TO ${made};`,
    ...each,
  ].join(' ');
}
