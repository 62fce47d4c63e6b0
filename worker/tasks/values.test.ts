/** That a task's run gets the values of its form as they were sent. Spec: workflows.md §3 `humanTask`, §6; contract §1, numbers. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { startGateway, type TestGateway } from '../test/gateway.ts';
import { make } from '../workflows/test/definitions.ts';

const FORM = '{"n":1.10,"b":-0,"1":1e2,"whole":1.0,"long":12345678901234567890,"__proto__":"x"}';

const headersOf = async (gateway: TestGateway) => ({
  Authorization: `Bearer ${await gateway.token()}`,
  'Content-Type': 'application/json',
});

test('the values of a form arrive as they were written, in any spelling of a number and by any name', async () => {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  const typeOf = (id: string) => (id === 'whole' ? 'integer' : 'number');
  const numbers = ['n', 'b', '1', 'whole', 'long'].map((id) => ({ id, type: typeOf(id) }));
  const fields = [...numbers, { id: '__proto__', type: 'text', required: true }];
  const ask = { id: 'ask', type: 'humanTask', title: 'Look', assignees: { roles: ['Write'] } };
  await make(gateway, { id: 'flow', name: 'Flow', actions: [{ ...ask, form: { fields } }] });
  const got = async (method: string, path: string, body?: Json) =>
    (await gateway.call(method, path, body)).body as JsonObject;
  const { run_id: run } = await got('POST', '/workflows/flow', {});
  const tasks = async () => (await got('GET', '/tasks?workflow=flow')).tasks as JsonObject[];
  await expect.poll(tasks).toHaveLength(1);
  const [task] = await tasks();
  const init = { method: 'POST', body: `{"form":${FORM}}`, headers: await headersOf(gateway) };
  const reply = await gateway.send(`/tasks/${task?.id}/complete`, init);
  expect(await reply.json()).toEqual({ message: 'The task is done', id: task?.id, run_id: run });
  const record = await gateway.send(`/workflows/flow/executions/${run}`, {
    headers: await headersOf(gateway),
  });
  expect(await record.text()).toContain(`"output":${FORM}`);
});

test('what is no object is no form', async () => {
  const gateway = await startGateway('SuperAdmin');
  const path = `/tasks/${crypto.randomUUID()}/complete`;
  expect(await gateway.call('POST', path, { form: [1] })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'form', message: 'must be an object' }] },
  });
});
