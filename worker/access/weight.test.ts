/** What a remembered value weighs is near what it holds. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { weightOf } from './weight.ts';

const row = fc.record({
  text: fc.string({ maxLength: 2_000 }),
  list: fc.array(fc.string({ maxLength: 300 }), { maxLength: 50 }),
  number: fc.option(fc.integer()),
});

test('at least its texts, and not much more', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
      const texts = rows.flatMap(({ text, list }) => [text, ...list]);
      const characters = texts.reduce((sum, each) => sum + each.length, 0);
      const weight = weightOf(rows);
      expect(weight).toBeGreaterThanOrEqual(characters);
      expect(weight).toBeLessThanOrEqual(characters + 16 * (2 + 4 * rows.length + texts.length));
    }),
  );
});

test('of very many parts about as much as of all, and soon', () => {
  const texts = Array.from({ length: 100_000 }, () => 'x'.repeat(84));
  expect(weightOf(texts) / 10_000_000).toBeCloseTo(1, 1);
});

test('bytes, maps and sets count', () => {
  expect(weightOf(new Uint8Array(1_000))).toBe(1_016);
  expect(weightOf(new Map([['a', new Set(['b'])]]))).toBe(16 * 5 + 2);
});
