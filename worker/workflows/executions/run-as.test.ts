/** Runs of workflows with the rights of their author. Spec: keys-and-doors.md §2; workflows.md §6. */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../proto/json.ts';
import {
  DOOR,
  type Doors,
  type Person,
  startDoors,
  WRITING,
} from '../../reach/doors/test/doors.ts';
import { failure } from '../../test/gateway.ts';

const LOAD: JsonObject = {
  id: 'load',
  type: 'endpoint',
  endpoint: 'orders',
  operation: 'read',
  input: { query: 'select 1' },
};
const FLOW = { id: 'flow', name: 'Flow', runAs: 'author', output: '$.input.n', actions: [LOAD] };

/** How an action ends that has all rights: objects of tests reach no node. */
const REACHED = { status: 'failed', error: { code: 'NODE_UNAVAILABLE' } };

/** Starts a run and waits for its end. */
function start({ call }: Doors, workflow: string, by?: Person, query = '') {
  return call('POST', `/workflows/${workflow}?synchronous=true${query}`, { n: 1 }, by);
}

async function flow(body: Json = FLOW) {
  const doors = await startDoors({ POLICY_TTL_MS: 0 });
  const author = await doors.person('Admin');
  await doors.demand('POST', '/workflows', body, author);
  const starter = await doors.person(undefined);
  await doors.grant(starter, 'Write', 'workflow', 'flow');
  return { doors, author, starter };
}

describe('a start', () => {
  test('needs Write on the workflow alone; its record names who called and the author', async () => {
    const { doors, author, starter } = await flow();
    const { status, body } = await start(doors, 'flow', starter);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        error: expect.objectContaining(REACHED.error),
        started_by: starter.username,
        author: author.username,
        input: { n: 1 },
      }),
    ]);
    await doors.grant(starter, 'Read', 'workflow', 'flow');
    expect((await start(doors, 'flow', starter)).status).toBe(403);
    await doors.settle();
    const { entries } = await doors.demand('GET', '/audit?action=workflow.run&outcome=success');
    expect(entries).toEqual([
      expect.objectContaining({
        actor: starter.username,
        details: { actor_uuid: starter.uuid, author: author.username, id: 'flow' },
      }),
    ]);
  });

  test('shows a starter without these rights the ends of the run, and no more', async () => {
    const { doors, starter } = await flow();
    const { body } = await start(doors, 'flow', starter);
    const { actions, run_id: run, ...ends } = body as { actions: JsonObject[]; run_id: string };
    expect(ends).toMatchObject({ input: { n: 1 }, error: { message: expect.any(String) } });
    expect(actions[0]).not.toHaveProperty('input');
    expect(actions[0]).toMatchObject({ error: { code: 'NODE_UNAVAILABLE' } });
    expect(actions[0]?.error).not.toHaveProperty('message');
    const events = `/workflows/flow/executions/${run}/events`;
    expect((await doors.call('GET', events, undefined, starter)).status).toBe(403);
    await doors.grant(starter, 'Read', 'endpoint', 'orders');
    const shown = await doors.demand(
      'GET',
      `/workflows/flow/executions/${run}`,
      undefined,
      starter,
    );
    expect((shown.actions as JsonObject[])[0]).toHaveProperty('input');
  });

  test('is refused when the author is lowered or gone, which it says', async () => {
    const { doors, author, starter } = await flow();
    await doors.grant(author, 'None', 'endpoint', 'orders');
    const who = 'The author of workflow flow, whose rights it runs with,';
    const message = `${who} needs Read access on endpoint orders and has None`;
    const detail = { rule: 'run_as', author: author.username, level: 'None', needed: 'Read' };
    expect(await start(doors, 'flow', starter)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', message, [detail]),
    });
    await doors.demand('DELETE', `/iam/users/${author.username}`);
    const gone = `${who} is no longer a member of the organization`;
    expect(await start(doors, 'flow', starter)).toEqual({
      status: 403,
      body: failure('FORBIDDEN', gone, [{ rule: 'run_as', author: author.uuid }]),
    });
    expect(doors.seen).toEqual([]);
  });

  test('runs the version in force only, below Admin', async () => {
    const { doors, starter } = await flow();
    await doors.demand('PATCH', '/workflows/flow', { description: 'x' });
    expect((await start(doors, 'flow', starter, '&version=1.0.0')).status).toBe(403);
    expect((await start(doors, 'flow', starter, '&version=1.1.0')).status).toBe(200);
    expect((await start(doors, 'flow', undefined, '&version=1.0.0')).status).toBe(200);
  });

  test('of one that says caller has the rights of who starts it', async () => {
    const { doors, starter } = await flow();
    await doors.demand('PATCH', '/workflows/flow', { runAs: 'caller' });
    expect((await start(doors, 'flow', starter)).status).toBe(403);
    expect((await start(doors, 'flow', starter, '&version=1.0.0')).status).toBe(403);
  });
});

