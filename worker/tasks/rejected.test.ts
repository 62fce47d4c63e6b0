/** That a task tells who completed it, and nobody who did not. Spec: workflows.md §6, `/tasks`. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { startGateway } from '../test/gateway.ts';
import { make } from '../workflows/test/definitions.ts';

test('a task that was rejected, opened again by a retry and then cancelled has nobody who completed it', async () => {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  const ask = { id: 'ask', type: 'humanTask', title: 'Look', assignees: { roles: ['Write'] } };
  await make(gateway, { id: 'flow', name: 'Flow', actions: [ask] });
  const got = async (method: string, path: string, body?: Json) =>
    (await gateway.call(method, path, body)).body as JsonObject;
  const { run_id: run } = await got('POST', '/workflows/flow', {});
  const path = `/workflows/flow/executions/${run}`;
  const tasks = async () =>
    ((await got('GET', '/tasks?workflow=flow')).tasks as JsonObject[]).map(
      ({ status, completed_by: by = null }) => [status, by],
    );
  const idOfTask = async () => {
    const [task] = (await got('GET', '/tasks?workflow=flow')).tasks as JsonObject[];
    return task?.id;
  };
  await expect.poll(tasks).toEqual([['open', null]]);
  await got('POST', `/tasks/${await idOfTask()}/complete`, { reject: true });
  await expect.poll(tasks).toEqual([['done', gateway.user.username]]);
  await got('POST', `${path}/retry`);
  const rejected = ['done', gateway.user.username];
  await expect.poll(tasks).toEqual([['open', null], rejected]);
  await got('POST', `${path}/cancel`);
  await expect.poll(tasks).toEqual([['expired', null], rejected]);
  const { actions } = await got('GET', path);
  expect(actions).toEqual([expect.not.objectContaining({ by: expect.anything() })]);
});

test('an answer that is sent again is 409, and answers no task of a later attempt', async () => {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  const { username } = gateway.user;
  const ask = { id: 'ask', type: 'humanTask', title: 'Look', assignees: { roles: ['Write'] } };
  const retry = { maxAttempts: 3, initialInterval: 0.001, retryableErrors: ['TASK_REJECTED'] };
  const errorHandler = { actions: { ask: { retry } } };
  await make(gateway, { id: 'flow', name: 'Flow', actions: [ask], errorHandler });
  const { body } = await gateway.call('POST', '/workflows/flow', {});
  const { run_id: run } = body as JsonObject;
  const listed = async () =>
    ((await gateway.call('GET', '/tasks?workflow=flow')).body as { tasks: JsonObject[] }).tasks;
  const shown = async () =>
    (await listed()).map(({ status, completed_by: by = null }) => [status, by]);
  const statuses: number[] = [];
  for (const done of [0, 1, 2]) {
    const rejected = Array.from({ length: done }, () => ['done', username]);
    await expect.poll(shown).toEqual([['open', null], ...rejected]);
    const all = await listed();
    expect(new Set(all.map(({ id }) => id)).size).toBe(done + 1);
    // The newest comes first.
    for (const { id } of [...all].reverse()) {
      const reply = await gateway.call('POST', `/tasks/${id}/complete`, { reject: true });
      statuses.push(reply.status);
    }
    const { id } = all[0] ?? {};
    statuses.push((await gateway.call('POST', `/tasks/${id}/complete`, { reject: true })).status);
  }
  expect(statuses).toEqual([200, 409, 409, 200, 409, 409, 409, 200, 409]);
  await expect.poll(shown).toEqual(Array.from({ length: 3 }, () => ['done', username]));
  const { body: record } = await gateway.call('GET', `/workflows/flow/executions/${run}`);
  expect(record).toMatchObject({ status: 'failed', error: { code: 'TASK_REJECTED' } });
});
