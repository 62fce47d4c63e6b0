/**
 * No statement reads through `config.allow`: generated ones, in which words of the grammar are names and tables stand in
 * odd places. What shows a closed table to who may name everything is refused to who may not. `TEST_RUNS` asks for more.
 * Spec: keys-and-doors.md §4.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { callOf } from '../test/host.ts';
import type { ClickhouseClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let fenced: ClickhouseClient;
let open: ClickhouseClient;

beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE orders (id UInt32, item String, tags Array(String)) ENGINE = Memory',
    'CREATE TABLE notes (note String) ENGINE = Memory',
    'CREATE TABLE secret (word String) ENGINE = Memory',
    'CREATE TABLE date (word String) ENGINE = Memory',
    "INSERT INTO orders VALUES (1, 'tea', ['a'])",
    "INSERT INTO secret VALUES ('s3cret')",
    "INSERT INTO date VALUES ('s3cret')",
  );
  const allow = { tables: ['orders', 'notes', 'made*'] };
  [fenced, open] = await Promise.all([
    database.open('write', { allow }),
    database.open('write', {}),
  ]);
});
afterAll(() => database.drop());

/** Words of the grammar, which the server also takes for names in many places. */
const words = fc.constantFrom(
  ...'a array join select from where limit group order having format settings final sample union except intersect'.split(
    ' ',
  ),
  ...'prewhere qualify window offset with in not on using as and insert values all any global inner left case'.split(
    ' ',
  ),
  ...'interval date array_ desc explain exists infile view table'.split(' '),
);
const quotings = fc.constantFrom(
  (name: string) => name,
  (name: string) => `\`${name}\``,
  (name: string) => `"${name}"`,
  (name: string) => `/* orders */ ${name} -- x\n`,
  (name: string) => `DB.${name}`,
  (name: string) => `\`${name.replace('e', '\\x65')}\``,
);
const closed = fc
  .tuple(fc.constantFrom('secret', 'date'), quotings)
  .map(([name, quoting]) => quoting(name));

/** Conditions over a column that is named by a word. */
const CONDITIONS: readonly ((word: string) => string)[] = [
  (w) => w,
  (w) => `1 = ${w}`,
  (w) => `${w} = 1`,
  (w) => `o.id = 1 * ${w}`,
  (w) => `NOT ${w} = 2`,
  (w) => `- ${w} = -1`,
  (w) => `(${w}) = 1`,
  (w) => `${w} IN (1, 2)`,
  (w) => `${w} BETWEEN 0 AND ${w}`,
  (w) => `CASE ${w} WHEN 1 THEN 1 ELSE ${w} END`,
  (w) => `INTERVAL ${w} DAY = INTERVAL 1 DAY`,
  (w) => `INTERVAL 1 DAY = INTERVAL ${w} DAY`,
  (w) => `'1' REGEXP toString(${w})`,
  (w) => `1 IS NOT DISTINCT FROM ${w}`,
  (w) => `q.${w}`,
  (w) => `(${w}, 1) = (1, 1)`,
  (w) => `1 ? ${w} : ${w}`,
];
/** Where a table is named beside others. */
const BESIDE: readonly ((table: string) => string)[] = [
  (t) => `, ${t} AS s`,
  (t) => ` CROSS JOIN ${t} AS s`,
  (t) => ` JOIN ${t} AS s ON 1`,
  (t) => ` LEFT JOIN ${t} s ON 1`,
  (t) => `, (SELECT * FROM ${t}) AS s`,
  (t) => `, ((${t} AS s))`,
];
/** Tables ahead of it. */
const AHEAD: readonly ((word: string, condition: (word: string) => string) => string)[] = [
  (w) => `orders AS ${w}`,
  (w) => `orders ${w}`,
  (w) => `(SELECT 1 AS ${w}) AS o`,
  (w) => `(SELECT 1) AS ${w}`,
  (w) => `numbers(1) AS ${w}`,
  (w) => `orders ARRAY JOIN tags AS ${w}`,
  (w) => `orders AS o ARRAY JOIN tags AS t, [1] AS ${w}`,
  (w) => `orders AS o JOIN numbers(1) AS ${w} ON 1`,
  (w) => `orders AS o CROSS JOIN numbers(1) AS ${w}`,
  (w, of) => `(SELECT 1 AS id) AS o JOIN (SELECT 1 AS ${w}) AS q ON ${of(w)}`,
  (w) => `(SELECT 1 AS ${w}) AS o JOIN (SELECT 1 AS ${w}) AS q USING ${w}`,
];
/** Whole queries of what is in FROM. */
const QUERIES: readonly ((from: string) => string)[] = [
  (f) => `SELECT * FROM ${f}`,
  (f) => `FROM ${f} SELECT *`,
  (f) => `SELECT 1 AS made, * FROM ${f} WHERE 1 ORDER BY 1 LIMIT 9`,
  (f) => `SELECT * FROM (SELECT * FROM ${f})`,
  (f) => `SELECT * FROM (FROM ${f})`,
  (f) => `SELECT * FROM view(SELECT * FROM ${f})`,
  (f) => `WITH made AS (SELECT * FROM ${f}) SELECT * FROM made`,
  (f) => `WITH 1 AS made SELECT * FROM ${f}`,
  (f) => `(SELECT * FROM ${f})`,
  (f) => `SELECT (SELECT any(s.word) FROM ${f})`,
  (f) => `SELECT arrayMap(x -> (SELECT any(s.word) FROM ${f}), [1])`,
];
const fromAll = fc
  .record({
    word: words,
    table: closed,
    ahead: fc.constantFrom(...AHEAD),
    beside: fc.constantFrom(...BESIDE),
    condition: fc.constantFrom(...CONDITIONS),
    query: fc.constantFrom(...QUERIES),
  })
  .map(({ word, table, ahead, beside, condition, query }) =>
    query(`${ahead(word, condition)}${beside(table)}`),
  );

