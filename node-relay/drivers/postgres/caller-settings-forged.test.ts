/** No statement of a caller sets what the server is told of them: each way in which SQL can set, on each way in. Spec: keys-and-doors.md §3. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let writer: PostgresClient;
let reader: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE items (a int DEFAULT 1, b text);
    CREATE TABLE seen (who text);
    CREATE TYPE pair AS (a int, b text);
    CREATE FUNCTION forge() RETURNS text LANGUAGE sql AS $$ SELECT set_config('app.user', 'eve', true) $$;
    CREATE FUNCTION stable_forge() RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN set_config('app.user', 'eve', true); END $$;
    CREATE FUNCTION forge_of(pair) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN set_config('app.user', 'eve', true); END $$;
    CREATE FUNCTION forge_with(int, int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN set_config('app.user', 'eve', true); END $$;
    CREATE OPERATOR @#@ (LEFTARG = int, RIGHTARG = int, FUNCTION = forge_with);
    CREATE PROCEDURE forges() LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.user', 'eve', true); END $$;`);

  writer = await database.open('write', { connections: 1 });
  reader = await database.open('read', { connections: 1 });
});
afterAll(() => database.drop());

const session = { settings: [['app.user', 'ada']] as const, maySet: false };

/** Expressions that set `app.user` when they are run. */
const SETTERS = [
  "set_config('app.user', 'eve', true)",
  "set_config('app.user', 'eve', false)",
  "pg_catalog.set_config('app.user', 'eve', true)",
  `"pg_catalog" . "set_config" ('app.user', 'eve', true)`,
  `U&"set\\005fconfig"('app.user', 'eve', true)`,
  `U&"set!005fconfig" UESCAPE '!' ('app.user', 'eve', true)`,
  "SET_CONFIG/* a */('app.' || 'user', E'e\\x76e', NOT false)",
  'forge()',
  'stable_forge()',
  "forge_of(ROW(1, 'x')::pair)",
  "(ROW(1, 'x')::pair).forge_of",
  '1 @#@ 2',
  '1 OPERATOR(public.@#@) 2',
  "query_to_xml('SELECT set_config(''app.user'', ''eve'', true)', true, true, '')::text",
  "(SELECT word FROM ts_stat('SELECT to_tsvector(set_config(''app.user'', ''eve'', true))') LIMIT 1)",
  "ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, set_config(''app.user'', ''eve'', true)::tsquery')::text",
  "cursor_to_xml('c', 1, true, true, '')::text",
];

/** Statements that hold an expression where it is run. */
const HOLDERS: readonly ((setter: string) => string)[] = [
  (e) => `SELECT ${e}`,
  (e) => `VALUES (${e})`,
  (e) => `SELECT 1 WHERE ${e} IS NOT NULL`,
  (e) => `SELECT 1 ORDER BY ${e}`,
  (e) => `SELECT count(*) FILTER (WHERE ${e} IS NOT NULL) FROM generate_series(1, 2)`,
  (e) => `WITH x AS MATERIALIZED (SELECT ${e} AS y) SELECT y FROM x`,
  (e) => `SELECT (SELECT ${e}), EXISTS (SELECT ${e})`,
  (e) => `SELECT CASE WHEN true THEN ${e} ELSE '' END`,
  (e) => `SELECT x.y FROM (SELECT 1) z, LATERAL (SELECT ${e} AS y) x`,
  (e) => `SELECT 1 UNION ALL SELECT length(${e})`,
  (e) => `SELECT coalesce(NULL, ${e}), ARRAY[${e}], ROW(${e})`,
  (e) => `SELECT 1 LIMIT length(${e}) - 2`,
  (e) => `SELECT row_number() OVER (ORDER BY ${e})`,
  (e) => `INSERT INTO items (b) VALUES (${e})`,
  (e) => `INSERT INTO items (b) SELECT ${e} RETURNING b`,
  (e) => `INSERT INTO items (b) VALUES ('x') RETURNING ${e}`,
  (e) => `UPDATE items SET b = ${e}`,
  (e) => `DELETE FROM items WHERE b = ${e}`,
  (e) =>
    `MERGE INTO items USING (SELECT ${e} AS y) x ON false WHEN NOT MATCHED THEN INSERT (b) VALUES (y)`,
  (e) => `EXPLAIN ANALYZE SELECT ${e}`,
  (e) => `EXPLAIN (ANALYZE, FORMAT JSON) INSERT INTO items (b) VALUES (${e})`,
  (e) => `SELECT * FROM json_each_text(json_build_object('a', ${e}))`,
  (e) => `SELECT ${e} INTO made`,
  (e) => `CREATE TABLE made AS SELECT ${e}`,
  (e) => `DO $$ BEGIN PERFORM ${e.replaceAll("'", "''")}; END $$`,
];

