/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { losing } from './proof.ts';

test('a keyed write whose reply is lost has one effect, and its repeat knows', async () => {
  const lost = 48;
  const { faults, cases, figures } = await losing({ seed: 1, count: lost, progress: () => {} });
  expect({ faults, cases, figures }).toEqual({
    faults: [],
    cases: lost,
    figures: { 'replies lost': lost },
  });
});
