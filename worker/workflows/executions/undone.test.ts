/** Runs that were undone: none of that is kept as done. Spec: workflows.md §6, `retry`, `fork`. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { failure, startGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';

const call = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'template',
  template: 'echo',
  input: { n: '$.input.n' },
  ...more,
});
const undo = (id: string) => call(`undo-${id}`);

/** A run that failed at `check` and was undone, and what it is asked for. */
async function undoneRun(actions: JsonObject[], more: JsonObject = { next: null }) {
  const gateway = await startGateway('Admin');
  gateway.clock.now = Date.now();
  const transformationRules = [{ target: 'of', source: 'n' }];
  await gateway.call('POST', '/templates', { id: 'echo', name: 'Echo', transformationRules });
  await make(gateway, {
    id: 'inner',
    name: 'Inner',
    actions: [call('in', { compensation: undo('in') })],
  });
  const check = call('check', { input: { n: '$.input.n.a.b()' }, ...more });
  await make(gateway, { id: 'flow', name: 'Flow', actions: [...actions, check] });
  const { body } = await gateway.call('POST', '/workflows/flow?synchronous=true', { n: 1 });
  const { run_id: run } = body as { run_id: string };
  const path = `/workflows/flow/executions/${run}`;
  const compensation = async () =>
    ((await gateway.call('GET', path)).body as JsonObject).compensation;
  await expect.poll(compensation).toBe('complete');
  return {
    retry: () => gateway.call('POST', `${path}/retry`),
    fork: (from: string) => gateway.call('POST', `${path}/fork`, { from }),
  };
}

test.each<[string, JsonObject]>([
  ['an action', call('reserve', { compensation: undo('reserve') })],
  [
    'part of a loop',
    {
      ...{ id: 'reserve', type: 'loop', collection: '[1, 2]' },
      action: call('one', { compensation: undo('one') }),
    },
  ],
  ['the run of a subworkflow', { id: 'reserve', type: 'subworkflow', workflow: 'inner' }],
])('where %s was undone, a fork begins there at the latest', async (_, action) => {
  const { retry, fork } = await undoneRun([
    call('first', { next: 'reserve' }),
    { ...action, next: 'then' },
    call('then', { next: 'check' }),
  ]);
  expect(await retry()).toEqual({
    status: 409,
    body: failure('RUN_CONFLICT', 'What the run did was undone: fork it from reserve instead'),
  });
  for (const from of ['then', 'check']) {
    expect(await fork(from)).toEqual({
      status: 409,
      body: failure(
        'RUN_CONFLICT',
        'What action reserve did was undone: fork the run from reserve',
      ),
    });
  }
  expect((await fork('reserve')).status).toBe(202);
  expect((await fork('first')).status).toBe(202);
});

test('a graph is forked from what does not come after it', async () => {
  const { fork } = await undoneRun(
    [
      call('reserve', { after: [], compensation: undo('reserve') }),
      call('beside', { after: [] }),
      call('then', { after: ['beside'] }),
    ],
    { after: ['reserve', 'then'] },
  );
  expect((await fork('check')).status).toBe(409);
  expect((await fork('then')).status).toBe(202);
});
