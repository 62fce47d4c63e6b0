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

/** Workflows whose runs wait first. */
const WAITING = ['later', 'rendered', 'deeper'];

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
  const after = (action: JsonObject) => [{ ...wait, next: action.id }, action] as JsonObject[];
  await make(gateway, { id: 'deeper', name: 'Deeper', actions: after(sub) });
  await gateway.call('POST', '/templates', {
    ...{ id: 'rows', name: 'Rows', request: 'Read' },
    template: { endpoint: 'orders', query: 'select 1' },
  });
  const rows = { id: 'rows', type: 'template', template: 'rows', input: {} };
  await make(gateway, { id: 'rendered', name: 'Rendered', actions: after(rows) });
  const reader = await gateway.addUser('Read');
  const allow = async (level: string) => {
    const rule = { access_level: level, subject: reader.username, endpoint_id: 'orders' };
    expect((await gateway.call('POST', '/iam/rbac/endpoints/subjects', rule)).status).toBe(200);
  };
  await allow('None');
  const token = await gateway.token(reader);
  return {
    ...gateway,
    reader: token,
    /** Gives the reader a level on the endpoint. */
    allow,
    run: async (workflow: string): Promise<string> => {
      const path = `/workflows/${workflow}?synchronous=${!WAITING.includes(workflow)}`;
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

const GO = { source: 'shop', event: 'go', data: null };

test.each([
  ['names', 'later'],
  ['comes to by a template', 'rendered'],
  ['comes to by a subworkflow', 'deeper'],
])('are hidden before the run reaches an endpoint that it %s, and after', async (_, workflow) => {
  const { run, seen, call, reader } = await startWithReader();
  const waiting = await run(workflow);
  const hidden = async (status: string) => {
    await expect.poll(async () => (await seen(workflow, waiting)).status).toBe(status);
    expect(await seen(workflow, waiting)).not.toHaveProperty('input');
  };
  await hidden('waiting');
  const events = `/workflows/${workflow}/executions/${waiting}/events`;
  expect((await call('GET', events, undefined, reader)).status).toBe(403);
  expect((await call('POST', '/events', GO)).status).toBe(202);
  await hidden('failed');
});

test('are shown once a run has ended without reaching what it names', async () => {
  const { run, seen, call } = await startWithReader();
  const waiting = await run('later');
  await call('POST', `/workflows/later/executions/${waiting}/cancel`);
  await expect.poll(async () => (await seen('later', waiting)).status).toBe('cancelled');
  expect(await seen('later', waiting)).toHaveProperty('input');
});

test('are told live only as long as their reader may read what the run reaches', async () => {
  const { run, call, send, reader, allow } = await startWithReader();
  await allow('Read');
  const waiting = await run('later');
  const response = await send(`/workflows/later/executions/${waiting}/events`, {
    headers: { Authorization: `Bearer ${reader}` },
  });
  expect(response.status).toBe(200);
  const told = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await told?.read())?.value).toContain('event: run');
  await allow('None');
  expect((await call('POST', '/events', GO)).status).toBe(202);
  let rest = '';
  for (let part = await told?.read(); part && !part.done; part = await told?.read()) {
    rest += part.value;
  }
  expect(rest).not.toContain('NODE_UNAVAILABLE');
});
