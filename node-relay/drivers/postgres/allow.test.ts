/** `config.allow`: what statements may name, on each way into a real database. Spec: keys-and-doors.md §4. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let writer: PostgresClient;
let reader: PostgresClient;

const SETUP = `
  CREATE SCHEMA shop; CREATE SCHEMA hidden;
  CREATE TABLE shop.items (id int PRIMARY KEY, name text, kind text);
  CREATE TABLE orders (id serial PRIMARY KEY, item int);
  CREATE TABLE "Odd.Name" (id int);
  CREATE TABLE secret (id serial PRIMARY KEY, word text);
  CREATE TABLE hidden.secret (id int PRIMARY KEY, word text);
  CREATE VIEW shop.words AS SELECT word FROM secret;
  CREATE TYPE shop.mood AS ENUM ('good');
  CREATE TYPE hidden.pair AS (a int, b text);
  CREATE FUNCTION peek() RETURNS text LANGUAGE sql STABLE AS 'SELECT word FROM secret LIMIT 1';
  CREATE FUNCTION lower(shop.mood) RETURNS text LANGUAGE sql STABLE AS 'SELECT word FROM secret LIMIT 1';
  CREATE FUNCTION seen(orders) RETURNS text LANGUAGE sql STABLE AS 'SELECT word FROM secret LIMIT 1';
  CREATE FUNCTION harmless(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
  CREATE FUNCTION joined(int, int) RETURNS text LANGUAGE sql STABLE AS 'SELECT word FROM secret LIMIT 1';
  CREATE OPERATOR @#@ (LEFTARG = int, RIGHTARG = int, FUNCTION = joined);
  CREATE PROCEDURE proc() LANGUAGE sql AS 'INSERT INTO secret (word) VALUES (''x'')';
  INSERT INTO secret (word) VALUES ('s3cret'); INSERT INTO hidden.secret VALUES (1, 's3cret');
  INSERT INTO shop.items VALUES (1, 'tea', 'dry'); INSERT INTO orders (item) VALUES (1);`;

const allow: Json = { schemas: ['shop'], tables: ['orders*', 'public.Odd.Name', 'made'] };

beforeAll(async () => {
  database = await TestDatabase.create(SETUP);
  const members = { connections: 1, allow, allow_functions: ['harmless'] };
  writer = await database.open('write', members);
  reader = await database.open('read', members);
});
afterAll(() => database.drop());

/** `allowed`, or the rule with what was named. */
async function verdictOn(query: string, client = writer, members = {}): Promise<string> {
  const mode = client === reader ? 'read' : 'write';
  try {
    await run(client, sql(query, [], members), mode);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'FORBIDDEN') return 'allowed';
    const [detail] = error.details as readonly { rule: string; name?: string }[];
    return detail?.rule === 'allow' ? `allow ${detail.name}` : `${detail?.rule}`;
  }
}

const ALLOWED = [
  'SELECT 1',
  'SELECT * FROM shop.items',
  'SELECT * FROM "shop"."items" i JOIN public.orders o ON o.item = i.id',
  'TABLE orders',
  'SELECT * FROM ONLY orders',
  'SELECT * FROM ORDERS',
  'SELECT * FROM public."Odd.Name"',
  'SELECT * FROM "Odd.Name"',
  'SELECT * FROM shop.words',
  'WITH secret AS (SELECT 1 AS id) SELECT * FROM secret',
  'WITH a AS (SELECT 1), secret AS (SELECT * FROM a) SELECT * FROM secret, LATERAL (SELECT * FROM secret) x',
  'WITH RECURSIVE secret(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM secret WHERE n < 3) SELECT * FROM secret',
  'SELECT secret.id FROM orders AS secret',
  'SELECT secret FROM (SELECT 1 AS secret) secret',
  'SELECT count(*), max(lower(name)), now() FROM shop.items GROUP BY kind ORDER BY 1',
  "SELECT name ILIKE '%e%', kind ~ 'd', id BETWEEN 1 AND 2 FROM shop.items",
  "SELECT * FROM generate_series(1, 3) s, json_to_recordset('[]') AS x(a int)",
  "SELECT * FROM json_table('[]'::jsonb, '$[*]' COLUMNS (a int PATH '$'))",
  "SELECT 'shop.items'::regclass, nextval('orders_id_seq'), pg_relation_size('\"shop\".items'), to_regclass('shop.items')",
  "SELECT currval(pg_get_serial_sequence('orders', 'id'))",
  "SELECT 'good'::shop.mood",
  'SELECT harmless(1)',
  'SELECT id FROM orders FOR UPDATE OF orders',
  "INSERT INTO shop.items VALUES (2, 'salt', 'dry') ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING *",
  'INSERT INTO orders (item) SELECT id FROM shop.items',
  "UPDATE shop.items SET kind = 'x' FROM orders WHERE orders.item = shop.items.id",
  'DELETE FROM orders USING shop.items i WHERE i.id = item AND i.id = 77',
  'MERGE INTO orders o USING shop.items i ON o.item = i.id WHEN NOT MATCHED THEN INSERT (item) VALUES (i.id)',
  'EXPLAIN ANALYZE SELECT * FROM orders',
  'CREATE TABLE made (id int REFERENCES shop.items)',
  'ALTER TABLE made ADD COLUMN word text',
  'CREATE INDEX ON made (id)',
  'TRUNCATE made',
  'DROP TABLE made',
  'SELECT * INTO made FROM orders',
  'DROP TABLE public.made',
  'CREATE VIEW shop.more AS SELECT * FROM orders',
  'DROP VIEW shop.more',
  'LOCK TABLE orders',
  'SHOW search_path',
  "SET statement_timeout = '10s'",
  'ANALYZE orders',
];