/** Statements that set by themselves. */
const STATEMENTS = [
  "SET app.user = 'eve'",
  "SET LOCAL app.user TO 'eve'",
  "SET SESSION app.user = 'eve'",
  'RESET app.user',
  'RESET ALL',
  'DISCARD ALL',
  'SET ROLE NONE',
  'SET SESSION AUTHORIZATION DEFAULT',
  'RESET ROLE',
  "SET search_path = 'items'",
  "UPDATE pg_settings SET setting = 'eve' WHERE name = 'standard_conforming_strings'",
  "UPDATE pg_catalog.pg_settings SET setting = 'off' WHERE name = 'standard_conforming_strings'",
  "WITH x AS (UPDATE pg_settings SET setting = 'pg_catalog' WHERE name = 'search_path' RETURNING 1) SELECT * FROM x",
  'EXPLAIN ANALYZE CREATE TEMP TABLE members AS SELECT 1 AS a',
  'EXPLAIN (ANALYZE) SELECT 1 AS a INTO TEMP members2',
  'EXPLAIN ANALYZE CREATE MATERIALIZED VIEW made3 AS SELECT 1',
  'CALL forges()',
  "DO 'BEGIN PERFORM set_config(''app.user'', ''eve'', true); END'",
  "DO LANGUAGE plpgsql $a$ BEGIN EXECUTE 'SET app.user = ''eve'''; END $a$",
  "ALTER ROLE CURRENT_USER SET app.user = 'eve'",
  'CREATE FUNCTION more() RETURNS text LANGUAGE sql AS $$ SELECT 1::text $$',
  "ALTER FUNCTION forge() SET app.user = 'eve'",
  'SET CONSTRAINTS ALL IMMEDIATE',
  'SET TRANSACTION READ WRITE',
  "set app.user = 'eve'; select 1",
  "select 1; set local app.user = 'eve'",
  'a statement that no parser reads',
];

/** Held open by a lease: what a later statement of the same caller would run. */
const LATER: readonly (readonly [string, string])[] = [
  ["PREPARE p AS SELECT set_config('app.user', 'eve', true)", 'EXECUTE p'],
  ["PREPARE p (text) AS SELECT set_config('app.user', $1, true)", "EXECUTE p ('eve')"],
  ["BEGIN; DECLARE c CURSOR FOR SELECT set_config('app.user', 'eve', true)", 'FETCH c'],
  ['PREPARE p (text) AS SELECT $1', "EXECUTE p (set_config('app.user', 'eve', false))"],
];

/** Statements that a caller who may set can run: what is refused to others is refused for what it does. */
let working: readonly string[];

const odd = fc.constantFrom('', ' ', '\n', '/* x */', '-- x\n');
const text = fc.tuple(odd, fc.nat(), odd, fc.boolean()).map(([before, at, after, ends]) => {
  const held = working[at % working.length] ?? '';
  return `${before}${held}${after}${ends && !held.includes(';') ? ';' : ''}`;
});

type Way = (text: string) => Promise<unknown>;
const call = (mode: 'read' | 'write') => callOf(mode, { session });
const WAYS: Readonly<Record<string, Way>> = {
  'a read': (query) => reader.run(sql(query), call('read')),
  'a write': (query) => writer.run(sql(query), call('write')),
  'a write without rows': (query) => writer.run(sql(query, [], { type: 'execute' }), call('write')),
  'several statements': (query) =>
    writer.run(sql(`SELECT 1; ${query}`, [], { type: 'simple' }), call('write')),
  'a batch': (query) => writer.run(sql(query, [], { type: 'batch_execute' }), call('write')),
  'a transaction': (query) => writer.transact([sql('SELECT 1'), sql(query)], call('write')),
  'a stream of reads': (query) => drained(reader.stream(sql(query), call('read'))),
  'a stream of writes': (query) => drained(writer.stream(sql(query), call('write'))),
  COPY: (query) =>
    writer.run(
      { type: 'copy_out', query: `COPY (${query.replace(/;\s*$/, '')}\n) TO STDOUT` },
      call('write'),
    ),
};

