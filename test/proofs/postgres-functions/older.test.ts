/** The proof of the same name, small, on an older server. */
import { expect, test } from 'vitest';
import { proveOn } from './proof.ts';

test('no function changes anything by /read, in whatever way it is run', async () => {
  const { cases, faults } = await proveOn('postgres-15', {
    seed: 1,
    count: 160,
    progress: () => {},
  });
  expect(faults).toEqual([]);
  expect(cases).toBeGreaterThanOrEqual(120);
});
