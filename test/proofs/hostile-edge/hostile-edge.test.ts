/** The proof, small. */
import { expect, inject, test } from 'vitest';
import { proof } from './proof.ts';

const COUNT = 100;

test(proof.promise, { timeout: 180_000 }, async () => {
  const options = { seed: inject('seed'), count: COUNT, progress() {} };
  const { faults } = await proof.run(options);
  expect(faults).toEqual([]);
});
