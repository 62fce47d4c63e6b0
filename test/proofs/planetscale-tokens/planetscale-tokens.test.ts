/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test('no sequence of tokens that /read lets through writes at PlanetScale', async () => {
  const { faults } = await proof.run({ seed: 2, count: 200, progress: () => {} });
  expect(faults).toEqual([]);
});
