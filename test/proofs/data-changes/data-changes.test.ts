/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { following } from './proof.ts';

test('changes start runs exactly once and in order while everything is killed', async () => {
  const options = { seed: 1, count: 1_500, kind: 'gateway', progress: () => {} };
  const { faults, figures } = await following(options, 1);
  expect({ faults, hits: (figures['runs of each workflow'] ?? 0) > 10 }).toEqual({
    faults: [],
    hits: true,
  });
});
