/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test('nothing takes more than five times the time that its charge stands for', async () => {
  const { faults } = await proof.run({ seed: 1, count: 60, progress: () => {} });
  expect(faults).toEqual([]);
});
