/** Transactions that go on request by request, through the real log, on relays in memory. Spec: transactions.md §5. */
import { Code } from '@connectrpc/connect';
import { expect, test, vi } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { Admission } from '../../proto/work/admission.ts';
import { noteCaller } from '../limits/neighbours.ts';
import { failure } from '../test/gateway.ts';
import { told } from '../test/running.ts';
import { startInteractive as start } from './test/interactive.ts';

const row = (said: string) => ({
  status: 200,
  body: { status: 'success', data: { rows: [{ said, values: [] }] } },
});

test('goes on over both, and commits once', async () => {
  const { relay, begin, send, end } = await start();
  const id = await begin({ isolation: 'serializable' });
  expect(await send(id, '/endpoints/e0/write', 'update a')).toEqual(row('update a'));
  expect(await send(id, '/endpoints/e1/write', 'update b')).toEqual(row('update b'));
  expect(await send(id, '/endpoints/e0/read', 'select 1')).toEqual(row('select 1'));
  const committed = {
    ...{ transaction_id: id, sequence: 1, guarantee: 'atomic', status: 'committed' },
  };
  const [one, other] = await Promise.all([end(id, 'commit'), end(id, 'commit')]);
  expect(one).toEqual({ status: 200, body: committed });
  expect(other).toMatchObject({ body: { transaction_id: id } });
  await expect.poll(() => end(id, 'commit')).toEqual({ status: 200, body: committed });
  expect(relay.calls.slice(0, 3)).toEqual(['begin 0', 'begin 1', 'continue 0']);
  expect([...relay.calls.slice(3)].sort()).toEqual([
    ...['commit 0', 'commit 1', 'prepare 0', 'prepare 1'],
  ]);
  const closed = failure('TRANSACTION_CLOSED', `Transaction ${id} is committed`);
  expect(await send(id, '/endpoints/e0/write', 'update c')).toEqual({ status: 409, body: closed });
  expect(await end(id, 'rollback')).toEqual({ status: 409, body: closed });
});

test('runs of templates take part, also by a template that nests them, and not later', async () => {
  const { gateway, relay, begin, send, end, show } = await start();
  const template = { endpoint: 'e0', query: 'update a set x = {{a}}' };
  const made = await gateway.call('POST', '/templates', {
    id: 'access',
    name: 'Access',
    request: 'Write',
    template,
  });
  expect(made).toMatchObject({ status: 200 });
  const transformationRules = [{ target: 'x', template: 'access', input: { a: { value: 'v' } } }];
  await gateway.call('POST', '/templates', { id: 'around', name: 'Around', transformationRules });
  const id = await begin();
  for (const name of ['access', 'around']) {
    expect(await send(id, `/templates/${name}`, 'q', undefined, {}, { a: 'v' })).toMatchObject({
      status: 200,
    });
  }
  expect(relay.calls).toEqual(['begin 0', 'continue 0']);
  const later = await send(id, '/templates/access?async=true', 'q', undefined, {}, { a: 'v' });
  const details = [
    {
      path: 'X-Transaction-Id',
      message: 'does not go together with async=true: leave one out',
    },
  ];
  const message = `X-Transaction-Id: ${details[0]?.message}`;
  expect(later).toEqual({ status: 400, body: failure('BAD_REQUEST', message, details) });
  expect(await show(id)).toMatchObject({
    body: { status: expect.stringMatching(/^roll(ing_back|ed_back)$/), sequence: null },
  });
  expect(await end(id, 'rollback')).toMatchObject({ status: 200 });
});

test.each<[string, string, string, number]>([
  ['that its backend refuses', '/endpoints/e0/write', 'fail', 400],
  ['that is none', '/endpoints/e0/write', '', 400],
])('a request %s rolls it back at once', async (_, path, query, status) => {
  const { begin, send, end, show } = await start();
  const id = await begin();
  await send(id, '/endpoints/e0/write', 'update a');
  expect(await send(id, path, query)).toMatchObject({ status });
  expect(await show(id)).toMatchObject({
    body: { status: expect.stringMatching(/^roll(ing_back|ed_back)$/), sequence: null },
  });
  expect(await end(id, 'commit')).toMatchObject({
    status: 409,
    body: { code: 'TRANSACTION_CLOSED' },
  });
  expect(await end(id, 'rollback')).toMatchObject({ status: 200, body: { transaction_id: id } });
});

test('an endpoint that is not there leaves it as it is', async () => {
  const { begin, send, show } = await start();
  const id = await begin();
  expect(await send(id, '/endpoints/gone/write', 'update a')).toMatchObject({ status: 404 });
  expect(await show(id)).toMatchObject({ body: { status: 'active' } });
});

test('a caller without the right rolls it back, and a stranger does not find it', async () => {
  const { gateway, begin, send, end } = await start();
  const id = await begin();
  const stranger = await gateway.token(await gateway.addUser('Write'));
  const missing = { status: 404, body: { code: 'TRANSACTION_NOT_FOUND' } };
  expect(await send(id, '/endpoints/e0/write', 'update a', stranger)).toMatchObject(missing);
  expect(await end(id, 'commit', stranger)).toMatchObject(missing);
  expect(await end(id, 'rollback', stranger)).toMatchObject(missing);
  expect(await end(id, 'commit')).toMatchObject({ status: 200, body: { sequence: null } });
});

test('with a session it is refused', async () => {
  const { begin, send } = await start();
  const id = await begin();
  const reply = await send(id, '/endpoints/e0/write', 'update a', undefined, {
    'X-Session-Id': 'v1.x',
  });
  expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
});

