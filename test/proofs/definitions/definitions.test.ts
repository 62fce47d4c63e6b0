/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test('a definition takes as long to read as it is large, in short pieces', async () => {
  const { cases, faults } = await proof.run({ seed: 3, count: 20, progress: () => {} });
  expect(cases).toBe(20);
  expect(faults).toEqual([]);
});
