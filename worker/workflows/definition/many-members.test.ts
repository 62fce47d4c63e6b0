/** Of very many wrong members of a definition some are told, and how many others there are. */
import { expect, test } from 'vitest';
import { readWorkflow } from './read.ts';

test('the first 100 wrong members are told, and the number of the rest with the last', () => {
  const wrong = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`wrong${at}`, 1]));
  const actions = [{ id: 'wait', type: 'wait', mode: 'duration', duration: 'PT5M' }];
  const { faults } = readWorkflow(
    { name: 'a', version: '1.0.0', description: '', actions, ...wrong },
    { kindOf: () => undefined },
  );
  expect(faults).toHaveLength(101);
  expect(faults.find(({ path }) => path === 'wrong4999')?.message).toMatch(
    /^is no member of .*, nor are 4899 others$/,
  );
});
