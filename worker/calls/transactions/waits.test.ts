/** Which transactions of a circle of waits ends. Spec: transactions.md §4. */
import { expect, test } from 'vitest';
import { mustGiveWay, type Wait } from './waits.ts';

test.each<[string, Wait[], string, boolean]>([
  ['waits for nobody', [], 'a', false],
  ['waits for another', [['a', 'b']], 'a', false],
  ['waits for itself', [['a', 'a']], 'a', true],
  [
    'is the last of a circle',
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    'b',
    true,
  ],
  [
    'is not the last of its circle',
    [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ],
    'b',
    false,
  ],
  [
    'waits for a circle that it is no part of',
    [
      ['z', 'a'],
      ['a', 'b'],
      ['b', 'a'],
    ],
    'z',
    false,
  ],
])('one that %s', (_, waits, id, expected) => {
  expect(mustGiveWay(waits, id)).toBe(expected);
});
