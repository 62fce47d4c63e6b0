/** Values of runs for a reader who may not read an endpoint that they come from. Contract §9. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { insertEndpoint, startGateway } from '../../test/gateway.ts';
import { make } from '../test/definitions.ts';

/** Fails where no node serves the endpoint, and has reached it all the same. */
const LOAD: JsonObject = {
  id: 'load',
  type: 'endpoint',
  endpoint: 'orders',
  operation: 'read',
  input: { query: 'select 1' },
};
const ECHO: JsonObject = { id: 'b', type: 'template', template: 'echo', input: { n: '$.input.n' } };

/** An organization with an endpoint that its reader may not read. */
async function startWithReader() {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  await insertEndpoint(gateway, 'orders');
  await gateway.call('POST', '/templates', {
    id: 'echo',
    name: 'Echo',
    transformationRules: [{ target: 'of', source: 'n' }],
  });
  await make(gateway, { id: 'inner', name: 'Inner', actions: [LOAD] });
  const sub = { id: 'sub', type: 'subworkflow', workflow: 'inner', input: {} };
  await make(gateway, { id: 'outer', name: 'Outer', actions: [sub] });
  await make(gateway, {
    id: 'kept',
    name: 'Kept',
    actions: [{ ...LOAD, next: 'b' }, ECHO],
    errorHandler: { actions: { load: { fallback: { ...ECHO, id: 'instead' } } } },
  });
  const wait = { id: 'w', type: 'wait', eventSource: 'shop', eventPattern: 'go', next: 'load' };
  await make(gateway, { id: 'later', name: 'Later', actions: [wait, LOAD] });
  const reader = await gateway.addUser('Read');
  const rule = { access_level: 'None', subject: reader.username, endpoint_id: 'orders' };
  expect((await gateway.call('POST', '/iam/rbac/endpoints/subjects', rule)).status).toBe(200);
  const token = await gateway.token(reader);
  return {
    ...gateway,
    reader: token,
    run: async (workflow: string): Promise<string> => {
      const path = `/workflows/${workflow}?synchronous=${workflow !== 'later'}`;
      const { body } = await gateway.call('POST', path, { n: 1 });
      return (body as { run_id: string }).run_id;
    },
    seen: async (workflow: string, run: string): Promise<JsonObject> => {
      const path = `/workflows/${workflow}/executions/${run}`;
      return (await gateway.call('GET', path, undefined, token)).body as JsonObject;
    },
  };
}

test('are hidden where a subworkflow reached it', async () => {
  const { run, seen } = await startWithReader();
  const record = await seen('outer', await run('outer'));
  expect(record).toMatchObject({ status: 'failed', error: { code: 'NODE_UNAVAILABLE' } });
  expect(record).not.toHaveProperty('input');
  expect(record.error).not.toHaveProperty('message');
});

test('are hidden in a fork that keeps what was read there', async () => {
  const { run, seen, call } = await startWithReader();
  const first = await run('kept');
  const forked = await call('POST', `/workflows/kept/executions/${first}/fork`, { from: 'b' });
  const { run_id: fork } = forked.body as { run_id: string };
  await expect.poll(async () => (await seen('kept', fork)).status).toBe('succeeded');
  expect(await seen('kept', fork)).not.toHaveProperty('input');
});

test('are told live only until the run has reached it', async () => {
  const { run, call, send, reader } = await startWithReader();
  const waiting = await run('later');
  const response = await send(`/workflows/later/executions/${waiting}/events`, {
    headers: { Authorization: `Bearer ${reader}` },
  });
  expect(response.status).toBe(200);
  const event = { source: 'shop', event: 'go', data: null };
  expect((await call('POST', '/events', event)).status).toBe(202);
  const text = await response.text();
  expect(text).toContain('event: run');
  expect(text).not.toContain('NODE_UNAVAILABLE');
});