test.each<[string, Json]>([
  ['/endpoints/e0/transaction', { operations: [{ query: 'update a' }] }],
  ['/transactions', { operations: [{ endpoint: 'e0', query: 'update a' }] }],
  ['/endpoints/e0/sessions', {}],
  ['/workflows/any', {}],
  ['/events', { source: 'a', type: 'b', data: {} }],
])('%s, which is no part of one, is refused and leaves it as it is', async (path, body) => {
  const { gateway, relay, begin, send, show } = await start();
  await gateway.call('POST', '/workflows', {
    ...{ id: 'any', name: 'any' },
    actions: [{ id: 'done', type: 'condition', condition: 'true', true: null, false: null }],
  });
  const id = await begin();
  const reply = await send(id, path, '', undefined, {}, body);
  const problem =
    'is not for this operation: what it does would stay when the transaction is rolled back';
  const message = `X-Transaction-Id: ${problem}`;
  const details = [{ path: 'X-Transaction-Id', message: problem }];
  expect(reply).toEqual({ status: 400, body: failure('BAD_REQUEST', message, details) });
  expect(relay.calls).toEqual([]);
  expect(await show(id)).toMatchObject({ body: { status: 'active' } });
});

test.each(['application/x-ndjson', 'text/csv', 'text/event-stream'])(
  '%s is refused within one: its results are JSON',
  async (Accept) => {
    const { begin, send } = await start();
    const more = { Accept };
    const reply = await send(await begin(), '/endpoints/e0/read', 'select 1', undefined, more);
    expect(reply).toMatchObject({ status: 501, body: { code: 'NOT_SUPPORTED' } });
  },
);

test.each(['text/csv, application/json', 'application/json, text/event-stream'])(
  '%s takes JSON, which is answered within one',
  async (Accept) => {
    const { begin, send } = await start();
    const more = { Accept };
    const reply = await send(await begin(), '/endpoints/e0/read', 'select 1', undefined, more);
    expect(reply).toMatchObject({ status: 200 });
  },
);

test('a result that is too large is told without a stream, which there is none of', async () => {
  const { relay, begin, send } = await start();
  relay.before = async () => {
    const message = 'The result is larger than 8 bytes; send Accept: application/x-ndjson';
    throw told(Code.ResourceExhausted, 'RESULT_TOO_LARGE', message, []);
  };
  expect(await send(await begin(), '/endpoints/e0/read', 'select 1')).toMatchObject({
    body: {
      code: 'RESULT_TOO_LARGE',
      message: 'The result is larger than 8 bytes; ask for less: a transaction has no stream',
    },
  });
});

test('who comes after it was rolled back is told where to find out why', async () => {
  const { begin, send, end } = await start();
  const id = await begin();
  await send(id, '/endpoints/e0/write', 'fail');
  expect(await end(id, 'commit')).toMatchObject({
    status: 409,
    body: {
      message: expect.stringMatching(/^Transaction .* is roll.*: GET .transactions.* tells why$/),
    },
  });
});

test('one begins in the line of those that start something where another organization calls', async () => {
  const { begin, end } = await start();
  const admitted = vi.spyOn(Admission.prototype, 'admit');
  noteCaller('another');
  const id = await begin();
  expect(admitted).toHaveBeenCalledTimes(1);
  admitted.mockRestore();
  expect((await end(id, 'commit')).status).toBe(200);
});

test('a deadline that passes is 504, though a backend ends the request in another way', async () => {
  const { gateway, relay, begin, send, show } = await start();
  const id = await begin();
  relay.before = (method) => {
    if (method !== 'begin') return;
    gateway.clock.now += 250;
    throw told(Code.Unavailable, 'OUTCOME_UNKNOWN', 'The connection was lost');
  };
  const late = { query: 'update a', timeout_ms: 200 };
  expect(await send(id, '/endpoints/e0/write', '', undefined, {}, late)).toMatchObject({
    status: 504,
    body: { code: 'TIMED_OUT' },
  });
  await expect.poll(() => show(id)).toMatchObject({ body: { status: 'rolled_back' } });
});

test.each([
  ['the organization', 'organizations', { access_level: 'None' }, 'Read'],
  ['an endpoint', 'endpoints', { access_level: 'Read', endpoint_id: 'e0' }, 'Write'],
])('is not committed for who may not write any more by a rule on %s', async (...given) => {
  const [, on, rule, lacking] = given;
  const { gateway, relay, send, end } = await start();
  const user = await gateway.addUser('Write');
  const bearer = await gateway.token(user);
  const begun = await gateway.call('POST', '/transactions/begin', {}, bearer);
  const { transaction_id: id } = begun.body as { transaction_id: string };
  expect(await send(id, '/endpoints/e0/write', 'update a', bearer)).toEqual(row('update a'));
  expect(await send(id, '/endpoints/e1/read', 'select 1', bearer)).toEqual(row('select 1'));
  const lowered = { ...rule, subject: user.username };
  expect(await gateway.call('POST', `/iam/rbac/${on}/subjects`, lowered)).toMatchObject({
    status: 200,
  });
  const message = `This operation needs ${lacking} access on endpoint e0`;
  expect(await end(id, 'commit', bearer)).toMatchObject({ status: 403, body: { message } });
  expect(relay.calls.filter((each) => /^(?:prepare|commit)/.test(each))).toEqual([]);
  const closed = { status: 409, body: { code: 'TRANSACTION_CLOSED' } };
  await expect.poll(() => end(id, 'commit', bearer)).toMatchObject(closed);
});
