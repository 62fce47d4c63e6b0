/** Runs of templates within transactions: no end comes between their requests. Spec: transactions.md §5. */
import { env, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, type Mock, test, vi } from 'vitest';
import type { Json, JsonObject } from '../../proto/json.ts';
import type { TestGateway } from '../test/gateway.ts';
import { startInteractive } from './test/interactive.ts';
import { type Act, expectedOf, held, inTheirOrder, ordersOf, sendingOf } from './test/orders.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Its own limit is a second, which is less than a request may take on a busy machine. */
const called = (mock: Mock) =>
  vi.waitFor(() => expect(mock).toHaveBeenCalled(), { interval: 1, timeout: 30_000 });

/** With a template that writes on one endpoint, and then what came of it on the other. */
async function startWithRuns() {
  const started = await startInteractive();
  for (const at of [0, 1]) {
    const template = { endpoint: `e${at}`, query: 'update a set x = {{a}}' };
    const each = { id: `t${at}`, name: 'One', request: 'Write', template };
    expect(await started.gateway.call('POST', '/templates', each)).toMatchObject({ status: 200 });
  }
  const transformationRules = [
    { template: 't0', input: { a: { value: 'v' } }, as: 'first' },
    { template: 't1', input: { a: 'results.first.rows[0].said' }, as: 'second' },
    { target: 'ok', value: { value: true } },
  ];
  const both = { id: 'both', name: 'Both', transformationRules };
  expect(await started.gateway.call('POST', '/templates', both)).toMatchObject({ status: 200 });
  const run = (id: string) => started.send(id, '/templates/both', '', undefined, {}, {});
  return { ...started, run };
}

test.each<[number, Act[]]>([
  [60, ['write', 'write', 'read', 'commit', 'rollback']],
  [12, ['write', 'commit', 'commit', 'rollback']],
  [2, ['commit', 'rollback']],
])(
  'in each of %i orders behind a run that is at its first request: %j',
  async (count, acts) => {
    const started = await startWithRuns();
    const { relay, begin, run } = started;
    const inOrder = inTheirOrder();
    let played = 0;
    for (const order of ordersOf(acts)) {
      const id = await begin({ keys: [`${played}`] });
      const atFirst = vi.fn();
      const letGo = held(started, atFirst);
      const running = run(id);
      await called(atFirst);
      const others = await inOrder(order.map((act) => sendingOf(started, id, act)));
      letGo();
      const { over, answers } = expectedOf(id, order);
      const came = { order, running: await running, answers: await Promise.all(others) };
      const status = over === 'commit' ? 200 : 409;
      expect(came).toMatchObject({ order, running: { status }, answers });
      const own = [...relay.committed].filter((name) => name.includes(id));
      expect([order, own.length, relay.prepared.size]).toEqual([
        ...[order, over === 'commit' ? 2 : 0, 0],
      ]);
      if (over === 'commit') expect([order, relay.open.size]).toEqual([order, 0]);
      relay.open.clear();
      played += 1;
    }
    expect(played).toBe(count);
  },
  60_000,
);

test('a commit waits for each of several runs, and a run that comes behind it is refused', async () => {
  const started = await startWithRuns();
  const { begin, run, end } = started;
  const id = await begin();
  const atFirst = vi.fn();
  const letGo = held(started, atFirst);
  const one = run(id);
  await called(atFirst);
  const [other, commit, later] = await inTheirOrder()([
    () => run(id),
    () => end(id, 'commit'),
    () => run(id),
  ]);
  letGo();
  expect(await one).toMatchObject({ status: 200, body: { ok: { value: true } } });
  expect(await other).toMatchObject({ status: 200, body: { ok: { value: true } } });
  expect(await commit).toMatchObject({ status: 200, body: { status: 'committed' } });
  expect(await later).toMatchObject({ status: 409, body: { code: 'TRANSACTION_CLOSED' } });
});

test('a run that fails after its first write leaves nothing, whatever waits for its end', async () => {
  const started = await startWithRuns();
  const { relay, begin, run, end } = started;
  const id = await begin();
  const gate = Promise.withResolvers<void>();
  const atFirst = vi.fn();
  relay.before = async (method, share) => {
    if (share === '1') throw new Error('refused');
    if (method !== 'begin') return;
    atFirst();
    await gate.promise;
  };
  const running = run(id);
  await called(atFirst);
  const [commit] = await inTheirOrder()([() => end(id, 'commit')]);
  gate.resolve();
  expect((await running).status).toBeGreaterThanOrEqual(500);
  expect(await commit).toMatchObject({ status: 409, body: { code: 'TRANSACTION_CLOSED' } });
  expect(relay.committed.size).toBe(0);
});

test('a run whose second endpoint is gone by then leaves nothing', async () => {
  const started = await startWithRuns();
  const { gateway, relay, begin, run, end } = started;
  const id = await begin();
  const atFirst = vi.fn();
  const letGo = held(started, atFirst);
  const running = run(id);
  await called(atFirst);
  const [commit] = await inTheirOrder()([() => end(id, 'commit')]);
  expect(await gateway.call('DELETE', '/endpoints/e1?confirm=true')).toMatchObject({ status: 200 });
  letGo();
  expect(await running).toMatchObject({ status: 404, body: { code: 'ENDPOINT_NOT_FOUND' } });
  expect(await commit).toMatchObject({ status: 409, body: { code: 'TRANSACTION_CLOSED' } });
  expect(relay.committed.size).toBe(0);
});

