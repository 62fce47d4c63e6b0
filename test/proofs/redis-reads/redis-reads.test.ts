/** The proof, run small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test(proof.promise, async () => {
  const { cases, faults } = await proof.run({ seed: 1, count: 30, progress: () => {} });
  expect(faults).toEqual([]);
  expect(cases).toBeGreaterThan(250);
});
