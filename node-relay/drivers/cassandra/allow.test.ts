/** `config.allow`: what statements may name, on each way into a real database. Spec: keys-and-doors.md §4. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf, testHost } from '../test/host.ts';
import { verdictOn } from '../test/verdict.ts';
import type { CassandraClient } from './index.ts';
import { cql, run, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let writer: CassandraClient;
let reader: CassandraClient;

beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE orders (id int PRIMARY KEY, item text)',
    'CREATE TABLE "Items" (id int PRIMARY KEY, item text)',
    'CREATE TABLE secret (id int PRIMARY KEY, word text)',
    "INSERT INTO secret (id, word) VALUES (1, 's3cret')",
  );
  const allow = { tables: ['orders', `${database.name}.Items`, 'made*'] };
  const open = (mode: 'read' | 'write') =>
    database.open(mode, 2, { url: database.url }, testHost(2), { allow });
  [writer, reader] = await Promise.all([open('write'), open('read')]);
});
afterAll(() => database.drop());

const verdict = (work: Promise<unknown>) => verdictOn(work, database.name);

test.each([
  'SELECT * FROM orders',
  'SELECT id, item FROM /* x */ ORDERS WHERE id = 1',
  'SELECT JSON * FROM "orders" LIMIT 1;',
  'SELECT count(*), max(id) FROM "Items"',
  "INSERT INTO orders (id, item) VALUES (1, 'FROM secret')",
  'INSERT INTO orders JSON \'{"id": 2}\' IF NOT EXISTS',
  "UPDATE orders USING TTL 60 SET item = 'x' WHERE id = 1",
  'DELETE item FROM orders WHERE id = 1',
  'BEGIN BATCH INSERT INTO orders (id) VALUES (3) UPDATE "Items" SET item = \'a\' WHERE id = 1; DELETE FROM orders WHERE id = 9 APPLY BATCH',
  'TRUNCATE TABLE "Items"',
  'CREATE TABLE IF NOT EXISTS made1 (id int PRIMARY KEY, a text)',
  'CREATE INDEX IF NOT EXISTS ON made1 (a)',
  'ALTER TABLE made1 ADD b text',
  'DROP TABLE IF EXISTS made1',
])('takes %s', async (query) => {
  expect(await verdict(run(writer, cql(query), 'write'))).toBe('taken');
});

const CLOSED: readonly (readonly [query: string, name: string])[] = [
  ['SELECT * FROM secret', 'secret'],
  ['select word from Secret where id = 1', 'secret'],
  ['SELECT * FROM "secret"', 'secret'],
  ['SELECT * FROM items', 'items'],
  ['SELECT * FROM "Orders"', 'Orders'],
  ['SELECT/* FROM orders */word FROM--x\nsecret', 'secret'],
  ['SELECT * FROM orders; SELECT * FROM secret', 'secret'],
  ['SELECT * FROM system.local', 'system.local'],
  ['SELECT * FROM system_schema.tables', 'system_schema.tables'],
  ['SELECT * FROM system_auth.roles', 'system_auth.roles'],
  ['INSERT INTO secret (id) VALUES (2)', 'secret'],
  ["UPDATE secret SET word = 'x' WHERE id = 1", 'secret'],
  ['DELETE FROM secret WHERE id = 1', 'secret'],
  ['TRUNCATE secret', 'secret'],
  ['TRUNCATE COLUMNFAMILY secret', 'secret'],
  [
    'BEGIN UNLOGGED BATCH INSERT INTO orders (id) VALUES (1) INSERT INTO secret (id) VALUES (2) APPLY BATCH',
    'secret',
  ],
  ['CREATE TABLE other (id int PRIMARY KEY)', 'other'],
  ['ALTER TABLE secret ADD b text', 'secret'],
  ['DROP TABLE IF EXISTS secret', 'secret'],
  ['CREATE INDEX ON secret (word)', 'secret'],
  ['CREATE CUSTOM INDEX IF NOT EXISTS i ON secret (word)', 'secret'],
];
test.each(CLOSED)('refuses %s', async (query, name) => {
  expect(await verdict(run(writer, cql(query), 'write'))).toBe(`allow ${name}`);
});

test.each([
  'CREATE TABLE made2 LIKE secret',
  'CREATE MATERIALIZED VIEW made3 AS SELECT * FROM secret WHERE id IS NOT NULL PRIMARY KEY (id)',
  'DROP INDEX i',
  'DROP KEYSPACE system_auth',
  "CREATE ROLE eve WITH PASSWORD = 'x'",
  'GRANT ALL PERMISSIONS ON ALL KEYSPACES TO eve',
  'LIST ROLES',
  'DESCRIBE TABLES',
  'BEGIN TRANSACTION SELECT * FROM orders; COMMIT TRANSACTION',
  "SELECT * FROM 'secret'",
  'SELECT * FROM orders.',
  'SELECT 1',
  "SELECT * FROM orders WHERE item = 'x",
])('cannot tell what %s names', async (query) => {
  expect(await verdict(run(writer, cql(query), 'write'))).toBe('allow_undecided');
});

describe('on each way in', () => {
  const closed = cql('SELECT * FROM secret');
  const change = cql('INSERT INTO secret (id) VALUES (5)');
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    'a read': () => reader.run(closed, callOf('read')),
    'a page': () => reader.run(cql('SELECT * FROM secret', [], { page_size: 1 }), callOf('read')),
    'a stream': async () => {
      for await (const _ of reader.stream(closed, callOf('read')));
    },
    'a transaction': () =>
      writer.transact([cql('INSERT INTO orders (id) VALUES (5)'), change], callOf('write')),
    'a batch': () => {
      const queries = ['INSERT INTO orders (id) VALUES (5)', 'DELETE FROM secret WHERE id = 1'];
      return writer.run({ type: 'batch', queries }, callOf('write'));
    },
  };
  test.each(Object.entries(ways))('%s is refused', async (_, way) => {
    expect(await verdict(way())).toBe('allow secret');
  });

  test('a batch tells which of its statements it was', async () => {
    expect(await failureOf(ways['a batch']?.() ?? Promise.resolve())).toMatchObject({
      code: 'FORBIDDEN',
      details: [{ rule: 'allow', operation: 1 }],
    });
  });

  test('none of it has happened, and the schema tells the open part', async () => {
    expect(await database.outside('SELECT id, word FROM secret')).toEqual([['1', 's3cret']]);
    const { tables } = await reader.inspect({ limit: 100 }, callOf('read'));
    expect(tables.map(({ name }) => name)).toEqual(['Items', 'orders']);
    expect(await reader.ping(callOf('read'))).toBeGreaterThan(0);
    expect(
      jsonOf(await reader.run(cql('SELECT id FROM orders WHERE id = 77'), callOf('read'))),
    ).toMatchObject({ rows: [] });
  });
});

test('a typo is told as one', async () => {
  expect(await verdict(run(writer, cql('SELCT * FROM secret'), 'write'))).toBe(
    'failed: SELCT begins no statement of Cassandra',
  );
});