/** What IN may have for the name of a table. */
const MEMBERS: readonly ((table: string, word: string) => string)[] = [
  (t) => ` ${t}`,
  (t) => `(${t})`,
  (t) => ` ((${t}))`,
  (t) => `(((${t})))`,
  (t, w) => `(${t} AS ${w})`,
  (t, w) => `(${t} ${w})`,
  (t, w) => `((${t}) AS ${w})`,
  (t) => ` (SELECT word FROM ${t})`,
  (t) => ` (FROM ${t})`,
];
/** Around what IN has: the answer holds what it found. */
const HOLDERS: readonly ((members: string, table: string, word: string) => string)[] = [
  (m) => `SELECT if('s3cret' IN${m}, 'found', 'not')`,
  (m) => `SELECT if('s3cret' NOT IN${m}, 'not', 'found')`,
  (m) => `SELECT if('s3cret' GLOBAL IN${m}, 'found', 'not')`,
  (m) => `SELECT 'found' FROM orders WHERE 's3cret' IN${m}`,
  (m) => `SELECT arrayMap(x -> if(x IN${m}, 'found', 'not'), ['s3cret'])`,
  (m) => `SELECT CASE WHEN 's3cret' IN${m} THEN 'found' END`,
  (m) => `SELECT if(in('s3cret', ${m}), 'found', 'not')`,
  (_m, t) => `WITH ${t} AS orders SELECT if('s3cret' IN orders, 'found', 'not')`,
  (_m, t) => `SELECT ${t} AS made, if('s3cret' IN (made), 'found', 'not')`,
  (_m, t) =>
    `SELECT if('s3cret' IN (made), 'found', 'not') FROM (SELECT 1) WHERE (${t} AS made) IS NULL OR 1`,
  (m, _t, w) => `SELECT 1 AS ${w}, if('s3cret' IN${m}, 'found', 'not')`,
];
const ofIn = fc
  .record({
    word: words,
    table: closed,
    members: fc.constantFrom(...MEMBERS),
    holder: fc.constantFrom(...HOLDERS),
  })
  .map(({ word, table, members, holder }) => holder(members(table, word), table, word));

async function answer(client: ClickhouseClient, query: string): Promise<string> {
  try {
    return Buffer.from(await client.run(sql(query), callOf('write'))).toString();
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

/** Whether an answer shows what is in a closed table; its name, and the statement, may stand in it. */
const shows = (text: string) => /"(?:s3cret|found)"/.test(text);
const RUNS = 400 * Number(process.env.TEST_RUNS ?? 1);

test.each([
  ['FROM', fromAll],
  ['IN', ofIn],
])('what a closed table holds is not read by %s', async (_, statements) => {
  let shown = 0;
  await fc.assert(
    fc.asyncProperty(statements, async (statement) => {
      const query = statement.replaceAll('DB', database.name);
      if (!shows(await answer(open, query))) return;
      shown += 1;
      expect([query, await answer(fenced, query)]).toEqual([query, 'FORBIDDEN']);
    }),
    { numRuns: RUNS },
  );
  // Most of them have to be statements that the server takes.
  expect(shown).toBeGreaterThan(RUNS / 8);
});

test.each([
  'INSERT INTO notes SELECT word FROM secret',
  'INSERT INTO notes (note) SELECT word FROM secret',
  'INSERT INTO notes (WITH 1 AS a SELECT word FROM secret)',
  'INSERT INTO notes (FROM secret SELECT word)',
  'INSERT INTO notes ((SELECT word FROM secret))',
  'INSERT INTO notes VALUES ((SELECT any(word) FROM secret))',
  "INSERT INTO notes VALUES (if('s3cret' IN secret, 's3cret', ''))",
  "WITH 's3cret' AS a INSERT INTO secret SELECT a",
  "INSERT INTO secret VALUES ('x')",
  "EXPLAIN PIPELINE INSERT INTO secret SELECT 'x'",
  'DROP TABLE orders, secret',
  'DROP TABLE IF EXISTS made, secret',
  'EXISTS VIEW secret',
  'EXISTS DICTIONARY secret',
  'EXISTS TEMPORARY TABLE secret',
  "INSERT INTO notes FROM numbers(1) ARRAY JOIN [file('/etc/passwd')] AS f SELECT f",
])('%s is refused, and changes nothing', async (query) => {
  expect(await answer(fenced, query)).toBe('FORBIDDEN');
  expect(await database.outside('SELECT * FROM notes')).toEqual([]);
  expect(await database.outside('SELECT * FROM secret')).toEqual([['s3cret']]);
});
