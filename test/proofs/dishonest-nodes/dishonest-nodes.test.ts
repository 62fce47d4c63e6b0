/** The proof, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test(proof.promise, { timeout: 180_000 }, async () => {
  const { faults } = await proof.run({ seed: 1, count: 12, progress() {} });
  expect(faults).toEqual([]);
});
