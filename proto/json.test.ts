/** Promises of proto/json.ts: no digit is lost, and nothing else changes. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, isRawJson, numberText, parseJson } from './json.ts';

describe('numbers travel with their digits', () => {
  test.each([
    '9007199254740993',
    '-9223372036854775808',
    '18446744073709551615',
    '1234567890123456789012345678901234567890',
    '0.1000000000000000055511151231257827',
    '12345678.1234567890123',
    '1e400',
    '-2.5E+1000',
    '1e-400',
  ])('%s', (number) => {
    const text = `{"n":${number},"list":[${number}]}`;
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  test.each([
    ['1', 1],
    ['-0.5', -0.5],
    ['9007199254740991', 9007199254740991],
    ['1.5000000000000000000', 1.5],
    ['1000000000000000000000', 1e21],
    ['15e-1', 1.5],
    ['0e999', 0],
    ['0.1', 0.1],
  ])('%s, which a double holds, is a plain number', (text, number) => {
    expect(parseJson(text)).toBe(number);
  });

  test('every integer comes back as it was written', () => {
    void fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        const parsed = parseJson(`[${integer}]`);
        expect(JSON.stringify(parsed)).toBe(`[${integer}]`);
      }),
    );
  });
});

test('any other JSON is what JSON.parse makes of it', () => {
  void fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('digits inside a string stay a string', () => {
  expect(parseJson('{"id":"12345678901234567890"}')).toEqual({ id: '12345678901234567890' });
});

test('a number kept as text is no object with members', () => {
  const [kept] = [parseJson('12345678901234567890')];
  expect([isRawJson(kept), isJsonObject(kept)]).toEqual([true, false]);
  expect(isRawJson(kept) && numberText(kept)).toBe('12345678901234567890');
});
