/** Event triggers: which runs events start, and which they do not. Spec: workflows.md §5. */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import { failure, startGateway, type TestGateway } from '../test/gateway.ts';
import { make } from '../workflows/test/definitions.ts';

/** Ends at once; its output is its input. */
const KEEPS = {
  actions: [{ id: 'done', type: 'condition', condition: 'true' }],
  output: { input: '$.input', trigger: '$.trigger' },
};
const paid = (more: object = {}) => ({ type: 'event', source: 'shop', event: 'order.*', ...more });

async function start() {
  const gateway = await startGateway('SuperAdmin');
  gateway.clock.now = Date.now();
  return {
    ...gateway,
    store: (id: string, trigger: Json, more: JsonObject = {}) =>
      make(gateway, { id, name: id, trigger, ...KEEPS, ...more }),
    async send(...events: JsonObject[]): Promise<void> {
      const sent = await gateway.call('POST', '/events', events);
      expect(sent.status).toBe(202);
    },
    /** The runs of a workflow that have ended, the oldest first; once there are as many as expected. */
    runs: (workflow: string, count: number) => runsOf(gateway, workflow, count),
  };
}

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly trigger: JsonObject;
  readonly started_by: string;
  readonly error?: JsonObject;
  readonly output?: JsonObject;
  readonly actions: readonly JsonObject[];
}

async function runsOf(gateway: TestGateway, workflow: string, count: number): Promise<Run[]> {
  const ids = async () => {
    const { body } = await gateway.call('GET', `/workflows/${workflow}/executions`);
    const { executions } = body as unknown as { executions: Run[] };
    return executions
      .filter(({ status }) => status !== 'running' && status !== 'waiting')
      .map((run) => run.run_id);
  };
  await expect.poll(async () => (await ids()).length).toBe(count);
  const runs = await Promise.all(
    (await ids()).map(async (id) => {
      const { body } = await gateway.call('GET', `/workflows/${workflow}/executions/${id}`);
      return body as unknown as Run;
    }),
  );
  return runs.reverse();
}

const event = (id: string, data: Json, name = 'order.paid', source = 'shop') => ({
  ...{ source, event: name, id, data },
});
const n = (run: Run) => run.output?.input;

