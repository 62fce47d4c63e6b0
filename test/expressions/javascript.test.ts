/** The language compared with the JavaScript engine: the same programs, the same results. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Results, resultsOfBody, resultsOfExpression } from './compare.ts';
import { any, body } from './program.ts';

function expectSame(source: string, { expected, found }: Results): void {
  if (expected !== undefined && found !== undefined) expect(found, source).toBe(expected);
}

test('10,000 random expressions come to what JavaScript makes of them', () => {
  fc.assert(
    fc.property(any, (source) => expectSame(source, resultsOfExpression(source))),
    { numRuns: 10_000 },
  );
});

test('10,000 random functions return what JavaScript returns', () => {
  fc.assert(
    fc.property(body, (source) => expectSame(source, resultsOfBody(source))),
    { numRuns: 10_000 },
  );
});
