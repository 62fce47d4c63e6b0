/** What a PostgreSQL database reports about itself: tables of all sorts, types as results name them, pages, rights. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InspectedTable, InspectPage } from '../../../proto/driver.ts';
import { callOf } from '../test/host.ts';
import { run, sql, TestDatabase } from './test/database.ts';
import { OWN_TYPES, TYPE_ROWS } from './test/type-rows.ts';

let database: TestDatabase;
const role = `reader_${randomUUID().slice(0, 8)}`;

beforeAll(async () => {
  database = await TestDatabase.create(`${OWN_TYPES}
    CREATE TABLE orders (b int, a bigint, "Odd ""name" text NOT NULL, part text, PRIMARY KEY (a, b));
    CREATE UNIQUE INDEX by_lower ON orders (lower(part), b) INCLUDE ("Odd ""name");
    CREATE INDEX odd ON orders ("Odd ""name" DESC) WHERE b > 0;
    ALTER TABLE orders ADD gone int; ALTER TABLE orders DROP gone;
    CREATE SCHEMA stock;
    CREATE VIEW stock.seen AS SELECT a, part FROM orders;
    CREATE MATERIALIZED VIEW stock.kept AS SELECT a FROM orders;
    CREATE TABLE stock.split (day date NOT NULL, size small) PARTITION BY RANGE (day);
    CREATE TABLE stock.split_1 PARTITION OF stock.split FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    CREATE FOREIGN DATA WRAPPER away; CREATE SERVER far FOREIGN DATA WRAPPER away;
    CREATE FOREIGN TABLE stock.other (n numeric(10,2)) SERVER far;
    CREATE TEMP TABLE mine (a int);
    CREATE DOMAIN must AS small NOT NULL;
    CREATE TABLE stock.musts (m must);
    CREATE ROLE ${role} LOGIN PASSWORD 'reads';
    CREATE SCHEMA closed; CREATE TABLE closed.a (a int); GRANT SELECT ON closed.a TO ${role};
    GRANT USAGE ON SCHEMA stock TO ${role}; GRANT SELECT (day) ON stock.split TO ${role};
    GRANT SELECT ON stock.seen TO ${role};`);
});
afterAll(async () => {
  const owner = new pg.Client(database.url);
  await owner.connect();
  await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await owner.end();
  await database.drop();
});

async function inspect(page: InspectPage = { limit: 1000 }, url = database.url) {
  const session = await database.open('read', {}, url);
  const told = await session.inspect(page, callOf('read'));
  if (told === undefined) throw new Error('It does not tell');
  return told;
}

const NO_KEY = { primary_key: [], indexes: [] };
const column = (name: string, type: string, nullable = true) => ({ name, type, nullable });
const ALL: readonly InspectedTable[] = [
  { namespace: 'closed', name: 'a', type: 'table', columns: [column('a', 'integer')], ...NO_KEY },
  {
    namespace: 'public',
    name: 'orders',
    type: 'table',
    columns: [
      column('b', 'integer', false),
      column('a', 'bigint', false),
      column('Odd "name', 'text', false),
      column('part', 'text'),
    ],
    primary_key: ['a', 'b'],
    indexes: [
      { name: 'by_lower', columns: ['lower(part)', 'b'], unique: true },
      { name: 'odd', columns: ['Odd "name'], unique: false },
      { name: 'orders_pkey', columns: ['a', 'b'], unique: true },
    ],
  },
  {
    namespace: 'stock',
    name: 'kept',
    type: 'materialized view',
    columns: [column('a', 'bigint')],
    ...NO_KEY,
  },
  {
    namespace: 'stock',
    name: 'musts',
    type: 'table',
    columns: [column('m', 'bigint', false)],
    ...NO_KEY,
  },
  {
    namespace: 'stock',
    name: 'other',
    type: 'foreign table',
    columns: [column('n', 'numeric')],
    ...NO_KEY,
  },
  {
    namespace: 'stock',
    name: 'seen',
    type: 'view',
    columns: [column('a', 'bigint'), column('part', 'text')],
    ...NO_KEY,
  },
  {
    namespace: 'stock',
    name: 'split',
    type: 'partitioned table',
    columns: [column('day', 'date', false), column('size', 'bigint')],
    ...NO_KEY,
  },
  {
    namespace: 'stock',
    name: 'split_1',
    type: 'table',
    columns: [column('day', 'date', false), column('size', 'bigint')],
    ...NO_KEY,
  },
];

describe('a PostgreSQL database', () => {
  test("tells of all sorts of tables, and of nothing of the system's", async () => {
    expect(await inspect()).toEqual({ tables: ALL, more: false });
  });

  test('tells page by page, each table once', async () => {
    const found: InspectedTable[] = [];
    let page: InspectPage = { limit: 3 };
    for (;;) {
      const { tables, more } = await inspect(page);
      found.push(...tables);
      expect(more).toBe(found.length < ALL.length);
      const last = tables.at(-1);
      if (!more || last === undefined) break;
      page = { limit: 3, after: [last.namespace, last.name] };
    }
    expect(found).toEqual(ALL);
  });

  test('ends a page early when its text grows too long', async () => {
    const session = await database.open('read');
    const told = await session.inspect({ limit: 5 }, callOf('read', { resultMaxBytes: 10 }));
    expect(told).toEqual({ tables: ALL.slice(0, 1), more: true });
  });

  test('tells only what the role may see', async () => {
    const url = new URL(database.url);
    url.username = role;
    url.password = 'reads';
    const seen = ALL.find(({ name }) => name === 'seen');
    const split = ALL.find(({ name }) => name === 'split');
    expect(await inspect(undefined, url.href)).toEqual({
      tables: [seen, { ...split, columns: split?.columns.slice(0, 1) }],
      more: false,
    });
  });

  test('names types as results do', async () => {
    const types = [...new Set(TYPE_ROWS.map(({ type }) => type))];
    const columns = types.map((type, at) => `c${at} ${type}`).join(', ');
    await database.outside.query(`CREATE TABLE types (${columns})`);
    const result = await run(await database.open('read'), sql('SELECT * FROM types'), 'read');
    const { tables } = await inspect({ limit: 1, after: ['public', 'orders'] });
    const [table] = tables;
    expect(table?.columns.map(({ name, type }) => ({ name, type }))).toEqual(result.columns);
    await database.outside.query('DROP TABLE types');
  });
});
