/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test('every function is refused on /read or changes nothing', async () => {
  const { faults } = await proof.run({ seed: 1, count: 1_500, progress: () => {} });
  expect(faults).toEqual([]);
});
