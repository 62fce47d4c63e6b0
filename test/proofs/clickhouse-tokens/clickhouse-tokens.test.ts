/** The proof in small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test(proof.promise, async () => {
  const { cases, faults, figures } = await proof.run({ seed: 1, count: 1_500, progress: () => {} });
  expect(faults).toEqual([]);
  expect(cases).toBe(1_500);
  expect(figures['read alike']).toBeGreaterThan(700);
  expect(figures['2018: read alike']).toBeGreaterThan(20);
});