test('a template that is not there leaves the transaction as it is', async () => {
  const { begin, send, end } = await startWithRuns();
  const id = await begin();
  expect(await send(id, '/templates/none', '', undefined, {}, {})).toMatchObject({ status: 404 });
  expect(await end(id, 'commit')).toMatchObject({ status: 200 });
});

test('the ends of a stranger wait for no run, and hold nobody up', async () => {
  const started = await startWithRuns();
  const { gateway, begin, run, end, send } = started;
  const stranger = await gateway.token(await gateway.addUser('Write'));
  const id = await begin();
  const atFirst = vi.fn();
  const letGo = held(started, atFirst);
  const running = run(id);
  await called(atFirst);
  const missing = { status: 404, body: { code: 'TRANSACTION_NOT_FOUND' } };
  for (const how of ['commit', 'rollback'] as const) {
    expect(await end(id, how, stranger)).toMatchObject(missing);
  }
  expect(await send(id, '/templates/both', '', stranger, {}, {})).toMatchObject(missing);
  letGo();
  expect(await running).toMatchObject({ status: 200 });
  expect(await send(id, '/endpoints/e1/write', 'update b')).toMatchObject({ status: 200 });
  expect(await end(id, 'commit')).toMatchObject({ status: 200 });
});

test('a run between its requests is on disk, for a log that begins again and knows of none', async () => {
  const { gateway, begin, end } = await startWithRuns();
  const id = await begin();
  const log = env.TRANSACTION_LOGS.getByName(gateway.organization.uuid);
  const busy = () =>
    runInDurableObject(
      log,
      (_log, { storage: { sql } }) =>
        sql.exec<{ busy: number }>('SELECT busy FROM transactions').one().busy,
    );
  const begun = await log.beginRun(id, gateway.user.uuid);
  expect([begun.is, await busy()]).toEqual(['under way', 1]);
  const run = begun.is === 'under way' ? begun.run : '';
  await log.endRun(id, run);
  await log.endRun(id, run);
  expect(await busy()).toBe(0);
  expect(await end(id, 'commit')).toMatchObject({ status: 200 });
});

test.each<[string, number, string, (gateway: TestGateway, subject: string) => Promise<unknown>]>([
  [
    'is deleted',
    404,
    'Endpoint e1 does not exist',
    (gateway) => gateway.call('DELETE', '/endpoints/e1?confirm=true'),
  ],
  [
    'its caller may not use any more',
    403,
    'This operation needs Read access on endpoint e1',
    (gateway, subject) =>
      gateway.call('POST', '/iam/rbac/endpoints/subjects', {
        ...{ access_level: 'None', subject, endpoint_id: 'e1' },
      }),
  ],
])('of an endpoint that %s a run is told by the name that is written', async (...given) => {
  const [, status, message, meanwhile] = given;
  const started = await startWithRuns();
  const { gateway, send } = started;
  const user = await gateway.addUser('Write');
  const bearer = await gateway.token(user);
  const begun = await gateway.call('POST', '/transactions/begin', {}, bearer);
  const { transaction_id: id } = begun.body as { transaction_id: string };
  const atFirst = vi.fn();
  const letGo = held(started, atFirst);
  const running = send(id, '/templates/both', '', bearer, {}, {});
  await called(atFirst);
  expect(await meanwhile(gateway, user.username)).toMatchObject({ status: 200 });
  letGo();
  expect(await running).toMatchObject({ status, body: { message } });
});

describe('a run whose caller may not run the template any more when it is committed', () => {
  const taken = async (
    rule: (user: string) => [method: string, path: string, body?: Json],
    more: JsonObject = {},
  ) => {
    const { gateway, relay, send, end } = await startInteractive();
    const template = { endpoint: 'e0', query: 'update a set x = {{a}}' };
    const made = { id: 'access', name: 'Access', request: 'Write', template, ...more };
    expect(await gateway.call('POST', '/templates', made)).toMatchObject({ status: 200 });
    const user = await gateway.addUser(more.runAs === 'author' ? undefined : 'Write');
    const may = { access_level: 'Write', template_id: 'access', subject: user.username };
    expect(await gateway.call('POST', '/iam/rbac/templates/subjects', may)).toMatchObject({
      status: 200,
    });
    const bearer = await gateway.token(user);
    const begun = await gateway.call('POST', '/transactions/begin', {}, bearer);
    const { transaction_id: id } = begun.body as { transaction_id: string };
    expect(await send(id, '/templates/access', 'q', bearer, {}, { a: 'v' })).toMatchObject({
      status: 200,
    });
    expect(await gateway.call(...rule(user.username))).toMatchObject({ status: 200 });
    const reply = await end(id, 'commit', bearer);
    expect(relay.calls.filter((each) => /^(?:prepare|commit)/.test(each))).toEqual([]);
    const closed = { status: 409, body: { code: 'TRANSACTION_CLOSED' } };
    await expect.poll(() => end(id, 'commit', bearer)).toMatchObject(closed);
    expect(relay.open.size).toBe(0);
    return reply;
  };
  const none = (subject: string): [string, string, Json] => [
    ...(['POST', '/iam/rbac/templates/subjects'] as const),
    { access_level: 'None', template_id: 'access', subject },
  ];

  test.each([
    ['with the rights of its caller', {}],
    ['with those of its author', { runAs: 'author' }],
  ])('is not kept, %s', async (_, more) => {
    expect(await taken(none, more)).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/ access on template access$/) },
    });
  });

  test('is not kept where the template is deleted', async () => {
    expect(await taken(() => ['DELETE', '/templates/access'])).toMatchObject({
      status: 404,
      body: { message: 'Template access does not exist' },
    });
  });
});
