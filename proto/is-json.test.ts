/** What is JSON here is JSON to the runtime, except for what is nested too deep. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJson, NESTED_MAX } from './is-json.ts';

const isParsed = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
/** Long enough to be read by ourselves. */
const padded = (text: string) => ' '.repeat(2 * NESTED_MAX) + text;

const piece = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '\\',
    '\\u00e',
    '\\u00e9',
    '\\x',
    ' ',
    '\n',
    '\u0001',
  ],
  ...[
    '1',
    '-',
    '01',
    '1.5',
    '.',
    'e5',
    '1E+5',
    'true',
    'null',
    'nul',
    '\ufeff',
    '\u00a0',
    '[1]',
    '{"a":1}',
  ],
);
const texts = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.json(),
  fc.tuple(fc.json(), fc.nat(), piece).map(([text, at, other]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + other + text.slice(place + 1);
  }),
);

test('it agrees with the runtime', () => {
  void fc.assert(
    fc.property(texts, (text) => {
      expect([text, isJson(padded(text))]).toEqual([text, isParsed(text)]);
      expect(isJson(text)).toBe(isParsed(text));
    }),
    { numRuns: 3_000 },
  );
});

describe('a text nested', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
  test.each([
    [NESTED_MAX, true],
    [NESTED_MAX + 2, false],
    [1_000_000, false],
  ])('%i deep', (depth, isTaken) => {
    expect(isJson(nested(depth))).toBe(isTaken);
  });

  test('deeper than any costs no time', () => {
    const text = '['.repeat(10_000_000);
    const started = performance.now();
    expect(isJson(text)).toBe(false);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
