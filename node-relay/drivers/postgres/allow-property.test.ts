/**
 * Statements put together at random: one with a closed table anywhere is refused, and of one that is let through the
 * server's own list of locks holds nothing that is closed. Spec: keys-and-doors.md §4.
 */
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const OPEN = ['a', 'b', 'shop.c', '"shop"."Odd"', 'public.a', 'A'] as const;
const CLOSED = [
  'secret',
  'public.secret',
  '"secret"',
  'SECRET',
  'hidden.a',
  'hidden.secret',
  'U&"s\\0065cret"',
  'h',
] as const;
/** Names that WITH and aliases give: those of tables, too. */
const NAMES = ['a', 'b', 'secret', 'h', 'x'] as const;
const ALLOW = { schemas: ['shop'], tables: ['a', 'public.b'] };

let database: TestDatabase;
let writer: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE SCHEMA shop; CREATE SCHEMA hidden;
    CREATE TABLE a (id int, w text); CREATE TABLE b (id int, w text); CREATE TABLE shop.c (id int, w text);
    CREATE TABLE shop."Odd" (id int, w text); CREATE TABLE secret (id int, w text); CREATE TABLE h (id int, w text);
    CREATE TABLE hidden.a (id int, w text); CREATE TABLE hidden.secret (id int, w text);`);
  writer = await database.open('write', { connections: 2, allow: ALLOW });
});
afterAll(() => database.drop());

/** A query of two columns, id and w, over these tables at its leaves. */
function queries(tables: readonly string[], depth: number): fc.Arbitrary<string> {
  const table = fc.constantFrom(...tables);
  const leaf = fc.oneof(
    table.map((t) => `SELECT id, w FROM ${t}`),
    table.map((t) => `TABLE ${t}`),
    table.map((t) => `SELECT id, w FROM ONLY ${t} AS secret WHERE secret.id > 0`),
    fc.constant("SELECT 1 AS id, 'x' AS w"),
  );
  if (depth === 0) return leaf;
  const inner = queries(tables, depth - 1);
  const name = fc.constantFrom(...NAMES);
  return fc.oneof(
    leaf,
    inner.map((q) => `SELECT id, w FROM (${q}) AS secret`),
    fc.tuple(inner, inner).map(([p, q]) => `(${p}) UNION ALL (${q})`),
    fc.tuple(inner, inner).map(([p, q]) => `(${p}) EXCEPT (${q}) ORDER BY 1 LIMIT 3`),
    fc
      .tuple(inner, inner)
      .map(
        ([p, q]) => `SELECT x.id, y.w FROM (${p}) x(id, w) LEFT JOIN (${q}) y(id, w) USING (id)`,
      ),
    fc
      .tuple(inner, inner)
      .map(
        ([p, q]) =>
          `SELECT x.id, y.w FROM (${p}) x(id, w), LATERAL (SELECT * FROM (${q}) z(id, w) WHERE z.id = x.id) y`,
      ),
    fc
      .tuple(inner, table)
      .map(([q, t]) => `SELECT x.id, (SELECT t.w FROM ${t} t LIMIT 1) AS w FROM (${q}) x(id, w)`),
    inner.map(
      (q) => `SELECT 1 AS id, coalesce((SELECT max(s.w) FROM (${q}) s(id, w)), upper('x')) AS w`,
    ),
    fc
      .tuple(inner, inner)
      .map(
        ([p, q]) =>
          `SELECT * FROM (${p}) x(id, w) WHERE EXISTS (${q}) OR id IN (SELECT s.id FROM (${q}) s(id, w))`,
      ),
    // A name of WITH hides tables of its name in its own scope alone.
    fc
      .tuple(name, inner, inner)
      .map(
        ([n, p, q]) =>
          `WITH ${n} (id, w) AS (${p}), y9 (id, w) AS (${q}) SELECT ${n}.id, y9.w FROM ${n}, y9`,
      ),
    fc
      .tuple(name, inner, fc.boolean())
      .map(([n, p, m]) => `WITH ${n} (id, w) AS ${m ? 'MATERIALIZED' : ''} (${p}) TABLE ${n}`),
    inner.map(
      (p) =>
        `WITH RECURSIVE r9 (id, w) AS ((${p}) UNION SELECT id + 1, w FROM r9 WHERE id < 2) TABLE r9`,
    ),
  );
}

/** Statements around a query. */
function statements(tables: readonly string[], targets: readonly string[]): fc.Arbitrary<string> {
  const query = queries(tables, 3);
  const target = fc.constantFrom(...targets);
  return fc.oneof(
    { weight: 4, arbitrary: query },
    fc
      .tuple(target, query)
      .map(
        ([t, q]) =>
          `INSERT INTO ${t} (id, w) ${q.startsWith('WITH') ? q : `SELECT * FROM (${q}) q(id, w)`} RETURNING id`,
      ),
    fc
      .tuple(target, query)
      .map(([t, q]) => `UPDATE ${t} AS u SET w = q.w FROM (${q}) q(id, w) WHERE q.id = u.id`),
    fc
      .tuple(target, query)
      .map(
        ([t, q]) =>
          `DELETE FROM ${t} AS u USING (${q}) q(id, w) WHERE q.id = u.id RETURNING (SELECT 1)`,
      ),
    fc
      .tuple(target, query)
      .map(
        ([t, q]) =>
          `MERGE INTO ${t} u USING (${q}) q(id, w) ON u.id = q.id WHEN MATCHED THEN DO NOTHING`,
      ),
    fc
      .tuple(target, query)
      .map(
        ([t, q]) =>
          `WITH secret AS (DELETE FROM ${t} RETURNING id, w) SELECT * FROM secret UNION ALL (${q})`,
      ),
    query.map((q) => `EXPLAIN (COSTS OFF) ${q}`),
  );
}

async function verdictOn(query: string): Promise<'taken' | 'refused' | string> {
  try {
    await run(writer, sql(query), 'write');
    return 'taken';
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'FORBIDDEN') return 'refused';
    throw error;
  }
}

/** Tables that a statement locks while it runs, as the server lists them. */
async function locked(client: pg.Client, query: string): Promise<string[]> {
  await client.query('BEGIN');
  try {
    await client.query(query);
    const { rows } = await client.query<{ name: string }>(
      `SELECT n.nspname || '.' || c.relname AS name FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE l.pid = pg_backend_pid() AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND n.nspname IN ('public', 'shop', 'hidden')`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.query('ROLLBACK');
  }
}

const OPENED = /^(?:shop\..*|public\.[ab])$/;

test('the server locks nothing closed for what is taken, and something closed for what is refused', async () => {
  const seen = { taken: 0, refused: 0 };
  const all = statements([...OPEN, ...CLOSED], ['a', 'shop.c', 'secret', 'hidden.a']);
  await fc.assert(
    fc.asyncProperty(all, async (query) => {
      const verdict = await verdictOn(query);
      const closed = (await locked(database.outside, query)).filter((name) => !OPENED.test(name));
      seen[verdict as 'taken'] += 1;
      expect([query, verdict, closed.length > 0]).toEqual([query, verdict, verdict === 'refused']);
    }),
    { numRuns: 600 },
  );
  // Both came up often enough to say something.
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(50);
});

test('what is put together of open tables alone is taken', async () => {
  await fc.assert(
    fc.asyncProperty(statements(OPEN, ['a', 'b', 'shop.c']), async (query) => {
      expect([query, await verdictOn(query)]).toEqual([query, 'taken']);
    }),
    { numRuns: 300 },
  );
});
