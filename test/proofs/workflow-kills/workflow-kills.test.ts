/** The proof of the same name, small. */
import { expect, test } from 'vitest';
import { killing } from './proof.ts';
import { SHAPES } from './shapes.ts';

test('runs go on after a kill with -9, and have each effect once', async () => {
  const names = ['endpoint', 'parallel in loop', 'compensation', 'wide graph'];
  const shapes = SHAPES.filter(({ name }) => names.includes(name));
  const options = { seed: 1, count: 1, kind: 'gateway', progress: () => {} };
  const { faults, cases } = await killing(options, shapes);
  expect({ faults, hasRun: cases > 0 }).toEqual({ faults: [], hasRun: true });
});