/** With what each is refused for. */
const REFUSED: readonly (readonly [query: string, name: string])[] = [
  ['SELECT * FROM secret', 'public.secret'],
  ['SELECT * FROM SECRET', 'public.secret'],
  ['SELECT * FROM "secret"', 'public.secret'],
  ['SELECT * FROM public . "secret"', 'public.secret'],
  ['SELECT * FROM U&"s\\0065cret"', 'public.secret'],
  ['SELECT * FROM U&"s!0065cret" UESCAPE \'!\'', 'public.secret'],
  ['SELECT * FROM "Secret"', 'public.Secret'],
  ['SELECT * FROM "ORDERS"', 'public.ORDERS'],
  ['SELECT * FROM hidden.secret', 'hidden.secret'],
  ['SELECT * FROM hidden.orders', 'hidden.orders'],
  ['SELECT * FROM nowhere', 'public.nowhere'],
  ['TABLE secret', 'public.secret'],
  ['SELECT * FROM ONLY secret', 'public.secret'],
  ['SELECT * FROM orders, secret', 'public.secret'],
  ['SELECT * FROM orders o LEFT JOIN secret s USING (id)', 'public.secret'],
  ['SELECT * FROM orders o, LATERAL (SELECT * FROM secret s WHERE s.id = o.id) x', 'public.secret'],
  ['SELECT (SELECT word FROM secret LIMIT 1)', 'public.secret'],
  ['SELECT 1 WHERE EXISTS (TABLE secret)', 'public.secret'],
  ['SELECT 1 ORDER BY (SELECT id FROM secret)', 'public.secret'],
  ['SELECT 1 LIMIT (SELECT id FROM secret)', 'public.secret'],
  ['SELECT id FROM orders UNION ALL SELECT id FROM secret', 'public.secret'],
  ['VALUES ((SELECT word FROM secret))', 'public.secret'],
  ['SELECT ARRAY(SELECT word FROM secret), ROW((SELECT 1))', 'public.secret'],
  ['SELECT * FROM secret TABLESAMPLE SYSTEM (10)', 'public.secret'],
  ['WITH secret AS (SELECT * FROM secret) SELECT * FROM secret', 'public.secret'],
  ['WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a', 'public.b'],
  ['SELECT (WITH secret AS (SELECT 1) SELECT 1), s.* FROM secret s', 'public.secret'],
  ['WITH secret AS (SELECT 1 AS id) SELECT * FROM public.secret', 'public.secret'],
  ['WITH secret AS (SELECT 1 AS id) DELETE FROM secret', 'public.secret'],
  ['WITH secret AS (SELECT 1 AS id) INSERT INTO secret SELECT * FROM secret', 'public.secret'],
  ["WITH x AS (UPDATE secret SET word = 'x' RETURNING *) SELECT * FROM x", 'public.secret'],
  ['INSERT INTO orders (item) SELECT id FROM secret', 'public.secret'],
  ['INSERT INTO secret (word) SELECT name FROM shop.items', 'public.secret'],
  ['INSERT INTO orders (item) VALUES ((SELECT id FROM secret))', 'public.secret'],
  ['INSERT INTO orders (item) VALUES (1) RETURNING (SELECT word FROM secret)', 'public.secret'],
  ['UPDATE orders SET item = s.id FROM secret s', 'public.secret'],
  ['UPDATE orders SET item = (SELECT id FROM secret)', 'public.secret'],
  ['DELETE FROM orders USING secret', 'public.secret'],
  ['MERGE INTO orders USING secret s ON true WHEN MATCHED THEN DELETE', 'public.secret'],
  ['MERGE INTO secret s USING orders ON true WHEN MATCHED THEN DELETE', 'public.secret'],
  ['TRUNCATE orders, secret', 'public.secret'],
  ['LOCK TABLE secret', 'public.secret'],
  ['SELECT * INTO copied FROM orders', 'public.copied'],
  ['CREATE TABLE copied AS SELECT 1', 'public.copied'],
  ['CREATE TABLE made AS TABLE secret', 'public.secret'],
  ['CREATE TABLE made (LIKE secret INCLUDING ALL)', 'public.secret'],
  ['CREATE TABLE made () INHERITS (secret)', 'public.secret'],
  ['CREATE TABLE made (id int REFERENCES secret)', 'public.secret'],
  ['CREATE TABLE made OF hidden.pair', 'hidden.pair'],
  ['CREATE VIEW shop.more AS SELECT * FROM secret', 'public.secret'],
  ['CREATE SEQUENCE made OWNED BY secret.id', 'public.secret'],
  ['ALTER TABLE orders INHERIT secret', 'public.secret'],
  ['ALTER TABLE secret RENAME TO orders2', 'public.secret'],
  ['ALTER TABLE orders RENAME TO secret2', 'public.secret2'],
  ['ALTER TABLE secret SET SCHEMA shop', 'public.secret'],
  ['ALTER TABLE orders SET SCHEMA hidden', 'hidden.orders'],
  ['ALTER SCHEMA hidden RENAME TO shop2', 'hidden'],
  ['CREATE SCHEMA more', 'more'],
  ['DROP SCHEMA hidden', 'hidden'],
  ['DROP TABLE orders, hidden.secret', 'hidden.secret'],
  ['CREATE INDEX ON secret (id)', 'public.secret'],
  ['ANALYZE secret', 'public.secret'],
  ['REINDEX TABLE secret', 'public.secret'],
  ['EXPLAIN SELECT * FROM secret', 'public.secret'],
  ["SELECT 'secret'::regclass", 'public.secret'],
  ["SELECT regclass 'hidden.secret'", 'hidden.secret'],
  ['SELECT CAST(\'public."secret"\' AS pg_catalog.regclass)', 'public.secret'],
  ["SELECT nextval('secret_id_seq')", 'public.secret_id_seq'],
  ["SELECT pg_relation_size('Secret')", 'public.secret'],
  ["SELECT pg_get_serial_sequence('public.secret', 'id')", 'public.secret'],
  ["SELECT to_regclass('hidden.secret')", 'hidden.secret'],
  ['SELECT null::hidden.secret', 'hidden.secret'],
  ['SELECT null::secret', 'public.secret'],
  ['SELECT * FROM pg_class', 'pg_catalog.pg_class'],
  ['SELECT * FROM pg_catalog.pg_class', 'pg_catalog.pg_class'],
  ['SELECT * FROM information_schema.tables', 'information_schema.tables'],
  ['SELECT * FROM pg_stats', 'pg_catalog.pg_stats'],
];

