/**
 * No statement changes or reads a table through `config.allow`: generated batches in which statements follow on literals of all
 * sorts, and queries of them. `TEST_RUNS` asks for more. Spec: keys-and-doors.md §4.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { testHost } from '../test/host.ts';
import type { CassandraClient } from './index.ts';
import { cql, run, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let fenced: CassandraClient;
let open: CassandraClient;

/** Types of keys, with literals of each. */
const LITERALS = {
  uuid: ['123e4567-e89b-12d3-a456-42661417400a', 'F23E4567-E89B-12D3-A456-42661417400B'],
  blob: ['0x', '0xab', '0XAB', '0x0'],
  double: ['1', '1.5', '1e5', '1.e+5', '-1', 'NaN', '-Infinity'],
  int: ['1', '-1', '007'],
  text: ["'a'", "'it''s'", '$$a$$', "$$'$$", "'UPDATE made SET'"],
  boolean: ['true', 'FALSE'],
};
type Type = keyof typeof LITERALS;
const types = Object.keys(LITERALS) as Type[];

beforeAll(async () => {
  database = await TestDatabase.create(
    ...types.map((type) => `CREATE TABLE made_${type} (k ${type} PRIMARY KEY, t text)`),
    'CREATE TABLE secret (id int PRIMARY KEY, word text)',
    "INSERT INTO secret (id, word) VALUES (1, 's3cret')",
  );
  const allow = { tables: ['made_*'] };
  const opened = (members: { readonly [member: string]: Json }) =>
    database.open('write', 2, { url: database.url }, testHost(2), members);
  [fenced, open] = await Promise.all([opened({ allow }), opened({})]);
});
afterAll(() => database.drop());

const keys = fc
  .constantFrom(...types)
  .chain((type) => fc.constantFrom(...LITERALS[type]).map((literal) => ({ type, literal })));
const gaps = fc.constantFrom('', '', '', ' ', ';', '; ', '/**/', '--\n', '//;\r');
const tables = fc.constantFrom('secret', '"secret"', 'SECRET', 'KS.secret', ' KS . "secret"');
/** Statements that change the table. */
const CHANGES: readonly ((table: string) => string)[] = [
  (t) => `UPDATE ${t} SET word = 'gone' WHERE id = 1`,
  (t) => `update/**/${t} USING TTL 60 SET word = 'gone' WHERE id = 1`,
  (t) => `INSERT INTO ${t} (id, word) VALUES (1, 'gone')`,
  (t) => `INSERT INTO ${t} JSON '{"id": 1, "word": "gone"}'`,
  (t) => `DELETE FROM ${t} WHERE id = 1`,
  (t) => `DELETE word FROM ${t} WHERE id = 1`,
];
/** Statements that end in a literal. */
const BEFORE: readonly ((type: Type, literal: string) => string)[] = [
  (type, literal) => `UPDATE made_${type} SET t = 'x' WHERE k = ${literal}`,
  (type, literal) => `DELETE FROM made_${type} WHERE k = ${literal}`,
  (type, literal) => `DELETE t FROM made_${type} USING TIMESTAMP 1 WHERE k IN (${literal}`,
];
const batches = fc
  .record({
    begin: fc.constantFrom(
      'BEGIN BATCH ',
      'begin unlogged batch ',
      'BEGIN BATCH USING TIMESTAMP 9999999999999999 ',
    ),
    key: keys,
    before: fc.constantFrom(...BEFORE),
    gap: gaps,
    change: fc.constantFrom(...CHANGES),
    table: tables,
  })
  .map(({ begin, key: { type, literal }, before, gap, change, table }) => {
    const first = before(type, literal);
    const close = first.includes('IN (') ? ')' : '';
    return `${begin}${first}${close}${gap}${change(table)} APPLY BATCH`;
  });
const queries = fc
  .record({ key: keys, gap: gaps, table: tables })
  .map(({ key: { type, literal }, gap, table }) => `SELECT (${type})${literal}${gap}FROM ${table}`);

async function outcome(client: CassandraClient, text: string): Promise<string> {
  try {
    await run(client, cql(text), 'write');
    return 'taken';
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

const RUNS = 100 * Number(process.env.TEST_RUNS ?? 1);
test.each([
  ['batch', batches],
  ['query', queries],
])('no %s reaches a closed table', async (_, statements) => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(statements, async (statement) => {
      const text = statement.replaceAll('KS', database.name);
      if ((await outcome(open, text)) !== 'taken') return;
      taken += 1;
      expect([text, await outcome(fenced, text)]).toEqual([text, 'FORBIDDEN']);
    }),
    { numRuns: RUNS },
  );
  // Most of them have to be statements that the server takes.
  expect(taken).toBeGreaterThan(RUNS / 4);
});
