/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test('no sequence of tokens that /read lets through writes', async () => {
  const { faults, figures } = await proof.run({ seed: 1, count: 2_000, progress: () => {} });
  expect(faults).toEqual([]);
  // A proof of texts that no server reads would prove little.
  expect(figures['let through and read by the server (percent)']).toBeGreaterThan(25);
  expect(figures['refused that the server would read (percent, of one in five)']).toBeGreaterThan(
    10,
  );
});
