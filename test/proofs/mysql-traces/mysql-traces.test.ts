/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test('a caller leaves nothing for the next', async () => {
  const { faults } = await proof.run({ seed: 1, count: 150, progress: () => {} });
  expect(faults).toEqual([]);
});
