/** The proof of the same name, small; and that it finds what charges too little. */
import { expect, test } from 'vitest';
import type { Transformer } from '../../../worker/templates/transformation/transformers/index.ts';
import { Meter } from './measure.ts';
import { proof, TIMES_MAX } from './proof.ts';
import { nsPerStep, STEP_NS } from './transformers.ts';

test('nothing takes more than five times the time that its charge stands for', async () => {
  const { faults } = await proof.run({ seed: 1, count: 60, progress: () => {} });
  expect(faults).toEqual([]);
});

test.each([
  { charge: 'a step for four numbers', steps: (length: number) => length / 4, isFound: true },
  { charge: 'steps for each comparison', steps: (length: number) => length * 10, isFound: false },
])('a sort that charges $charge is found: $isFound', ({ steps, isFound }) => {
  const numbers = Array.from({ length: 1_000 }, (_, at) => (at * 7919) % 1_000);
  const times = new Meter(TIMES_MAX).timesOf(() => nsPerStep(sorting(steps), [], numbers), STEP_NS);
  expect(times > TIMES_MAX).toBe(isFound);
});

/** A transformer that sorts numbers. */
function sorting(steps: (length: number) => number): Transformer {
  return {
    name: 'sorting',
    about: 'Sorts.',
    example: { input: [2, 1], output: [1, 2] },
    make: () => (value, x) => {
      const numbers = value as number[]; // None other is given.
      x.spend(steps(numbers.length));
      return numbers.toSorted((one, other) => one - other);
    },
  };
}
