/** Which statements are taken to read without asking their backend. */
import { expect, test } from 'vitest';
import { certainlyReads } from './certain-reads.ts';

test.each([
  'SELECT 1',
  ' select count(*) from orders where id in (1, 2)',
  "SELECT name FROM orders WHERE note = 'it''s for update (now)' ORDER BY lower(name)",
  'TABLE orders',
  'SELECT coalesce(sum(n), 0) FROM (SELECT n FROM a UNION ALL (SELECT n FROM b)) AS c',
])('%s', (statement) => {
  expect(certainlyReads(statement)).toBe(true);
});

test.each([
  'INSERT INTO orders VALUES (1)',
  'SELECT nextval($1)',
  "SELECT pg_catalog.setval('s', 1)",
  'SELECT * FROM orders FOR UPDATE',
  'SELECT * FROM orders LOCK IN SHARE MODE',
  'SELECT * INTO copied FROM orders',
  'WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone',
  'SELECT 1; DELETE FROM orders',
  'SELECT /*! 1 */ 1',
  'SELECT @a := 1',
  'SELECT `f`(1)',
  'SELECT "f"(1)',
  "SELECT 'a\\' OR f(1) -- '",
  `SELECT ${'a'.repeat(5_000)}`,
  '',
])('not %s', (statement) => {
  expect(certainlyReads(statement)).toBe(false);
});
