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
  // How long it takes is for the large run to judge: a busy machine is late.
  const lost = faults.filter((fault) => !fault.includes('(ms)'));
  expect({ cases, lost }, seen.join('\n')).toEqual({ cases: FAULTS.length, lost: [] });
}, 240_000);
