/** The proof, small. */
import { expect, inject, test } from 'vitest';
import { proof } from './proof.ts';

test(proof.promise, async () => {
  const { cases, faults } = await proof.run({ seed: inject('seed'), count: 1_000, progress() {} });
  expect(faults).toEqual([]);
  expect(cases).toBe(1_000);
});
