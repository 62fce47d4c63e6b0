/** The proof, small, for the test of a kind: `NAME.test.ts` next to this file calls it. */
import { expect, inject } from 'vitest';
import { runHostile } from './proof.ts';

const COUNT = 200;

/** Expects a few hundred hostile servers of a kind to do no harm. @param name of its file in `kinds/` */
export async function expectHarmless(name: string): Promise<void> {
  const options = { seed: inject('seed'), count: COUNT, progress() {} };
  const { cases, faults, figures } = await runHostile(name, options);
  expect(faults).toEqual([]);
  expect(cases).toBe(COUNT);
  // A proof whose changed replies nobody asks for would prove little.
  expect(figures[`${name} not asked for`] ?? 0).toBeLessThan(COUNT / 2);
}
