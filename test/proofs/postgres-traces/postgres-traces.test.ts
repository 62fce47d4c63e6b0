/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proveOn } from './proof.ts';

test('no function that a statement runs leaves anything for the next caller', async () => {
  const { cases, faults } = await proveOn('postgres', { seed: 1, count: 120, progress: () => {} });
  expect(faults).toEqual([]);
  expect(cases).toBeGreaterThanOrEqual(120);
});
