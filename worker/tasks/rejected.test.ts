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
  await expect.poll(tasks).toEqual([['open', null]]);
  await got('POST', `${path}/cancel`);
  await expect.poll(tasks).toEqual([['expired', null]]);
  const { actions } = await got('GET', path);
  expect(actions).toEqual([expect.not.objectContaining({ by: expect.anything() })]);
});