describe('an action', () => {
  test('that runs a door asks the author of the workflow for Write where that writes', async () => {
    const doors = await startDoors({ POLICY_TTL_MS: 0 });
    await doors.demand('POST', '/templates', WRITING);
    const action = { id: 'a', type: 'template', template: 'door', input: { id: 1 } };
    const author = await doors.person('Admin');
    await doors.demand('POST', '/workflows', { ...FLOW, actions: [action] }, author);
    await doors.grant(author, 'None', 'endpoint', 'orders');
    const starter = await doors.person(undefined);
    await doors.grant(starter, 'Write', 'workflow', 'flow');
    expect((await start(doors, 'flow', starter)).body).toMatchObject(REACHED);
    await doors.grant(author, 'Read', 'template', 'door');
    expect((await start(doors, 'flow', starter)).status).toBe(403);
  });

  test('that runs a subworkflow gives it these rights, or is asked for Write on one with its own', async () => {
    const doors = await startDoors({ POLICY_TTL_MS: 0 });
    const author = await doors.person('Admin');
    await doors.demand('POST', '/workflows', { ...FLOW, id: 'inner', runAs: 'caller' });
    const sub = { id: 'sub', type: 'subworkflow', workflow: 'inner', input: { n: 2 } };
    await doors.demand('POST', '/workflows', { ...FLOW, actions: [sub] }, author);
    const starter = await doors.person(undefined);
    await doors.grant(starter, 'Write', 'workflow', 'flow');
    expect((await start(doors, 'flow', starter)).body).toMatchObject(REACHED);
    await doors.demand('PATCH', '/workflows/inner', { runAs: 'author' });
    await doors.grant(author, 'None', 'endpoint', 'orders');
    expect((await start(doors, 'flow', starter)).body).toMatchObject(REACHED);
    // The index of runs is up to a second late.
    const runs = async () => {
      const { executions } = await doors.demand('GET', '/workflows/inner/executions');
      const ids = (executions as JsonObject[]).map(({ run_id: run }) => run);
      return Promise.all(ids.map((id) => doors.demand('GET', `/workflows/inner/executions/${id}`)));
    };
    await expect.poll(runs, { timeout: 5_000 }).toMatchObject([
      { started_by: starter.username, author: doors.user.username },
      { started_by: starter.username, author: author.username },
    ]);
    await doors.grant(author, 'Read', 'workflow', 'inner');
    expect((await start(doors, 'flow', starter)).status).toBe(403);
  });
});

test('a retry needs the rights of the run, which it keeps', async () => {
  const failing = { id: 'odd', type: 'condition', condition: '$.input.n.a.b()', next: null };
  const actions = [{ ...LOAD, next: 'odd' }, failing];
  const { doors, starter } = await flow({ ...FLOW, actions });
  const { body } = await start(doors, 'flow', starter);
  const { run_id: run, status } = body as { run_id: string; status: string };
  expect(status).toBe('failed');
  const retry = (by?: Person) =>
    doors.call('POST', `/workflows/flow/executions/${run}/retry`, undefined, by);
  expect((await retry(starter)).status).toBe(403);
  expect((await retry()).status).toBe(202);
});

test('a fork needs the rights of the run, since it passes over what that checked', async () => {
  const check = { id: 'check', type: 'condition', condition: 'true', true: 'load', false: null };
  const { doors, starter } = await flow({ ...FLOW, actions: [check, LOAD] });
  const { body } = await start(doors, 'flow', starter);
  const fork = (by?: Person) =>
    doors.call(
      'POST',
      `/workflows/flow/executions/${(body as { run_id: string }).run_id}/fork`,
      { from: 'load', input: { n: 2 } },
      by,
    );
  expect((await fork(starter)).status).toBe(403);
  expect((await fork()).status).toBe(202);
  await doors.grant(starter, 'Read', 'endpoint', 'orders');
  expect((await fork(starter)).status).toBe(202);
});

