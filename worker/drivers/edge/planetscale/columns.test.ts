/** Values as JSON text, whatever a server says about their types: it is not believed. */
import type { Field } from '@planetscale/database';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenRows } from './columns.ts';

const TYPES = [
  ...['INT8', 'UINT16', 'INT24', 'INT32', 'INT64', 'UINT64', 'FLOAT32', 'FLOAT64', 'DECIMAL'],
  ...['YEAR', 'DATE', 'TIME', 'DATETIME', 'TIMESTAMP', 'TEXT', 'BLOB', 'VARCHAR', 'VARBINARY'],
  ...['BIT', 'ENUM', 'SET', 'JSON', 'GEOMETRY', 'NULL_TYPE', 'UNHEARD_OF'],
];
const written = (type: string, value: string, numbersAsStrings = false, charset?: number) => {
  const field = { name: 'a', type, charset } as Field; // What else a field says is not looked at.
  return writtenRows([field], [[value]], { numbersAsStrings, rowFormat: 'array' }).rows.join();
};

test.each([
  ['INT32', '7', '[7]'],
  ['INT32', '-0042', '["-0042"]'],
  ['INT32', '0042', '[42]'],
  ['YEAR', '0000', '[0]'],
  ['INT32', 'text', '["text"]'],
  ['INT32', '"', '["\\""]'],
  ['INT64', '9007199254740993', '["9007199254740993"]'],
  ['DECIMAL', '1.10', '["1.10"]'],
  ['DECIMAL', '"', '["\\""]'],
  ['DATE', '2026-01-01', '["2026-01-01"]'],
  ['DATETIME', '2026-01-01 10:00:00.5', '["2026-01-01T10:00:00.5"]'],
])('%s %j is %s', (type, value, expected) => {
  expect(written(type, value)).toBe(expected);
});

test.each([
  [53, '[6]'],
  [54, '["6"]'],
])('with numbers as strings %s bits are %s', (columnLength, expected) => {
  const field = { name: 'a', type: 'BIT', columnLength } as Field; // What else a field says is not looked at.
  const options = { numbersAsStrings: true, rowFormat: 'array' } as const;
  expect(writtenRows([field], [['\u0006']], options).rows.join()).toBe(expected);
});

test.each([
  ['ENUM', 63, '["/wA="]'],
  ['SET', 63, '["/wA="]'],
  ['ENUM', 255, '["\ufffd\\u0000"]'],
  ['SET', undefined, '["\ufffd\\u0000"]'],
])('bytes of an %s of character set %j are %s', (type, charset, expected) => {
  expect(written(type, '\u00ff\0', false, charset)).toBe(expected);
});

test('any characters of any type are JSON', () => {
  const bytes = fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)) });
  const value = fc.oneof(
    bytes,
    fc.constantFrom('"', '\\', '1e999', '01', '-', '+1', '0x1', ' 1', '\n'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), value, fc.boolean(), (type, text, asStrings) => {
      expect(JSON.parse(written(type, text, asStrings))).toHaveLength(1);
    }),
    { numRuns: 2_000 },
  );
});