const UNDECIDED = [
  'DO $$ BEGIN PERFORM * FROM secret; END $$',
  'CALL proc()',
  'CREATE FUNCTION made() RETURNS text LANGUAGE sql AS $$ SELECT word FROM secret $$',
  'SET search_path = hidden',
  'SET LOCAL search_path TO hidden',
  "SET SCHEMA 'hidden'",
  'RESET ALL',
  'RESET search_path',
  'SET ROLE postgres',
  'SET SESSION AUTHORIZATION postgres',
  "SELECT set_config('search_path', 'hidden', false)",
  "SELECT pg_catalog.set_config('search_path', 'hidden', false)",
  'ALTER ROLE CURRENT_USER SET search_path = hidden',
  'ALTER DATABASE postgres SET search_path = hidden',
  'CREATE TEMP TABLE orders (id int)',
  'CREATE TABLE pg_temp.orders (id int)',
  'SELECT * INTO TEMP made FROM orders',
  'SELECT * FROM pg_temp.orders',
  'SELECT peek()',
  'SELECT public.peek()',
  'SELECT * FROM peek()',
  'SELECT * FROM orders, LATERAL peek()',
  "SELECT lower('good'::shop.mood)",
  'SELECT o.seen FROM orders o',
  'SELECT seen(o) FROM orders o',
  'SELECT 1 @#@ 2',
  'SELECT 1 OPERATOR(public.@#@) 2',
  "SELECT query_to_xml('TABLE secret', true, true, '')",
  "SELECT table_to_xml('secret', true, true, '')",
  "SELECT * FROM ts_stat('SELECT word::tsvector FROM secret')",
  "SELECT pg_read_file('postgresql.conf')",
  'SELECT pg_get_viewdef(1259)',
  "SELECT nextval('orders' || '_id_seq')",
  'SELECT nextval(1259)',
  "SELECT ('sec' || 'ret')::regclass",
  'SELECT 1259::regclass',
  "SELECT has_table_privilege('secret', 'SELECT')",
  "SELECT * FROM json_to_recordset('[]') AS x(a regclass)",
  'SELECT * FROM pg_get_keywords()',
  'SELECT lo_get(1)',
  'TRUNCATE orders CASCADE',
  'DROP TABLE orders CASCADE',
  'GRANT SELECT ON secret TO PUBLIC',
  'CREATE RULE r AS ON INSERT TO orders DO ALSO SELECT * FROM secret',
  'CREATE TRIGGER t AFTER INSERT ON orders EXECUTE FUNCTION peek()',
  "COMMENT ON TABLE secret IS 'x'",
  'CREATE EXTENSION dblink',
  'VACUUM',
  'a statement that no parser reads',
];

