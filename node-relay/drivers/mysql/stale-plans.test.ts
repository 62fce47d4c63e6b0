/**
 * A statement that runs again answers what it answers when it runs for the first time, whatever its tables held at the runs before:
 * generated ones with inner SELECTs, joins and views, over tables that are empty, hold NULL, or change. `TEST_RUNS` asks for more.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: MysqlClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE a (x int, y int); CREATE TABLE b (x int, y int); CREATE TABLE c (x int PRIMARY KEY, y int);
    CREATE VIEW found AS SELECT x, x IN (SELECT y FROM b) AS y FROM a;
    CREATE VIEW some AS SELECT x, y FROM b WHERE y IS NOT NULL;
    CREATE VIEW outer_found AS SELECT found.x, c.y FROM found LEFT JOIN c ON c.x = found.y`);
  read = await database.open('read', { connections: 1 });
});
afterAll(() => database.drop());

const tables = fc.constantFrom('a', 'b', 'c', 'found', 'some', 'outer_found');
const columns = fc.constantFrom('x', 'y');
const small = fc.constantFrom(null, 0, 1, 2);

/** An expression or a condition, and the parameters in it. */
interface Part {
  readonly text: string;
  readonly values: readonly (number | null)[];
}

const of = (text: string, ...parts: readonly Part[]): Part => {
  let at = 0;
  return {
    text: text.replaceAll('#', () => parts[at++]?.text ?? ''),
    values: parts.flatMap(({ values }) => values),
  };
};

/** Over the table `o` outside, and `i` within an inner SELECT. */
const { expression } = fc.letrec<{ expression: Part; leaf: Part; inner: Part }>((tie) => ({
  leaf: fc.oneof(
    columns.map((name) => of(`o.${name}`)),
    small.map((value) => of(value === null ? 'NULL' : String(value))),
    small.map((value): Part => ({ text: '?', values: [value] })),
  ),
  inner: fc
    .tuple(columns, tables, fc.option(tie('leaf')), fc.constantFrom('=', '<', '<=>'))
    .map(([column, table, leaf, sign]) =>
      leaf
        ? of(`SELECT i.${column} FROM ${table} i WHERE i.x ${sign} #`, leaf)
        : of(`SELECT i.${column} FROM ${table} i`),
    ),
  expression: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc
      .tuple(
        fc.constantFrom('# = #', '# < #', '# <=> #', '# AND #', '# OR #', 'coalesce(#, #)'),
        tie('expression'),
        tie('expression'),
      )
      .map(([form, one, other]) => of(`(${form})`, one, other)),
    tie('expression').map((one) => of('(# IS NULL)', one)),
    fc
      .tuple(
        fc.constantFrom('IN', 'NOT IN', '= ANY', '<> ALL', '> ALL', '< ANY'),
        tie('expression'),
        tie('inner'),
      )
      .map(([form, one, inner]) => of(`(# ${form} (#))`, one, inner)),
    fc
      .tuple(fc.constantFrom('EXISTS', 'NOT EXISTS'), tie('inner'))
      .map(([form, inner]) => of(`(${form} (#))`, inner)),
    tie('inner').map((inner) => of('(SELECT max(d.x) FROM (SELECT 1 AS x UNION #) d)', inner)),
  ),
}));

const statements = fc
  .record({
    told: fc.tuple(expression, expression),
    from: tables,
    join: fc.option(fc.tuple(fc.constantFrom('LEFT JOIN', 'JOIN'), tables, columns)),
    where: fc.option(expression),
    counts: fc.boolean(),
  })
  .map(({ told: [one, other], from, join, where, counts }) => {
    const joined = join ? ` ${join[0]} ${join[1]} j ON j.${join[2]} = o.x` : '';
    const whole = where ? ' WHERE #' : '';
    const parts = where ? [one, other, where] : [one, other];
    const list = counts ? 'count(#) AS r, count(#) AS s' : '# AS r, # AS s';
    return of(`SELECT ${list} FROM ${from} o${joined}${whole}`, ...parts);
  });

const rows = fc.array(fc.tuple(small, small), { maxLength: 3 });
const states = fc.array(fc.record({ a: rows, b: rows, c: rows }), { minLength: 2, maxLength: 4 });

async function fill(state: Readonly<Record<string, readonly (readonly (number | null)[])[]>>) {
  for (const [table, held] of Object.entries(state)) {
    await database.outside.query(`DELETE FROM ${table}`);
    if (held.length === 0) continue;
    // Of a key that comes twice, and of NULL, which no key is, nothing is kept.
    await database.outside.query(`INSERT IGNORE INTO ${table} VALUES ?`, [held]);
  }
}

/** Rows in any order, or that it is refused. */
async function told(work: Promise<readonly object[]>): Promise<string[] | string> {
  try {
    return (await work).map((row) => JSON.stringify(Object.values(row))).sort();
  } catch {
    return 'refused';
  }
}

/** By a preparation that runs once. */
async function direct({ text, values }: Part): Promise<readonly object[]> {
  try {
    const [found] = await database.outside.execute(text, [...values]);
    return found as object[]; // Of a SELECT.
  } finally {
    database.outside.unprepare(text);
  }
}

test('a statement that runs again answers as one that runs for the first time', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(statements, states, async (statement, held) => {
      for (const state of held) {
        await fill(state);
        const { text, values } = statement;
        const through = run(read, sql(text, [...values]), 'read').then((result) => result.rows);
        const [got, expected] = [await told(through), await told(direct(statement))];
        expect(got).toEqual(expected);
        if (got !== 'refused') answered += 1;
      }
    }),
    { numRuns: 150 * Number(process.env.TEST_RUNS ?? 1) },
  );
  expect(answered).toBeGreaterThan(100);
}, 600_000);
