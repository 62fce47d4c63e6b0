/** Asks the server what a statement calls: it reads the statement as a function's body, which is never run. */
import type { Statement } from './ask.ts';
import { closureQuery, namedIn } from './closure.ts';
import { LOOK_UP_SETTINGS, OBSTACLE, REFUSED } from './reach.ts';

/** OIDs below are the server's own and have the names of the table. Source: PostgreSQL's pg_type.dat. */
const TYPE_NAMES: ReadonlyMap<number, string> = new Map([
  [16, 'bool'],
  [17, 'bytea'],
  [20, 'int8'],
  [21, 'int2'],
  [23, 'int4'],
  [25, 'text'],
  [26, 'oid'],
  [114, 'json'],
  [142, 'xml'],
  [700, 'float4'],
  [701, 'float8'],
  [869, 'inet'],
  [1000, '_bool'],
  [1007, '_int4'],
  [1009, '_text'],
  [1015, '_varchar'],
  [1016, '_int8'],
  [1042, 'bpchar'],
  [1043, 'varchar'],
  [1082, 'date'],
  [1083, 'time'],
  [1114, 'timestamp'],
  [1184, 'timestamptz'],
  [1186, 'interval'],
  [1231, '_numeric'],
  [1266, 'timetz'],
  [1700, 'numeric'],
  [2205, 'regclass'],
  [2950, 'uuid'],
  [2951, '_uuid'],
  [3802, 'jsonb'],
]);

/** Functions take no more arguments. Source: PostgreSQL's FUNC_MAX_ARGS. */
export const ARGUMENTS_MAX = 100;

/** Asks for the names of types; $1 their OIDs. */
const TYPES = `SELECT t.oid, pg_catalog.concat(pg_catalog.quote_ident(n.nspname), '.', pg_catalog.quote_ident(t.typname))
FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = ANY ($1::pg_catalog.oid[])`;

/** Names of types, each with its schema; undefined when one is gone. */
export async function typeNames(
  oids: readonly number[],
  ask: (statement: Statement) => Promise<readonly (readonly (string | null)[])[]>,
): Promise<readonly string[] | undefined> {
  const missing = oids.filter((oid) => !TYPE_NAMES.has(oid));
  const rows =
    missing.length > 0 ? await ask({ text: TYPES, values: [`{${missing.join(',')}}`] }) : [];
  const learned = new Map(rows.map(([oid, name]) => [Number(oid), name]));
  const names = oids.map((oid) => {
    const own = TYPE_NAMES.get(oid);
    return own === undefined ? learned.get(oid) : `pg_catalog.${own}`;
  });
  return names.every((name) => typeof name === 'string') ? names : undefined;
}

const BEFORE = `
asked AS MATERIALIZED (SELECT p.prosqlbody::text AS tree, p.proargtypes::oid[] AS types FROM pg_proc p
  WHERE p.proname = $1 AND p.pronamespace = pg_my_temp_schema()),
named(kind, id, runs) AS MATERIALIZED (${namedIn("SELECT tree, true AS runs, CASE WHEN $2::boolean THEN 'w' ELSE 'r' END AS relation FROM asked")}),`;
const SEEDS = `
  SELECT kind, id, runs FROM named
  UNION SELECT 't', u.id, true FROM asked CROSS JOIN LATERAL unnest(types) AS u(id) WHERE u.id >= 16384`;
const CLOSURE = closureQuery(BEFORE, SEEDS, "SELECT id FROM named WHERE kind = 'f'", 'false');

/** What the server has to do, one after the other, in a transaction that is undone; the rows of the last are the answer. */
export interface Question {
  readonly statements: readonly Statement[];
  /** Takes the function away where the transaction cannot be undone. */
  readonly undo: Statement;
}

/** Makes the question of one statement. */
export function question(
  text: string,
  argumentTypes: readonly string[],
  writes: boolean,
): Question {
  const name = `causeway_${crypto.randomUUID().replaceAll('-', '')}`;
  const declared = argumentTypes.join(', ');
  return {
    statements: [
      CATALOG_PATH,
      GATE,
      SETTINGS,
      {
        // A comment may end the text, so a line ends it, too.
        text: `CREATE FUNCTION pg_temp.${name}(${declared}) RETURNS SETOF pg_catalog.record LANGUAGE sql BEGIN ATOMIC ${text}\n; END`,
      },
      LOOK_UP_SETTINGS,
      { text: CLOSURE, values: [name, String(writes), REFUSED] },
    ],
    undo: { text: `DROP FUNCTION pg_temp.${name}(${declared})` },
  };
}

const PATH = 'causeway.path';
const CATALOG_PATH: Statement = {
  text: `SELECT pg_catalog.set_config('${PATH}', pg_catalog.current_setting('search_path'), true),
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)`,
};

/** Fails, and the transaction with it, where the server must not be asked. */
const GATE: Statement = {
  text: `SELECT CASE WHEN o <> '' THEN concat('causeway: ', o)::int4 END FROM (SELECT ${OBSTACLE} AS o) x`,
};

/** The guard's parser reads texts by the first; the second leaves out what is of no use for a body that never runs. */
const SETTINGS: Statement = {
  text: `SELECT pg_catalog.set_config('standard_conforming_strings', 'on', true),
    pg_catalog.set_config('check_function_bodies', 'off', true),
    pg_catalog.set_config('search_path', pg_catalog.current_setting('${PATH}'), true)`,
};
