/** Promises of proto/json.ts: no digit is lost, and nothing else changes. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, isRawJson, numberText, parseJson, setMember } from './json.ts';

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

describe('digits inside a string stay a string', () => {
  test.each([
    '12345678901234567890',
    'call 12345678901234567890, now',
    '[1e400, -2]',
    '4e123456-0000-4e12-8000-1e4001e40000',
    'a quote \\" :12345678901234567890,',
    'a backslash \\\\',
  ])('%s', (written) => {
    const text = `{"id":"${written}","n":12345678901234567890}`;
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  test('whatever stands around it', () => {
    const strings = fc.string({ unit: fc.constantFrom('"', '\\', ':', ',', ' ', '1e400', LONG) });
    void fc.assert(
      fc.property(fc.dictionary(strings, fc.array(strings)), (value) => {
        const text = `{"big":[${LONG}],"rest":${JSON.stringify(value)}}`;
        expect(JSON.stringify(parseJson(text))).toBe(
          JSON.stringify({ big: [JSON.rawJSON(LONG)], rest: value }),
        );
      }),
    );
  });
});
const LONG = '12345678901234567890';

test.each([
  `{${LONG}:1}`,
  `[${LONG}.]`,
  `[+${LONG}]`,
  `[0${LONG}]`,
  `["a"${LONG}]`,
  `${LONG} 1`,
  `["${LONG}`,
])('%s is no JSON', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test.each([
  ['a run of zeros', `1${'0'.repeat(1_000_000)}1`],
  ['an exponent of many digits', `1e${'9'.repeat(1_000_000)}`],
  ['many exponents in a string', `"${'1e1111'.repeat(200_000)}"`],
  ['many quotes', `[${LONG},"${'\\"'.repeat(500_000)}"]`],
  ['depth', `${'['.repeat(100_000)}${LONG}${']'.repeat(100_000)}`],
])('no text is slow: %s', (_, text) => {
  const started = Date.now();
  parseJson(text);
  expect(Date.now() - started).toBeLessThan(15_000);
});

test('a member called __proto__ is one like any other', () => {
  const text = `{"__proto__":${LONG},"a":{"__proto__":[${LONG}]}}`;
  expect(JSON.stringify(parseJson(text))).toBe(text);
  const made = {};
  setMember(made, '__proto__', { a: 1 });
  expect([JSON.stringify(made), Object.getPrototypeOf(made)]).toEqual([
    '{"__proto__":{"a":1}}',
    Object.prototype,
  ]);
});

test('a number kept as text is no object with members', () => {
  const [kept] = [parseJson('12345678901234567890')];
  expect([isRawJson(kept), isJsonObject(kept)]).toEqual([true, false]);
  expect(isRawJson(kept) && numberText(kept)).toBe('12345678901234567890');
});