describe('a statement that names', () => {
  test.each(ALLOWED)('what is open is taken: %s', async (query) => {
    expect(await verdictOn(query)).toBe('allowed');
  });

  test.each(REFUSED)('more is refused: %s', async (query, name) => {
    expect(await verdictOn(query)).toBe(`allow ${name}`);
    // Remembered.
    expect(await verdictOn(query)).toBe(`allow ${name}`);
  });

  test.each(UNDECIDED)('in a form that is not read is refused: %s', async (query) => {
    expect(await verdictOn(query)).toBe('allow_undecided');
  });

  test('is refused on a read, too, and nothing of it shows', async () => {
    for (const [query, name] of REFUSED) {
      if (!/^(?:SELECT|TABLE|VALUES|WITH RECURSIVE)/.test(query)) continue;
      expect([query, await verdictOn(query, reader)]).toEqual([query, `allow ${name}`]);
    }
    await expect(run(reader, sql('TABLE secret'), 'read')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'Table public.secret is not among what config.allow opens',
      details: [
        {
          rule: 'allow',
          path: 'query',
          message: 'Table public.secret is not among what config.allow opens',
          name: 'public.secret',
        },
      ],
    });
  });

  test('nothing that is refused was run', async () => {
    const { rows } = await database.outside.query(
      'SELECT (SELECT count(*)::int FROM secret) AS secret, (SELECT count(*)::int FROM hidden.secret) AS hidden',
    );
    expect(rows).toEqual([{ secret: 1, hidden: 1 }]);
  });
});

const FORBIDDEN = { code: 'FORBIDDEN', details: [{ rule: 'allow', name: 'public.secret' }] };

