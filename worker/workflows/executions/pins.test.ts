/** A run is pinned to what its workflow names, as it was when the run began. Spec: workflows.md §1, "Versions". */
import { env } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { startGateway } from '../../test/gateway.ts';
import type { RunRecord } from '../runs/head.ts';
import { runsObject } from '../runs/reachable.ts';
import { callbackToken } from '../runs/test/callbacks.ts';
import { make } from '../test/definitions.ts';

test('a start pins templates and subworkflows to their versions', async () => {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  await gateway.call('POST', '/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'n', source: 'n' }],
  });
  const waiting = { id: 'wait', type: 'wait', mode: 'callback', next: null };
  await make(gateway, { id: 'inner', name: 'Inner', actions: [waiting] });
  await make(gateway, {
    id: 'outer',
    name: 'Outer',
    actions: [
      { ...waiting, next: 'echo' },
      { id: 'echo', type: 'template', template: 'echo', input: {}, next: 'sub' },
      { id: 'sub', type: 'subworkflow', workflow: 'inner' },
    ],
  });
  const { body } = await gateway.call('POST', '/workflows/outer', {});
  const { run_id: run } = body as { run_id: string };
  const text = await runsObject(env, gateway.organization.uuid, run).record(run, {
    after: 0,
    limit: 1,
  });
  const { record } = JSON.parse(text ?? '') as { record: RunRecord };
  expect(record.head.pins).toEqual({
    templates: { echo: '1.0.0' },
    workflows: { inner: { uuid: expect.any(String), id: 'inner', version: '1.0.0' } },
  });
});

test('a run keeps the versions of templates that its templates nest', async () => {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  const rules = (expression: string) => ({
    transformationRules: [{ target: 'n', expression }],
  });
  await gateway.call('POST', '/templates', { id: 'leaf', name: 'Leaf', ...rules('1') });
  await gateway.call('POST', '/templates', {
    id: 'stem',
    name: 'Stem',
    transformationRules: [{ target: 'of', template: 'leaf' }],
  });
  await make(gateway, {
    id: 'waits',
    name: 'Waits',
    actions: [
      { id: 'wait', type: 'wait', mode: 'callback', next: 'stem' },
      { id: 'stem', type: 'template', template: 'stem', input: {} },
    ],
  });
  const started = await gateway.call('POST', '/workflows/waits', {});
  const { run_id: run } = started.body as { run_id: string };
  await gateway.call('PATCH', '/templates/leaf', rules('2'));
  const object = runsObject(env, gateway.organization.uuid, run);
  const token = await callbackToken(gateway, run, 'wait');
  expect(await object.callBack(token, run, 'wait', '{}')).toBe(true);
  const output = async () => {
    const { body } = await gateway.call('GET', `/workflows/waits/executions/${run}`);
    return (body as { output?: unknown }).output;
  };
  await expect.poll(output).toEqual({ of: { n: 1 } });
});
