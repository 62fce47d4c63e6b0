/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test('runs have the effects, order, output and statuses that the model has', async () => {
  const { faults, cases } = await proof.run({ seed: 1, count: 500, progress: () => {} });
  expect({ faults, cases }).toEqual({ faults: [], cases: 500 });
});