describe('each way in', () => {
  const bad = 'SELECT word FROM secret';

  test.each([
    ['query', sql(bad)],
    ['query_one_read_only', sql(bad, [], { type: 'query_one_read_only' })],
    ['query_typed', sql(bad, [], { type: 'query_typed' })],
    ['execute', sql(bad, [], { type: 'execute' })],
    ['simple', sql(`SELECT 1; ${bad}`, [], { type: 'simple' })],
    ['simple_read_only', sql(`SELECT 1; ${bad}`, [], { type: 'simple_read_only' })],
    ['batch_execute', sql(`SELECT 1; ${bad}`, [], { type: 'batch_execute' })],
    ['copy_out of a table', sql('COPY secret TO STDOUT', [], { type: 'copy_out' })],
    ['copy_out of a query', sql(`COPY (${bad}) TO STDOUT`, [], { type: 'copy_out' })],
    ['copy_in', sql('COPY secret (word) FROM STDIN', [], { type: 'copy_in', value: 'x\n' })],
  ])('refuses %s', async (_, request) => {
    await expect(run(writer, request, 'write')).rejects.toMatchObject(FORBIDDEN);
  });

  test('refuses a stream, a transaction and a lease', async () => {
    for (const client of [writer, reader]) {
      const mode = client === writer ? 'write' : 'read';
      const lines = client.stream(sql(bad), callOf(mode))[Symbol.asyncIterator]();
      await expect(lines.next()).rejects.toMatchObject(FORBIDDEN);
    }
    await expect(
      writer.transact([sql('SELECT 1'), sql(bad)], callOf('write')),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const lease = await writer.lease(callOf('write'));
    await expect(run(lease, sql(bad), 'write')).rejects.toMatchObject(FORBIDDEN);
    for (const query of ['BEGIN', 'DECLARE c CURSOR FOR TABLE orders', 'FETCH c', 'COMMIT']) {
      await run(lease, sql(query), 'write');
    }
    await expect(run(lease, sql(`PREPARE p AS ${bad}`), 'write')).rejects.toMatchObject({
      details: [{ rule: 'allow_undecided' }],
    });
    await lease.close();
  });

  test('refuses a share of a transaction over many databases', async () => {
    const beginning = { name: 'causeway_allow_1_1' };
    const share = (query: string) => ({
      operations: [{ request: sql(query), mode: 'write' as const, place: 0 }],
      earlier: () => undefined,
      recoverable: false,
    });
    const joined = await writer.join(beginning as never, callOf('write'));
    await expect(joined.perform(share(bad) as never, callOf('write'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await joined.close();
  });

  test('tells the open part of the schema, page by page', async () => {
    const told: string[] = [];
    let after: readonly [string, string] | undefined;
    for (;;) {
      const page = await reader.inspect({ limit: 1, ...(after ? { after } : {}) }, callOf('read'));
      told.push(...page.tables.map(({ namespace, name }) => `${namespace}.${name}`));
      const last = page.tables.at(-1);
      if (!page.more || !last) break;
      after = [last.namespace, last.name];
    }
    expect(told).toEqual(['public.Odd.Name', 'public.orders', 'shop.items', 'shop.words']);
  });

  test('tells no changes of what is not open', async () => {
    const collections = [{ name: 'public.secret', operations: ['insert'] as const }];
    const request = { slot: 'causeway_allow', collections };
    await expect(writer.prepareChanges(request, callOf('write'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: [{ rule: 'allow', path: 'collections[0]', name: 'public.secret' }],
    });
    await writer.dropChanges('causeway_allow', callOf('write'));
  });
});

test('a name is of every schema along the path that has it, so that none comes to light when another goes', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=shop,public');
  await database.outside.query('CREATE TABLE shop.secret (id int)');
  const path = await database.open(
    'write',
    { connections: 1, allow: { schemas: ['shop'] } },
    url.href,
  );
  expect(await verdictOn('SELECT * FROM items', path)).toBe('allowed');
  const both = { type: 'simple' };
  expect(await verdictOn('DROP TABLE shop.secret; SELECT * FROM secret', path, both)).toBe(
    'allow public.secret',
  );
  await database.outside.query('DROP TABLE shop.secret');
});

test.each<[string, Json]>([
  ['an empty object', {}],
  ['empty lists', { schemas: [], tables: [] }],
])('%s opens nothing', async (_, nothing) => {
  const closed = await database.open('write', { connections: 1, allow: nothing });
  expect(await verdictOn('TABLE orders', closed)).toBe('allow public.orders');
  expect(jsonOf(await closed.run(sql('SELECT 1 AS a'), callOf('write')))).toMatchObject({
    rows: [{ a: 1 }],
  });
});

test('what is listed of the server is open', async () => {
  const own = await database.open('read', { connections: 1, allow: { schemas: ['pg_catalog'] } });
  expect(await verdictOn('SELECT relname FROM pg_class LIMIT 1', own)).toBe('allowed');
});
