/** Looks up in the catalog by name what a statement may call, before the server reads it or where it cannot be asked. */
import type { AskRows } from './ask.ts';
import { closureQuery } from './closure.ts';
import { REFUSED_STABLE, type ReachedFunction } from './server-functions.ts';
import type { QualifiedName, References } from './tree.ts';

/** Why the server cannot be asked what a statement calls; undefined when it can. */
export type Obstacle = 'version' | 'standby' | 'temporary' | 'language' | 'event_trigger';

/** Setting that carries the session's schemas to look-ups, whose own search path is another. */
const SCHEMAS = 'causeway.schemas';

/** Goes ahead of each look-up, in its transaction: no name in it means a user's object, and it is planned at once. */
export const LOOK_UP_SETTINGS = {
  text: `SELECT pg_catalog.set_config('${SCHEMAS}', pg_catalog.current_schemas(true)::pg_catalog.text, true),
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.set_config('jit', 'off', true)`,
};

/**
 * $1 the statement's names, $2 whether it makes arrays, $3 names refused whatever their volatility,
 * $5 whether it names whole rows, $4 `input` for what may run while the server reads the statement, `all` for what may run with it.
 */
const BEFORE = `
schemas AS MATERIALIZED (SELECT n.oid, n.nspname, n.nspname = ANY (current_setting('${SCHEMAS}')::name[]) AS seen FROM pg_namespace n),
names AS MATERIALIZED (SELECT x.k, x.n, v.oid AS schema FROM json_to_recordset($1::json) AS x(k text, s name, n name) JOIN schemas v
  ON CASE WHEN x.s IS NULL THEN v.seen WHEN x.s = 'pg_temp' THEN v.oid = pg_my_temp_schema() ELSE v.nspname = x.s END),
found(kind, id) AS MATERIALIZED (
  SELECT 'f', p.oid FROM names x JOIN pg_proc p ON p.proname = x.n AND p.pronamespace = x.schema
  WHERE x.k = 'f' OR (x.k = 'a' AND p.pronargs - p.pronargdefaults <= 1 AND (p.pronargs > 0 OR p.provariadic > 0))
  UNION
  SELECT 'o', o.oid FROM names x JOIN pg_operator o ON o.oprname = x.n AND o.oprnamespace = x.schema WHERE x.k = 'o'
  UNION
  SELECT 't', t.oid FROM names x JOIN pg_type t ON t.typname = x.n AND t.typnamespace = x.schema WHERE x.k = 't' AND t.oid >= 16384
  UNION
  SELECT 'r', c.oid FROM names x JOIN pg_class c ON c.relname = x.n AND c.relnamespace = x.schema WHERE x.k = 'r'
),
called AS MATERIALIZED (SELECT p.* FROM found JOIN pg_proc p ON p.oid = found.id WHERE found.kind = 'f'),
deep AS MATERIALIZED (SELECT $2::boolean
  OR EXISTS (SELECT FROM called WHERE prorettype IN (2277, 3831, 4537, 4538, 5078, 5080))
  OR EXISTS (SELECT FROM found JOIN pg_operator o ON o.oid = found.id WHERE found.kind = 'o' AND o.oprresult IN (2277, 3831, 4537, 4538, 5078, 5080)) AS deep),
columns(id) AS MATERIALIZED (SELECT a.atttypid FROM found JOIN pg_attribute a ON a.attrelid = found.id
  WHERE found.kind = 'r' AND a.attnum > 0 AND a.atttypid >= 16384),
rows(id) AS MATERIALIZED (SELECT c.reltype FROM found JOIN pg_class c ON c.oid = found.id WHERE found.kind = 'r' AND c.oid >= 16384),
mentioned(id) AS MATERIALIZED (
  SELECT id FROM rows WHERE $5::boolean UNION
  SELECT id FROM found WHERE kind = 't' UNION SELECT id FROM columns
  UNION SELECT prorettype FROM called UNION SELECT unnest(proargtypes::oid[]) FROM called UNION SELECT unnest(proallargtypes) FROM called
  UNION SELECT unnest(ARRAY[o.oprleft, o.oprright, o.oprresult]) FROM found JOIN pg_operator o ON o.oid = found.id WHERE found.kind = 'o'
),`;

