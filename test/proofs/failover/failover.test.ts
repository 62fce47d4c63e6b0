/** The proof in small: each fault once, on one of two nodes. */
import { expect, inject, test } from 'vitest';
import { proof } from './proof.ts';
import { FAULTS } from './site.ts';

test('a node that is lost loses no read and no acknowledged write', async () => {
  const seen: string[] = [];
  const { cases, faults } = await proof.run({
    seed: inject('seed'),
    count: FAULTS.length,
    progress: (sentence) => seen.push(sentence),
  });
  expect({ cases, faults }, seen.join('\n')).toEqual({ cases: FAULTS.length, faults: [] });
}, 240_000);
