/** Lists of integers are taken over in runs: what becomes of them is what becomes of each by itself. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowWriter } from './rows.ts';

/** A row's text; undefined of what is none. */
function written(type: string, text: string, numbersAsStrings: boolean): string | undefined {
  const write = rowWriter([{ name: 'v', type }], { numbersAsStrings, rowFormat: 'array' });
  try {
    return write({ text, at: 0, utf8: true, depth: 0 });
  } catch {
    return undefined;
  }
}

const part = fc.oneof(
  { weight: 6, arbitrary: fc.integer().map(String) },
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }).map(String),
  fc.constantFrom('', '-', '-0', '0', '01', '1.5', '1e3', 'null', '"1"', '"nan"', '[1,2]', '{}'),
);

test('a list has the same text, whether its integers are in one run or not', () => {
  const type = fc.constantFrom('UInt8', 'Int64', 'Float64', 'Int128', 'String', 'Dynamic');
  fc.assert(
    fc.property(fc.array(part), type, fc.boolean(), (parts, of, asStrings) => {
      const list = (comma: string) =>
        written(`Array(${of})`, `[[${parts.join(comma)}]]`, asStrings);
      // A space before a comma ends a run.
      expect(list(',')).toBe(list(' , '));
    }),
    { numRuns: 2_000 },
  );
});
