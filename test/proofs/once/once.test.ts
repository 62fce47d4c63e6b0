/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { losing } from './proof.ts';

/** Of this seed MongoDB has the effect when its relay is killed: what was open before it would hold for a minute. */
const SEED = 2;
const LOST = 64;

test('a keyed write whose reply is lost has one effect, and its repeat knows', async () => {
  const { faults, cases, figures } = await losing({ seed: SEED, count: LOST, progress: () => {} });
  expect({ faults, cases, figures }).toEqual({
    faults: [],
    cases: LOST,
    figures: { 'replies lost': LOST },
  });
});
