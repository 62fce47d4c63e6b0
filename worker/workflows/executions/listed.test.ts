/** That a list of runs tells of each what its own record tells, but actions and values. Spec: workflows.md §6. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { startGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';

const call = (id: string, more: JsonObject = {}): JsonObject => ({
  ...{ id, type: 'template', template: 'echo', input: { n: '$.input.n' } },
  ...more,
});
const failing = (id: string, more: JsonObject = {}) =>
  call(id, { input: { n: '$.input.n.a.b()' }, ...more });
const undo = (id: string, how = call) => ({ compensation: how(`undo-${id}`) });
const wait = { id: 'wait', type: 'wait', mode: 'callback' };
const sub = (id: string, workflow: string, more: JsonObject = {}) => ({
  ...{ id, type: 'subworkflow', workflow, input: { n: '$.input.n' } },
  ...more,
});
const retry = { maxAttempts: 2, initialInterval: 0.01 };

/** Workflows, of which each has a run; those that others begin come first. */
const WORKFLOWS: Readonly<Record<string, JsonObject>> = {
  'child-undone': { actions: [call('a', undo('a'))] },
  'child-undone-in-part': { actions: [call('a', undo('a', failing))] },
  'child-of-nothing': { actions: [call('a')] },
  succeeds: { key: '$.input.n', actions: [call('a', undo('a'))] },
  'has-an-author': { runAs: 'author', actions: [call('a')] },
  fails: { actions: [failing('a')] },
  undoes: { actions: [call('a', { ...undo('a'), next: 'b' }), failing('b')] },
  'undoes-in-part': { actions: [call('a', { ...undo('a', failing), next: 'b' }), failing('b')] },
  'undoes-children': {
    actions: [
      sub('one', 'child-undone', { next: 'two' }),
      sub('two', 'child-undone-in-part', { next: 'three' }),
      sub('three', 'child-of-nothing', { next: 'b' }),
      failing('b'),
    ],
  },
  'keeps-a-child': { actions: [sub('one', 'child-undone')] },
  'begins-again': {
    // Its first attempt is undone, and the second fails, too: a fallback stands for it.
    actions: [
      {
        ...{ id: 'both', type: 'parallel' },
        branches: [[call('a', { ...undo('a'), next: 'b' }), failing('b')]],
      },
    ],
    errorHandler: { actions: { both: { retry, fallback: call('instead') } } },
  },
  waits: { actions: [wait] },
  cancelled: { actions: [call('a', { ...undo('a'), next: 'wait' }), wait] },
};

async function startWithRuns() {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  await gateway.call('POST', '/templates', {
    ...{ id: 'echo', name: 'Echo', transformationRules: [{ target: 'of', source: 'n' }] },
  });
  const got = async (method: string, path: string, body?: Json) =>
    (await gateway.call(method, path, body)).body as JsonObject;
  for (const [id, definition] of Object.entries(WORKFLOWS)) {
    await make(gateway, { id, name: id, ...definition });
    if (id.startsWith('child')) continue;
    const { run_id: run } = await got('POST', `/workflows/${id}`, { n: 1 });
    if (id === 'cancelled') await got('POST', `/workflows/${id}/executions/${run}/cancel`);
    if (id !== 'succeeds') continue;
    await expect
      .poll(async () => (await got('GET', `/workflows/${id}/executions/${run}`)).status)
      .toBe('succeeded');
    await got('POST', `/workflows/${id}/executions/${run}/fork`, { from: 'a' });
  }
  return got;
}

/** A record as a list shows it. */
function listed(record: JsonObject): JsonObject {
  const { actions: _, input: _in, output: _out, next_cursor: _next, ...told } = record;
  const { error } = told;
  return error === undefined ? told : { ...told, error: { code: (error as { code: Json }).code } };
}

test('an entry of the list tells what the run itself tells', async () => {
  const got = await startWithRuns();
  const seen: Json[] = [];
  for (const id of Object.keys(WORKFLOWS)) {
    const runs = async () => {
      const { executions } = await got('GET', `/workflows/${id}/executions`);
      return executions as JsonObject[];
    };
    const records = async () =>
      Promise.all(
        (await runs()).map(async ({ run_id: run }) =>
          listed(await got('GET', `/workflows/${id}/executions/${run}`)),
        ),
      );
    const going = id === 'waits' ? ['waiting'] : ['succeeded', 'failed', 'cancelled'];
    // The index of runs is up to a second late.
    const count = ['child-undone', 'succeeds'].includes(id) ? 2 : 1;
    await expect.poll(async () => (await runs()).length, { timeout: 5_000 }).toBe(count);
    await expect
      .poll(async () => (await records()).every(({ status }) => going.includes(`${status}`)))
      .toBe(true);
    await expect
      .poll(async () => ({ id, runs: await runs() }), { timeout: 5_000 })
      .toEqual({ id, runs: await records() });
    for (const { status, compensation = null } of await runs())
      seen.push(`${id} ${status} ${compensation}`);
  }
  expect(seen).toEqual([
    'child-undone succeeded null',
    'child-undone succeeded complete',
    'child-undone-in-part succeeded partial',
    'child-of-nothing succeeded none',
    'succeeds succeeded null',
    'succeeds succeeded null',
    'has-an-author succeeded null',
    'fails failed none',
    'undoes failed complete',
    'undoes-in-part failed partial',
    'undoes-children failed partial',
    'keeps-a-child succeeded null',
    'begins-again succeeded null',
    'waits waiting null',
    'cancelled cancelled complete',
  ]);
});
