/** Who forks a run that has its author's rights passes over what it checks, so they need the rights on all that it can reach. Spec: keys-and-doors.md §2. */
import { expect, test } from 'vitest';
import { startDoors } from '../../reach/doors/test/doors.ts';

const INNER = {
  ...{ id: 'inner', name: 'Inner' },
  actions: [
    {
      ...{ id: 'store', type: 'endpoint', endpoint: 'orders', operation: 'write' },
      input: { query: 'insert into orders values ($1)', params: ['$.input.n'] },
    },
  ],
};
const CHECK = {
  ...{ id: 'check', type: 'condition', condition: '$.input.n === 1', true: 'sub', false: null },
};

test.each([
  ['may only read there', 'Read', true],
  ['has no rights there, of a child that nobody waits for', undefined, false],
] as const)('behind a subworkflow: who %s', async (_who, level, waitForCompletion) => {
  const doors = await startDoors({ POLICY_TTL_MS: 0 });
  const author = await doors.person('Admin');
  await doors.demand('POST', '/workflows', INNER, author);
  const sub = { id: 'sub', type: 'subworkflow', workflow: 'inner', waitForCompletion };
  const actions = [CHECK, { ...sub, input: { n: '$.input.n' } }];
  const flow = { id: 'flow', name: 'Flow', runAs: 'author', actions };
  await doors.demand('POST', '/workflows', flow, author);
  const starter = await doors.person(undefined);
  await doors.grant(starter, 'Write', 'workflow', 'flow');
  await doors.grant(starter, 'Read', 'workflow', 'inner');
  if (level) await doors.grant(starter, level, 'endpoint', 'orders');
  const run = await doors.call('POST', '/workflows/flow?synchronous=true', { n: 1 }, starter);
  const { run_id: id } = run.body as { run_id: string };
  const fork = () =>
    doors.call(
      'POST',
      `/workflows/flow/executions/${id}/fork`,
      { from: 'sub', input: { n: 2 } },
      starter,
    );
  expect(await fork()).toMatchObject({ status: 403 });
  await doors.grant(starter, 'Write', 'endpoint', 'orders');
  expect(await fork()).toMatchObject({ status: 202 });
});
