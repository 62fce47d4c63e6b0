/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { recording } from './proof.ts';

test('transactions over two databases are strictly serializable while a relay is killed', async () => {
  const count = 150;
  const { faults, cases, figures } = await recording({ seed: 1, count, progress: () => {} });
  expect({ faults, cases }).toEqual({ faults: [], cases: count });
  expect(figures.committed).toBeGreaterThan(count / 2);
});