describe('an event', () => {
  test('starts a run of each trigger that it fits, once, as the author of the workflow', async () => {
    const { send, store, runs, user } = await start();
    await store('one', paid());
    await store('two', [
      paid({ filter: 'data.n > 1', mapping: { n: '$.data.n', of: '$.id' } }),
      paid({ event: 'order.paid' }),
    ]);
    await send(event('a', { n: 1 }), event('b', { n: 2 }), event('a', { n: 3 }));
    await send(event('c', {}, 'order'), event('d', {}, 'order.paid', 'other'));
    const one = await runs('one', 2);
    expect(one.map(n)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(one[0]).toMatchObject({
      status: 'succeeded',
      trigger: { type: 'event', index: 0, id: 'a' },
      started_by: user.username,
      output: {
        trigger: {
          ...{ type: 'event', index: 0, id: 'a', time: expect.any(String) },
          event: { source: 'shop', event: 'order.paid', id: 'a', time: expect.any(String) },
        },
      },
    });
    const two = await runs('two', 3);
    expect(two.map((run) => [run.trigger.index, n(run)])).toEqual(
      expect.arrayContaining([
        [0, { n: 2, of: 'b' }],
        [1, { n: 1 }],
        [1, { n: 2 }],
      ]),
    );
  });

  test('that a filter throws for is recorded as a failed run, and others go on', async () => {
    const gateway = await start();
    const { send, store, runs, call } = gateway;
    await store('filters', paid({ filter: 'JSON.parse(data.text).n > 0' }));
    await store('alarm', { type: 'event', source: 'causeway', event: 'run.failed' });
    await send(
      event('a', { text: '{"n":1}' }),
      event('b', { text: '{' }),
      event('c', { text: '{"n":2}' }),
    );
    const all = await runs('filters', 3);
    const [failed] = all.filter(({ status }) => status === 'failed');
    expect(all.map((run) => run.status).sort()).toEqual(['failed', 'succeeded', 'succeeded']);
    expect(failed).toMatchObject({
      trigger: { type: 'event', index: 0, id: 'b' },
      error: { code: 'EXPRESSION_FAILED', message: expect.stringContaining('trigger.filter: ') },
      actions: [],
    });
    const [alarm] = await runs('alarm', 1);
    expect(n(alarm as Run)).toEqual({ workflow: 'filters', run_id: failed?.run_id });
    const { body } = await call('GET', '/workflows/filters');
    expect(body).toMatchObject({ execution: { totalExecutions: 3, successRate: 0.6667 } });
    const retried = await call('POST', `/workflows/filters/executions/${failed?.run_id}/retry`);
    expect(retried).toEqual({
      status: 409,
      body: failure(
        'RUN_CONFLICT',
        'The run was refused before it began: there is nothing to go on with',
      ),
    });
  });

  test('whose mapping makes what the schema refuses is recorded as a failed run', async () => {
    const { send, store, runs } = await start();
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    await store('strict', paid({ mapping: { n: '$.data.n' } }), { input: { schema } });
    await send(event('a', { n: 'x' }), event('b', { n: 2 }), event('c', {}));
    const all = await runs('strict', 3);
    expect(all.map(({ status, error }) => [status, error?.code]).sort()).toEqual([
      ['failed', 'INVALID_INPUT'],
      ['failed', 'INVALID_INPUT'],
      ['succeeded', undefined],
    ]);
  });

  test('that comes while the workflow is paused, or after it is deleted, starts nothing', async () => {
    const { send, store, runs, call } = await start();
    await store('pauses', paid());
    await call('PATCH', '/workflows/pauses', { status: 'paused' });
    await send(event('a', { n: 1 }));
    await call('PATCH', '/workflows/pauses', { status: 'active' });
    await send(event('b', { n: 2 }));
    expect((await runs('pauses', 1)).map(n)).toEqual([{ n: 2 }]);
    await call('PATCH', '/workflows/pauses', { trigger: paid({ source: 'else' }) });
    await send(event('c', { n: 3 }), event('d', { n: 4 }, 'order.paid', 'else'));
    expect((await runs('pauses', 2)).map(n)).toEqual([{ n: 2 }, { n: 4 }]);
    const { body } = await call('GET', '/workflows/pauses');
    const { uuid } = body as { uuid: string };
    expect((await call('DELETE', '/workflows/pauses')).status).toBe(200);
    await send(event('e', { n: 5 }, 'order.paid', 'else'));
    await store('after', paid({ source: 'else' }));
    await send(event('f', { n: 6 }, 'order.paid', 'else'));
    expect((await runs('after', 1)).map(n)).toEqual([{ n: 6 }]);
    await runs(uuid, 2);
  });

  test('of a run starts no run of its own workflow', async () => {
    const { store, runs, call } = await start();
    const ofSelf = { type: 'event', source: 'causeway', filter: "data.workflow === 'self'" };
    await store('self', { ...ofSelf, event: 'run.*' });
    await store('other', { ...ofSelf, event: 'run.succeeded' });
    await call('POST', '/workflows/self', {});
    const [other] = await runs('other', 1);
    expect(n(other as Run)).toMatchObject({ workflow: 'self' });
    await runs('self', 1);
  });
});

test('workflows that start each other end 16 runs deep, which is told', async () => {
  const gateway = await start();
  const { store, runs, call } = gateway;
  const after = (workflow: string) => ({
    ...{ type: 'event', source: 'causeway', event: 'run.succeeded' },
    filter: `data.workflow === '${workflow}'`,
  });
  await store('ping', after('pong'));
  await store('pong', after('ping'));
  const told = { eventSource: 'causeway', eventPattern: 'trigger.failed' };
  await make(gateway, { id: 'told', name: 'told', actions: [{ id: 'w', type: 'wait', ...told }] });
  await store('deaf', { type: 'event', source: 'causeway', event: 'trigger.failed' });
  await call('POST', '/workflows/told', {});
  await call('POST', '/workflows/ping', {});
  const [run] = await runs('told', 1);
  const message = '16 runs have led to this, one after the other: it starts no further one';
  expect(run?.output).toEqual({
    ...{ source: 'causeway', event: 'trigger.failed' },
    id: expect.stringMatching(/^[0-9a-f-]{36}:0:\d+$/),
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    data: { workflow: 'ping', trigger: 0, code: 'INVALID_INPUT', message },
  });
  const { body } = await call('GET', '/workflows/ping/triggers');
  expect(body).toMatchObject({ triggers: [{ error: { code: 'INVALID_INPUT', message } }] });
  await runs('ping', 8);
  await runs('pong', 8);
  await runs('deaf', 0);
});

test('a run has the rights that its author has now', async () => {
  const gateway = await start();
  const { store, send, runs, call } = gateway;
  const author = await gateway.addUser('Admin');
  const token = await gateway.token(author);
  await gateway.call('POST', '/templates', {
    ...{ id: 'echo', name: 'Echo' },
    transformationRules: [{ target: 'n', source: 'n' }],
  });
  const made = await call(
    'POST',
    '/workflows',
    {
      ...{ id: 'owned', name: 'Owned', trigger: paid() },
      actions: [{ id: 'echo', type: 'template', template: 'echo', input: { n: '$.input.n' } }],
    },
    token,
  );
  expect(made.status).toBe(200);
  await send(event('a', { n: 1 }));
  const [first] = await runs('owned', 1);
  expect(first).toMatchObject({ status: 'succeeded', started_by: author.username });
  expect((await call('DELETE', `/iam/users/${author.username}`)).status).toBe(200);
  await send(event('b', { n: 1 }));
  const [, second] = await runs('owned', 2);
  expect(second).toMatchObject({ status: 'failed', error: { code: 'FORBIDDEN', action: 'echo' } });
  await store('unused', paid({ source: 'none' }));
});

describe('POST /events', () => {
  test.each([
    ['a source that is ours', event('a', {}, 'x', 'causeway'), 400, 'source: '],
    ['an id of 5,000 characters', event('i'.repeat(5_000), {}), 400, 'id: '],
    ['data of 300 KiB', event('a', 'x'.repeat(300 * 1024)), 413, 'data: '],
  ])('refuses %s', async (_, sent, status, message) => {
    const { call } = await start();
    const reply = await call('POST', '/events', sent);
    expect(reply).toMatchObject({ status, body: { message: expect.stringContaining(message) } });
  });
});
