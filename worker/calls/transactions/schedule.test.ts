/** In which calls a transaction's operations are sent. Spec: transactions.md §1. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrder, type Step, type Unit, unitsOf } from './schedule.ts';

const steps = (...given: [share: number, ...uses: number[]][]): Step[] =>
  given.map(([share, ...uses], place) => ({ place, share, uses: new Set(uses) }));
const told = (units: readonly Unit[]) =>
  units.map(({ share, places, after }) => [share, places, [...after]]);

test.each<[string, Step[], unknown]>([
  [
    'two participants go side by side',
    steps([0], [1], [0], [1]),
    [
      [0, [0, 2], []],
      [1, [1, 3], []],
    ],
  ],
  [
    'a result of another is waited for',
    steps([0], [1, 0], [0]),
    [
      [0, [0, 2], []],
      [1, [1], [0]],
    ],
  ],
  ['a result of its own needs no other call', steps([0], [0, 0], [0, 0, 1]), [[0, [0, 1, 2], []]]],
  [
    'two that feed each other go one by one',
    steps([0], [1, 0], [0, 1], [2]),
    [
      [0, [0], []],
      [1, [1], [0]],
      [0, [2], [1, 0]],
      [2, [3], []],
    ],
  ],
])('%s', (_, given, expected) => {
  expect(told(unitsOf(given, new Set()))).toEqual(expected);
});

test('a participant whose operations are requests of their own has them one by one', () => {
  expect(told(unitsOf(steps([0], [1], [0]), new Set([0])))).toEqual([
    [0, [0], []],
    [1, [1], []],
    [0, [2], [0]],
  ]);
});

const anySteps = fc
  .array(fc.tuple(fc.nat(3), fc.array(fc.nat(30))), { minLength: 1, maxLength: 12 })
  .map((given) =>
    steps(
      ...given.map(([share, uses], place): [number, ...number[]] => [
        share,
        ...uses.filter((each) => each < place),
      ]),
    ),
  );

test('every operation is sent once, in its order on its participant, after all that it uses', () => {
  fc.assert(
    fc.property(anySteps, fc.uniqueArray(fc.nat(3)), (given, singly) => {
      const units = unitsOf(given, new Set(singly));
      const order = inOrder(units).flatMap((at) => units[at]?.places ?? []);
      expect([...order].sort((one, other) => one - other)).toEqual(given.map(({ place }) => place));
      for (const { place, share, uses } of given) {
        const at = order.indexOf(place);
        for (const each of uses) expect(order.indexOf(each)).toBeLessThan(at);
        const before = given.filter((each) => each.share === share && each.place < place);
        for (const each of before) expect(order.indexOf(each.place)).toBeLessThan(at);
      }
      const lasts = units.filter(({ isLast }) => isLast).map(({ share }) => share);
      expect(lasts.sort()).toEqual([...new Set(given.map(({ share }) => share))].sort());
    }),
    { numRuns: 500 },
  );
});
