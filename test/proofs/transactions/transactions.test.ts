/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { killing } from './proof.ts';

test('transfers stay whole when a part is killed with -9', async () => {
  const { faults, cases } = await killing({ seed: 1, count: 6, progress: () => {} });
  expect({ faults, hasRun: cases > 0 }).toEqual({ faults: [], hasRun: true });
});
