/** `config.allow`: what requests may name, on each way into a real database. Spec: keys-and-doors.md §4. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
import { callOf } from '../test/host.ts';
import { verdictOn } from '../test/verdict.ts';
import type { ClickhouseClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let writer: ClickhouseClient;
let reader: ClickhouseClient;

beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE orders (id UInt32, item String, tags Array(String)) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE items (id UInt32, name String) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE secret (id UInt32, word String) ENGINE = MergeTree ORDER BY id',
    "INSERT INTO secret VALUES (1, 's3cret')",
    "INSERT INTO orders VALUES (1, 'tea', ['a'])",
    'CREATE VIEW words AS SELECT word FROM secret',
  );
  const allow = { tables: ['orders', `${database.name}.items`, 'words', 'made*'] };
  const open = (mode: 'read' | 'write') => database.open(mode, { allow });
  [writer, reader] = await Promise.all([open('write'), open('read')]);
});
afterAll(() => database.drop());

const verdict = (work: Promise<unknown>) => verdictOn(work, database.name);
const named = (query: string) => query.replaceAll('DB', database.name);
const onWrite = (query: string) => verdict(run(writer, sql(named(query)), 'write'));

test.each([
  'SELECT 1',
  'SELECT * FROM orders',
  'SELECT * FROM DB.orders AS secret WHERE secret.id = 1',
  'SELECT o.id, i.name FROM orders o LEFT JOIN items AS i ON i.id = o.id ORDER BY o.id LIMIT 1',
  'SELECT count() FROM orders, items WHERE orders.id = items.id',
  'SELECT * FROM (SELECT id FROM orders) AS secret WHERE id IN (1, 2)',
  "SELECT id FROM orders WHERE id IN (SELECT id FROM items) AND item IN ('a', 'secret')",
  'WITH recent AS (SELECT id FROM orders) SELECT * FROM recent JOIN items USING (id)',
  'WITH 5 AS five SELECT five, id FROM orders',
  'SELECT tag FROM orders ARRAY JOIN tags AS tag',
  "SELECT trim(BOTH ' ' FROM item), extract(item, 'a') FROM orders",
  'SELECT number FROM numbers(3)',
  'SELECT id FROM orders UNION ALL SELECT id FROM items',
  'FROM orders SELECT id',
  'SELECT word FROM words',
  'EXPLAIN SELECT * FROM orders',
  'DESCRIBE TABLE orders',
  'EXISTS TABLE items',
  "INSERT INTO items (id, name) VALUES (1, 'secret'), (2, 'x')",
  'INSERT INTO items SELECT id + 10, item FROM orders',
  'OPTIMIZE TABLE items',
  'TRUNCATE TABLE items',
  'DROP TABLE IF EXISTS made1',
])('takes %s', async (query) => {
  expect(await onWrite(query)).toBe('taken');
});

test.each([
  ['SELECT * FROM secret', 'secret'],
  ['SELECT * FROM `secret`', 'secret'],
  ['SELECT * FROM "secret"', 'secret'],
  ['SELECT * FROM DB.secret', 'secret'],
  ['SELECT * FROM /* orders */ secret', 'secret'],
  ['SELECT * FROM Orders', 'Orders'],
  ['FROM secret SELECT word', 'secret'],
  ['SELECT (SELECT word FROM secret)', 'secret'],
  ['SELECT trim((FROM secret SELECT word LIMIT 1))', 'secret'],
  ['SELECT * FROM orders, secret', 'secret'],
  ['SELECT * FROM orders AS o, secret AS s', 'secret'],
  ['SELECT * FROM orders JOIN secret ON secret.id = orders.id', 'secret'],
  ['SELECT * FROM orders o JOIN items i ON i.id = o.id, secret', 'secret'],
  ['SELECT * FROM orders o JOIN (SELECT 1 AS `limit`) q ON q.limit = o.id, secret', 'secret'],
  ['SELECT * FROM orders WHERE id IN secret', 'secret'],
  ['SELECT * FROM orders WHERE id GLOBAL NOT IN (secret)', 'secret'],
  ['SELECT in(1, secret)', 'secret'],
  ['SELECT id FROM orders UNION ALL SELECT id FROM secret', 'secret'],
  ['SELECT id FROM orders EXCEPT SELECT id FROM secret', 'secret'],
  ['WITH secret AS (SELECT 1 AS id) SELECT * FROM orders UNION ALL SELECT * FROM secret', 'secret'],
  ['SELECT * FROM (WITH secret AS (SELECT 1) SELECT 2), secret', 'secret'],
  ['SELECT * FROM system.tables', 'system.tables'],
  ['SELECT * FROM information_schema.tables', 'information_schema.tables'],
  ['EXPLAIN PLAN SELECT * FROM secret', 'secret'],
  ['DESC secret', 'secret'],
  ['EXISTS secret', 'secret'],
  ["INSERT INTO secret VALUES (2, 'x')", 'secret'],
  ['INSERT INTO items SELECT id, word FROM secret', 'secret'],
  ['TRUNCATE TABLE IF EXISTS secret', 'secret'],
  ['DROP TABLE secret', 'secret'],
] as const)('refuses %s', async (query, name) => {
  expect(await onWrite(query)).toBe(`allow ${name}`);
});

