/** Numbers in every spelling arrive with all of their digits, or are refused. `TEST_RUNS` asks for more of them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decimalOf, plainDecimal, sameDecimal } from '../../../proto/decimal.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { number } from '../../../proto/test-json-texts.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let write: MysqlClient;
beforeAll(async () => {
  const table = 'CREATE TABLE numbers (t longtext, d decimal(65,30))';
  database = await TestDatabase.create(table);
  write = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

/** What a column holds of a number written so; undefined where it is refused as what no client can send. */
async function kept(column: 't' | 'd', text: string): Promise<string | undefined> {
  await database.outside.query('DELETE FROM numbers');
  try {
    const insert = sql(`INSERT INTO numbers (${column}) VALUES (?)`, [JSON.rawJSON(text)]);
    await run(write, insert, 'write');
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    expect(['BAD_REQUEST', 'REQUEST_FAILED']).toContain(thrown.code);
    return undefined;
  }
  const [row] = (await run(write, sql(`SELECT ${column} AS v FROM numbers`), 'write')).rows;
  return String(row?.v);
}

/** As a decimal of 30 places has it: halves away from zero. */
function rounded(text: string): string {
  const { isNegative, digits, exponent } = decimalOf(text);
  const places = Math.max(exponent + 31, 0);
  const units = (BigInt(digits.slice(0, places).padEnd(places, '0') || '0') + 5n) / 10n;
  return `${isNegative ? '-' : ''}${units}e-30`;
}

/** Numbers whose digits reach about the point, besides those of any exponent. */
const near = fc
  .tuple(number, fc.integer({ min: -60, max: 60 }))
  .map(([text, exponent]) => `${text.split(/e/i)[0]}e${exponent}`);
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => {
  const text = each.toExponential();
  return text === '-0e+0' ? '0e0' : text;
});
const spelled = fc.oneof(number, near, near, double);
const RUNS = Number(process.env.TEST_RUNS ?? 300);

test('a text holds the same number, or it is refused', async () => {
  await fc.assert(
    fc.asyncProperty(spelled, async (text) => {
      const stored = await kept('t', text);
      if (stored !== undefined) expect(sameDecimal(stored, text), `${text}: ${stored}`).toBe(true);
      else expect(plainDecimal(text, 500)).toBeUndefined();
    }),
    { numRuns: RUNS },
  );
});

test('a decimal holds the same number to its last place, or it is refused', async () => {
  await fc.assert(
    fc.asyncProperty(spelled, async (text) => {
      const stored = await kept('d', text);
      const { exponent, digits } = decimalOf(text);
      if (digits === '' || (exponent <= 35 && exponent > -400)) expect(stored).toBeDefined();
      if (stored === undefined) return;
      expect(sameDecimal(stored, rounded(text)), `${text}: ${stored}`).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

describe('in strict mode', () => {
  test.each(['1e400', '-1e400', '1e36', '9'.repeat(70)])(
    '%s is out of range of a decimal',
    async (text) => {
      const insert = sql('INSERT INTO numbers (d) VALUES (?)', [JSON.rawJSON(text)]);
      expect(await failureOf(run(write, insert, 'write'))).toMatchObject({
        code: 'REQUEST_FAILED',
      });
    },
  );
});

test.each([
  ['1e400', `1${'0'.repeat(400)}`],
  ['-1e-400', `-0.${'0'.repeat(399)}1`],
  ['12345678901234567890123e0', '12345678901234567890123'],
  ['12345678901234567890.5e-1', '1234567890123456789.05'],
  ['9007199254740993e0', '9007199254740993'],
  ['9'.repeat(70), '9'.repeat(70)],
  [`-${'9'.repeat(65)}`, `-${'9'.repeat(65)}`],
])('SELECT ? of %s answers all digits', async (text, digits) => {
  const { rows } = await run(write, sql('SELECT ? AS a', [JSON.rawJSON(text)]), 'write');
  expect(rows).toEqual([{ a: digits }]);
});

test.each(['1e21', '1.5e-7', '1.7976931348623157e308'])('%s stays a double', async (text) => {
  const select = sql('SELECT ? AS a', [JSON.rawJSON(text)]);
  const { columns, rows } = await run(write, select, 'write');
  expect([columns[0]?.type, rows]).toEqual(['double', [{ a: Number(text) }]]);
});

test.each(['1e501', '-1e-501', '1e999999999999999999999'])('%s is refused', async (text) => {
  const failure = await failureOf(run(write, sql('SELECT ? AS a', [JSON.rawJSON(text)]), 'write'));
  expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ path: 'params.0' }] });
});

test.each([
  ['2e0', 2],
  ['0.2e1', 2],
  ['1e21', 3],
  ['1e400', 3],
  ['12345678901234567890123e0', 3],
  ['1e-400', 0],
])('LIMIT %s is that many rows', async (text, count) => {
  const query = 'SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3 LIMIT ?';
  const { rows } = await run(write, sql(query, [JSON.rawJSON(text)]), 'write');
  expect(rows.length).toBe(count);
});

test('a column of JSON holds the digits', async () => {
  await database.outside.query('CREATE TABLE documents (j json)');
  for (const text of ['1e400', '12345678901234567890123e0', '1e21']) {
    await database.outside.query('DELETE FROM documents');
    await run(write, sql('INSERT INTO documents VALUES (?)', [JSON.rawJSON(text)]), 'write');
    const read = Buffer.from(
      await write.run(sql('SELECT CAST(j AS char) AS j FROM documents'), callOf('write')),
    ).toString();
    const stored = /"rows":\[\{"j":"([^"]*)"/.exec(read)?.[1] ?? '';
    expect(sameDecimal(stored, text), stored).toBe(true);
  }
});