test('a fork of one that writes is not for who may only read there', async () => {
  const check = { id: 'check', type: 'condition', condition: 'true', true: 'load', false: null };
  const { doors, starter } = await flow({
    ...FLOW,
    actions: [check, { ...LOAD, operation: 'write' }],
  });
  await doors.grant(starter, 'Read', 'endpoint', 'orders');
  const { body } = await start(doors, 'flow', starter);
  const path = `/workflows/flow/executions/${(body as { run_id: string }).run_id}/fork`;
  expect((await doors.call('POST', path, { from: 'load' }, starter)).status).toBe(403);
  expect((await doors.call('POST', path, { from: 'load' })).status).toBe(202);
});

describe('who may only write', () => {
  test('cannot store, change, pause or remove one, nor what it names', async () => {
    const doors = await startDoors();
    const writer = await doors.person('Write');
    const act = (method: string, path: string, body?: Json, by = writer) =>
      doors.call(method, path, body, by).then(({ status }) => status);
    expect(await act('POST', '/workflows', FLOW)).toBe(403);
    const pure = { transformationRules: [{ target: 'x', expression: '1' }] };
    expect(await act('POST', '/templates', { id: 'leaf', name: 'leaf', ...pure })).toBe(200);
    const echo = { id: 'a', type: 'template', template: 'leaf', input: {} };
    const inner = { id: 'inner', name: 'Inner', actions: [echo] };
    expect(await act('POST', '/workflows', inner)).toBe(200);
    const sub = { id: 'sub', type: 'subworkflow', workflow: 'inner', next: 'load' };
    await doors.demand('POST', '/workflows', { ...FLOW, actions: [sub, LOAD] });
    const tried = [
      await act('PATCH', '/workflows/flow', { description: 'x' }),
      await act('PATCH', '/workflows/flow', { runAs: null }),
      await act('PATCH', '/workflows/flow', { status: 'paused' }),
      await act('DELETE', '/workflows/flow'),
      await act('PATCH', '/workflows/inner', { description: 'x' }),
      await act('PATCH', '/templates/leaf', { description: 'x' }),
    ];
    expect(tried).toEqual([403, 403, 403, 403, 403, 403]);
    await doors.grant(writer, 'Admin', 'endpoint', 'orders');
    expect(await act('PATCH', '/templates/leaf', { description: 'x' })).toBe(200);
    expect(await act('PATCH', '/workflows/flow', { description: 'x' })).toBe(200);
  });

  test('is no author with a key', async () => {
    const doors = await startDoors();
    const { key } = await doors.demand('POST', '/iam/keys', { name: 'k', access_level: 'Admin' });
    const by = { uuid: '', username: '', token: String(key) };
    expect(await doors.call('POST', '/workflows', FLOW, by)).toMatchObject({
      status: 403,
      body: { details: [{ rule: 'run_as' }] },
    });
  });
});

describe('a run that began before a door changed', () => {
  const WAIT = {
    ...{ id: 'wait', type: 'wait', mode: 'event', next: 'open' },
    ...{ eventSource: 'test', eventPattern: 'go' },
  };
  const OPEN = { id: 'open', type: 'template', template: 'door', input: { id: 1 } };
  const PARKED = { id: 'parked', name: 'Parked', actions: [WAIT, OPEN] };

  test.each([
    ['was closed', { runAs: null }],
    ['became another', { description: 'narrower' }],
  ])('does not open it once it %s, below Admin', async (_, change) => {
    const doors = await startDoors({ POLICY_TTL_MS: 0 });
    await doors.demand('POST', '/templates', DOOR);
    const writer = await doors.person('Write');
    await doors.grant(writer, 'None', 'endpoint', 'orders');
    await doors.demand('POST', '/workflows', PARKED, writer);
    const begin = async (by?: Person) => {
      const { body } = await doors.call('POST', '/workflows/parked', {}, by);
      return String((body as JsonObject).run_id);
    };
    const [early, ofAdmin] = [await begin(writer), await begin()];
    await doors.demand('PATCH', '/templates/door', change);
    const event = { event: 'go', source: 'test', data: {} };
    expect((await doors.call('POST', '/events', event)).status).toBe(202);
    const ended = (run: string) => () =>
      doors.demand('GET', `/workflows/parked/executions/${run}`) as Promise<JsonObject>;
    const message = 'This operation needs Admin access on template door';
    await expect.poll(ended(early)).toMatchObject({
      status: 'failed',
      error: { code: 'FORBIDDEN', message },
    });
    await expect.poll(ended(ofAdmin)).toMatchObject(REACHED);
    expect(doors.seen).toEqual([]);
  });
});