test.each([
  "SELECT * FROM merge('DB', 'secret')",
  "SELECT * FROM remote('127.0.0.1', 'DB.secret')",
  "SELECT * FROM file('x.csv')",
  "SELECT * FROM dictionary('secret')",
  "SELECT dictGet('DB.secret', 'word', 1)",
  "SELECT joinGet('DB.secret', 'word', 1)",
  "SELECT hasColumnInTable('DB', 'secret', 'word')",
  'SELECT globalIn(1, secret)',
  'SHOW TABLES',
  'SHOW CREATE TABLE secret',
  'CREATE TABLE made2 AS secret',
  'CREATE VIEW made3 AS SELECT * FROM secret',
  'ALTER TABLE orders ATTACH PARTITION 1 FROM secret',
  'RENAME TABLE secret TO made4',
  'EXCHANGE TABLES secret AND orders',
  'DROP DATABASE DB',
  "INSERT INTO FUNCTION file('x.csv') SELECT 1",
  "SELECT * FROM orders SETTINGS additional_table_filters = {'orders': 'id IN (SELECT id FROM secret)'}",
  'SELECT * FROM {t:Identifier}',
  'SELECT * FROM orders AS o JOIN items AS i ON where = i.id, secret',
  'SELECT 1 FROM',
])('cannot tell what %s names', async (query) => {
  const params = query.includes('{t') ? { t: 'secret' } : {};
  const request = sql(named(query), params);
  expect(await verdict(run(writer, request, 'write'))).toBe('allow_undecided');
});

describe('on each way in', () => {
  const closed = (members: object) =>
    ({ query: 'SELECT * FROM secret', ...members }) as ClickhouseRequest;
  test.each([
    ['a read', () => reader.run(closed({ type: 'query' }), callOf('read'))],
    ['a stream', () => drained(reader.stream(closed({ type: 'query' }), callOf('read')))],
    ['bytes', () => reader.run(closed({ type: 'fetch_bytes', format: 'CSV' }), callOf('read'))],
    [
      'rows',
      () => writer.run({ type: 'insert', table: 'secret', rows: [{ id: 2 }] }, callOf('write')),
    ],
    ['ddl', () => writer.run({ type: 'ddl', query: 'DROP TABLE secret' }, callOf('write'))],
  ] as const)('%s is refused', async (_, way) => {
    expect(await verdict(way())).toBe('allow secret');
  });

  test('none of it has happened, and the schema tells the open part', async () => {
    expect(await database.outside('SELECT id, word FROM secret')).toEqual([['1', 's3cret']]);
    const { tables } = await reader.inspect({ limit: 100 }, callOf('read'));
    expect(tables.map(({ name }) => name)).toEqual(['items', 'orders', 'words']);
    expect(await reader.ping(callOf('read'))).toBeGreaterThan(0);
  });
});

async function drained(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of pieces);
}

test('a typo is told as one', async () => {
  expect(await onWrite('SELCT * FROM secret')).toBe(
    'failed: SELCT begins no statement of ClickHouse',
  );
});
