/** Finding exact numbers takes time by the text's length, whatever is in it. */
import { describe, expect, test } from 'vitest';
import { exactNumbers } from './exact-numbers.ts';

const LONG = '12345678901234567890';

describe('a text of 10 MiB is read in one pass', () => {
  // A second reading for each number would take minutes; a busy machine takes a second.
  test.each([
    { shape: 'long numbers', text: repeated(`${LONG},`), found: 'all' },
    { shape: 'long numbers in one string', text: `"${repeated(`,${LONG},`)}"`, found: 'none' },
    {
      shape: 'long numbers behind escaped quotes',
      text: `"${repeated(`\\",${LONG},`)}"`,
      found: 'none',
    },
    { shape: 'strings between long numbers', text: repeated(`"a",${LONG},`), found: 'all' },
    { shape: 'large exponents', text: repeated('1e400,'), found: 'all' },
    {
      shape: 'white space behind long numbers',
      text: repeated(`${LONG}${' '.repeat(99)}`),
      found: 'all',
    },
    { shape: 'long names', text: repeated(`"${LONG}":1,`), found: 'none' },
  ])('$shape', { timeout: 20_000 }, ({ text, found }) => {
    const spans = exactNumbers(text);
    expect(spans.length > 0 ? 'all' : 'none').toBe(found);
  });
});

function repeated(piece: string): string {
  return piece.repeat(Math.floor((10 * 1024 * 1024) / piece.length));
}
