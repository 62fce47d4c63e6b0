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
  "set_config(setting_name => 'app.user', new_value => 'eve', is_local => true)",
  "set_config(VARIADIC ARRAY['app.user', 'eve', 'true'])",
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

const odd = fc.constantFrom('', ' ', '\n', '/* x */', '-- x\n');
const statement = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...HOLDERS), fc.constantFrom(...SETTERS))
      .map(([holder, setter]) => holder(setter)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...STATEMENTS) },
);
const text = fc
  .tuple(odd, statement, odd, fc.boolean())
  .map(
    ([before, held, after, ends]) =>
      `${before}${held}${after}${ends && !held.includes(';') ? ';' : ''}`,
  );

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

/** A refusal: by the gateway, or by the server before anything ran. */
async function isRefused(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const byServer = ['42601', '42P01', '42883', '0A000', '42501', '42704', '42846', '42804'];
    return (
      ['FORBIDDEN', 'BAD_REQUEST'].includes(error.code) ||
      (error.code === 'REQUEST_FAILED' &&
        error.details.some((each) => 'code' in each && byServer.includes(String(each.code))))
    );
  }
}

/** So many times as many by `TEST_RUNS`. */
const CASES = 120 * Number(process.env.TEST_RUNS ?? 1);

test('where callers may set, these do', async () => {
  const may = { ...session, maySet: true };
  const forged: string[] = [];
  for (const setter of SETTERS) {
    const query = `WITH x AS MATERIALIZED (SELECT ${setter} AS y) SELECT current_setting('app.user') AS who, y FROM x`;
    const answer = await writer
      .run(sql(query), callOf('write', { session: may }))
      .catch(() => Buffer.from('{}'));
    const { rows } = jsonOf(answer) as { rows?: { who: string }[] };
    if (rows?.[0]?.who === 'eve') forged.push(setter);
  }
  expect(forged.length).toBeGreaterThanOrEqual(12);
});

test('no statement that sets is run, on any way in', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom(...Object.keys(WAYS)), async (query, way) => {
      expect([way, query, await isRefused((WAYS[way] as Way)(query))]).toEqual([way, query, true]);
    }),
    { numRuns: CASES },
  );
});

test('nor in a session, in which the next statement sees who calls', async () => {
  const lease = await writer.lease(call('write'));
  const who = async () =>
    (await run(lease, sql("SELECT current_setting('app.user') AS who"), 'write', { session })).rows;
  try {
    const all = [
      ...STATEMENTS,
      ...SETTERS.map((setter) => `SELECT ${setter}`),
      ...LATER.flatMap(([first]) => first),
      ...LATER.map(([, then]) => then),
    ];
    for (const query of all) {
      await run(lease, sql('BEGIN'), 'write', { session });
      await lease.run(sql(query), call('write')).then(
        () => undefined,
        () => undefined,
      );
      await run(lease, sql('ROLLBACK'), 'write', { session });
      await lease.run(sql(query), call('write')).catch(() => undefined);
      expect([query, await who()]).toEqual([query, [{ who: 'ada' }]]);
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
