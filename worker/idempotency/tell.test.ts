/** When to ask again for a call that runs. */
import { expect, test } from 'vitest';
import { patience } from './tell.ts';

test.each([
  [0, 35_000, 1],
  [900, 34_100, 1],
  [1_001, 33_999, 2],
  [4_000, 31_000, 4],
  [20_000, 15_000, 15],
  [34_999, 1, 1],
])(
  'after %i ms of a call that can go on for %i, it is worth asking in %i s',
  (ageMs, leftMs, seconds) => {
    expect(patience({ ageMs, leftMs })).toBe(seconds);
  },
);