const SEEDS = `
  SELECT CASE WHEN (SELECT deep FROM deep) THEN 'd' ELSE 'i' END, id, true FROM mentioned WHERE $4 = 'input' AND id >= 16384
  UNION SELECT kind, id, true FROM found WHERE $4 = 'all' AND (kind <> 'o' OR id >= 16384)
  UNION SELECT 'v', t.oid, true FROM names x JOIN pg_type t ON t.typname = x.n AND t.typnamespace = x.schema JOIN ordered ON ordered.id = t.oid
  WHERE x.k = 't' AND $4 = 'all'
  UNION SELECT 't', id, true FROM columns WHERE $4 = 'all' UNION SELECT 't', id, true FROM rows WHERE $4 = 'all'
  UNION SELECT 'f', castfunc, true FROM pg_cast WHERE $4 = 'all' AND castfunc > 0 AND pg_cast.oid >= 16384 AND castsource < 16384 AND casttarget < 16384`;

/** Why the server cannot be asked; empty when it can. */
export const OBSTACLE = `CASE WHEN current_setting('server_version_num')::int < 140000 THEN 'version' WHEN pg_is_in_recovery() THEN 'standby'
  WHEN NOT has_database_privilege(current_database(), 'TEMP') THEN 'temporary' WHEN NOT has_language_privilege('sql', 'USAGE') THEN 'language'
  WHEN EXISTS (SELECT FROM pg_event_trigger e WHERE e.evtenabled <> 'D' AND e.evtevent <> 'login'
    AND (e.evttags IS NULL OR e.evttags && ARRAY['CREATE FUNCTION', 'DROP FUNCTION'])) THEN 'event_trigger' ELSE '' END`;

/** Of what may run while the server reads a statement: whether any type of users is there at all. */
const MENTIONED = `WITH ${BEFORE.trimEnd().slice(0, -1)}
SELECT EXISTS (SELECT FROM mentioned WHERE id >= 16384), $3::name[], $4::text`;

const LOOK_UP = closureQuery(
  BEFORE,
  SEEDS,
  "SELECT id FROM found WHERE kind = 'f' AND $4 = 'all'",
  "$4 = 'all'",
);

/** Why the server cannot be asked what a statement calls; undefined when nothing is known against it. */
export async function obstacleOf(ask: AskRows): Promise<Obstacle | undefined> {
  const [row] = await ask({ text: `SELECT ${OBSTACLE}` });
  return (row?.[0] || undefined) as Obstacle | undefined; // One of those that the query writes.
}

/** What may run while the server reads a statement: what makes values of the texts in it. */
export async function lookUpInput(
  references: References,
  ask: AskRows,
): Promise<readonly ReachedFunction[]> {
  const values = valuesOf(references, 'input');
  const [row] = await ask({ text: MENTIONED, values });
  if (row?.[0] !== 't') return [];
  return (await ask({ text: LOOK_UP, values })).map(functionOf);
}

/** What may run with a statement, by its names alone. */
export async function lookUpAll(
  references: References,
  ask: AskRows,
): Promise<readonly ReachedFunction[]> {
  const values = valuesOf(references, 'all');
  return (await ask({ text: LOOK_UP, values })).map(functionOf);
}

function valuesOf(references: References, what: 'input' | 'all'): readonly string[] {
  const { makesArrays, wholeRows } = references;
  return [namesOf(references), String(makesArrays), REFUSED, what, String(wholeRows)];
}

/** The names of a statement as a parameter; without a schema they are looked up over all that the session sees. */
function namesOf({ functions, operators, types, relations, fields }: References): string {
  const bare = (name: string): QualifiedName => ({ schema: null, name });
  const attributes = fields.map(bare);
  return JSON.stringify([
    ...lettered('f', functions),
    ...lettered('a', attributes),
    ...lettered('o', operators),
    // `name('x')` and `('x').name` cast to the type `name`.
    ...lettered('t', [...types, ...functions, ...attributes]),
    ...lettered('r', relations),
  ]);
}

/** The names refused whatever their volatility, as a parameter. */
export const REFUSED = `{${REFUSED_STABLE.join(',')}}`;

/** A row of the closure's query. */
export function functionOf(row: readonly (string | null)[]): ReachedFunction {
  const [schema, name, volatile, serverOwn, extension, rawInput, runs, compiled] = row;
  return {
    schema: schema ?? '',
    name: name ?? '',
    volatile: volatile === 't',
    serverOwn: serverOwn === 't',
    extension: extension ?? null,
    rawInput: rawInput === 't',
    runs: runs === 't',
    compiled: compiled === 't',
  };
}

function lettered(k: string, names: readonly QualifiedName[]) {
  return names.map(({ schema: s, name: n }) => ({ k, s, n }));
}