async function drained(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of pieces);
}

/** What COPY takes no statement of: a syntax error, or a feature that there is not. */
const NO_COPY = ['42601', '0A000'];

/** What is said of it: a refusal is the gateway's own, or else what COPY takes none of. */
async function refusalOf(way: string, query: string): Promise<string> {
  try {
    await (WAYS[way] as Way)(query);
    return 'It ran.';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const isOurs = ['FORBIDDEN', 'BAD_REQUEST'].includes(error.code);
    if (
      way === 'COPY' &&
      error.details.some((each) => 'code' in each && NO_COPY.includes(String(each.code)))
    )
      return 'refused';
    return isOurs ? 'refused' : `${error.code}: ${JSON.stringify(error.details)}`;
  }
}

/** So many times as many by `TEST_RUNS`. */
const CASES = 120 * Number(process.env.TEST_RUNS ?? 1);

/** Whether it runs for a caller who may set, who is then somebody else to the server. */
async function works(query: string): Promise<boolean> {
  const may = { session: { ...session, maySet: true } };
  const lease = await writer.lease(callOf('write'));
  try {
    await lease.run(sql('BEGIN'), callOf('write'));
    await lease.run(sql(query), callOf('write', may));
    return true;
  } catch {
    return false;
  } finally {
    await lease.close();
  }
}

test('where callers may set, most of these do', async () => {
  const held = HOLDERS.flatMap((holder) => SETTERS.map(holder));
  const kept: string[] = [];
  for (const query of [...held, ...STATEMENTS]) if (await works(query)) kept.push(query);
  working = kept;
  expect(working.length).toBeGreaterThan(held.length / 2);
  const unusable = HOLDERS.filter((holder) => !SETTERS.some((e) => working.includes(holder(e))));
  expect(unusable.map((holder) => holder('e'))).toEqual([]);
  const unused = SETTERS.filter((setter) => !HOLDERS.some((in_) => working.includes(in_(setter))));
  expect(unused).toEqual([]);
});

test('no statement that sets is run, on any way in', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom(...Object.keys(WAYS)), async (query, way) => {
      const told = await refusalOf(way, query);
      expect([way, query, told]).toEqual([way, query, 'refused']);
    }),
    { numRuns: CASES },
  );
});

test('nor in a session, in which the next statement sees who calls', async () => {
  const lease = await writer.lease(call('write'));
  const look = sql("SELECT current_setting('app.user', true) AS who");
  const who = async (bounds = {}) => (await run(lease, look, 'write', bounds)).rows[0]?.who;
  try {
    const all = [
      ...STATEMENTS,
      ...SETTERS.map((setter) => `SELECT ${setter}`),
      ...LATER.flatMap(([first]) => first),
      ...LATER.map(([, then]) => then),
    ];
    for (const query of all) {
      await run(lease, sql('BEGIN'), 'write', { session });
      await lease.run(sql(query), call('write')).catch(() => undefined);
      // Asked without settings, so that what was set is still there; a transaction that failed says nothing.
      const inside = await who().catch(() => '');
      await run(lease, sql('ROLLBACK'), 'write', { session });
      await lease.run(sql(query), call('write')).catch(() => undefined);
      const isForged = [inside, await who()].includes('eve');
      expect([query, isForged, await who({ session })]).toEqual([query, false, 'ada']);
    }
  } finally {
    await lease.close();
  }
});

test.each([
  "SELECT a, b FROM items WHERE b = 'set_config' ORDER BY a",
  "SELECT lower(b), now(), md5(b), jsonb_build_object('a', a) FROM items",
  "INSERT INTO items (b) VALUES ('x') ON CONFLICT DO NOTHING RETURNING a",
  "SELECT current_setting('app.user'), count(*) FROM items GROUP BY 1",
  'UPDATE items SET b = upper(b) WHERE a = 1',
  "SELECT nextval(pg_get_serial_sequence('items', 'a')) WHERE false",
])('%s is no such statement', async (query) => {
  expect(jsonOf(await writer.run(sql(query), call('write')))).toHaveProperty('rows');
});
