/** The proof in small. */
import { expect, test } from 'vitest';
import { proof } from './proof.ts';

test(proof.promise, async () => {
  const { cases, faults, figures } = await proof.run({ seed: 1, count: 1_200, progress: () => {} });
  expect(faults).toEqual([]);
  expect(cases).toBe(1_200);
  expect(figures['traps that the engine runs, refused']).toBeGreaterThan(40);
  expect(figures['texts that the engine runs, refused']).toBeGreaterThan(2);
  expect(figures['files that the engine runs, refused']).toBeGreaterThan(5);
});
