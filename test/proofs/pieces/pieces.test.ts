/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test('no piece does more than its share', async () => {
  const { faults } = await proof.run({ seed: 1, count: 9, progress: () => {} });
  expect(faults).toEqual([]);
});
