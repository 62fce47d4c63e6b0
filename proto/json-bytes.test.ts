/** Writing in pieces against the runtime's own writer. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, parseJson } from './json.ts';
import { bytesInPieces, textInPieces } from './json-bytes.ts';
import { whole } from './work/pieces.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (value: Json) => decoder.decode(whole(bytesInPieces(value)));
// A lone surrogate is written as an escape.
const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 }) as fc.Arbitrary<Json>;

test('writes what the writer of the runtime writes', () =>
  fc.assert(
    fc.property(json, (value) => {
      expect(textOf(value)).toBe(JSON.stringify(value));
      expect(whole(textInPieces(value))).toBe(JSON.stringify(value));
    }),
    { numRuns: 500 },
  ));

test('numbers keep the text that they were written with', () => {
  const text = '[12345678901234567890,{"__proto__":1.10,"a":[]},-0.00000000000000000001e-400]';
  const value = parseJson(text);
  expect(textOf(value)).toBe(JSON.stringify(value));
});

test('members without a value are left out', () => {
  const value = { a: undefined, b: 1, c: undefined, d: [{ e: undefined }] };
  expect(textOf(value as unknown as Json)).toBe('{"b":1,"d":[{}]}');
});

test('a large value is written in many pieces', () => {
  const value = { all: Array.from({ length: 50_000 }, (_, at) => ({ at, text: `é${at}` })) };
  const pieces = bytesInPieces(value);
  let pauses = 0;
  let step = pieces.next();
  for (; !step.done; step = pieces.next()) pauses += 1;
  expect(decoder.decode(step.value) === JSON.stringify(value)).toBe(true);
  expect(pauses).toBeGreaterThan(10);
});

/** Milliseconds that one writer takes, the least of some. */
function quickest(write: () => unknown): number {
  const took = Array.from({ length: 3 }, () => {
    const began = performance.now();
    write();
    return performance.now() - began;
  });
  return Math.min(...took);
}

test('a text is not kept as all the texts that it is made of', () => {
  const value = { all: Array.from({ length: 1_000_000 }, (_, at) => at % 997) };
  const bytes = quickest(() => whole(bytesInPieces(value)));
  const text = quickest(() => whole(textInPieces(value)));
  // Three to five times as long where a million of them are alive at the end.
  expect(text / bytes).toBeLessThan(2);
});
