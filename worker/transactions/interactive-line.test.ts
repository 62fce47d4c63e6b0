/** Requests and ends of one transaction that come at once: each is done after those before it, and none is lost. Spec: transactions.md §5. */
import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, test, vi } from 'vitest';
import { Interactive } from './log/interactive.ts';
import { startInteractive } from './test/interactive.ts';
import { type Act, expectedOf, held, inTheirOrder, ordersOf, sendingOf } from './test/orders.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.each<[number, Act[]]>([
  [60, ['write', 'write', 'read', 'commit', 'rollback']],
  [12, ['write', 'commit', 'commit', 'rollback']],
  [12, ['write', 'rollback', 'rollback', 'commit']],
  [10, ['write', 'write', 'write', 'commit', 'commit']],
])(
  'in each of %i orders behind a slow one: %j',
  async (count, acts) => {
    const started = await startInteractive();
    const { relay, begin, send } = started;
    const inOrder = inTheirOrder();
    let played = 0;
    for (const order of ordersOf(acts)) {
      // Until the log has undone what is rolled back, which it does outside of this test, it would hold up the next.
      const id = await begin({ keys: [`${played}`] });
      relay.calls.length = 0;
      const letGo = held(started);
      const [slow, ...others] = await inOrder([
        () => send(id, '/endpoints/e0/write', 'update a'),
        ...order.map((act) => sendingOf(started, id, act)),
      ]);
      letGo();
      const { over, onSecond, answers } = expectedOf(id, order);
      const came = { order, slow: await slow, answers: await Promise.all(others) };
      expect(came).toMatchObject({ order, slow: { status: 200 }, answers });
      expect([order, ...relay.calls.filter((each) => /^(begin|continue)/.test(each))]).toEqual([
        ...[order, 'begin 0', ...onSecond],
      ]);
      const own = [...relay.committed].filter((name) => name.includes(id));
      // What has only read is not prepared.
      const hasWritten = order.slice(0, order.indexOf('commit')).includes('write');
      const shares = over === 'commit' ? (hasWritten ? 2 : 1) : 0;
      expect([order, own.length, relay.prepared.size]).toEqual([order, shares, 0]);
      if (over === 'commit') expect([order, relay.open.size]).toEqual([order, 0]);
      relay.open.clear();
      played += 1;
    }
    expect(played).toBe(count);
  },
  60_000,
);

test('requests of one template that come at once share what they open', async () => {
  const { gateway, relay, begin, send, end } = await startInteractive();
  for (const at of [0, 1]) {
    const template = { endpoint: `e${at}`, query: 'update a set x = {{a}}' };
    await gateway.call('POST', '/templates', {
      id: `t${at}`,
      name: 'One',
      request: 'Write',
      template,
    });
  }
  const rules = [0, 1, 1, 1].map((at, place) => ({
    ...{ template: `t${at}`, input: { a: { value: 'v' } }, as: `r${place}` },
  }));
  const transformationRules = [...rules, { target: 'ok', value: { value: true } }];
  const made = await gateway.call('POST', '/templates', {
    id: 'all',
    name: 'All',
    transformationRules,
  });
  expect(made).toMatchObject({ status: 200 });
  const enter = vi.spyOn(Interactive.prototype, 'enter');
  relay.before = async (method, share) => {
    // The others wait for the first.
    const haveCome = () => expect(enter).toHaveBeenCalledTimes(4);
    if (method !== 'begin' || share !== '0') return;
    await vi.waitFor(haveCome, { interval: 1, timeout: 30_000 });
  };
  for (let round = 0; round < 4; round += 1) {
    relay.calls.length = 0;
    enter.mockClear();
    const id = await begin();
    expect(await send(id, '/templates/all', 'q')).toMatchObject({ status: 200 });
    expect(relay.calls.toSorted()).toEqual(['begin 0', 'begin 1', 'continue 1', 'continue 1']);
    expect(await end(id, 'commit')).toMatchObject({ status: 200, body: { status: 'committed' } });
    expect(relay.open.size).toBe(0);
  }
});

test('one whose transaction is rolled back under it is told so, and holds nothing', async () => {
  const started = await startInteractive();
  const { relay, begin, send, end } = started;
  const id = await begin();
  const letGo = held(started);
  const [slow] = await inTheirOrder()([() => send(id, '/endpoints/e0/write', 'update a')]);
  expect(await send(id, '/endpoints/e1/write', '')).toMatchObject({ status: 400 });
  expect(await end(id, 'commit')).toMatchObject({ status: 409 });
  letGo();
  expect(await slow).toMatchObject({ status: 409, body: { code: 'TRANSACTION_CLOSED' } });
  await expect.poll(() => relay.open.size).toBe(0);
});

test('one that waits for another transaction waits no longer than its own', async () => {
  const { begin, send, end } = await startInteractive();
  const [holder, waiter] = [await begin(), await begin()];
  await send(holder, '/endpoints/e0/write', 'update a');
  const [waiting] = await inTheirOrder()([() => send(waiter, '/endpoints/e0/write', 'update b')]);
  expect(await send(waiter, '/endpoints/e1/write', '')).toMatchObject({ status: 400 });
  expect(await waiting).toMatchObject({ status: 409, body: { code: 'TRANSACTION_CLOSED' } });
  expect(await end(holder, 'commit')).toMatchObject({ status: 200 });
});

test('one that waits for a slow request waits no longer than its own time, and rolls it back', async () => {
  const started = await startInteractive();
  const { begin, send, show } = started;
  const id = await begin();
  const letGo = held(started);
  const slow = () => send(id, '/endpoints/e0/write', 'update a');
  const body = { query: 'update b', timeout_ms: 50 };
  const waiting = () => send(id, '/endpoints/e1/write', '', undefined, {}, body);
  const [first, second] = await inTheirOrder()([slow, waiting]);
  expect(await second).toMatchObject({ status: 504, body: { code: 'TIMED_OUT' } });
  expect(await show(id)).toMatchObject({ body: { status: expect.stringMatching(/^roll/) } });
  letGo();
  expect(await first).toMatchObject({ status: 409, body: { code: 'TRANSACTION_CLOSED' } });
});

test('one whose isolate ends without a word keeps its place for its own time and 10 s', async () => {
  const { gateway, begin, send, end } = await startInteractive();
  const id = await begin();
  vi.spyOn(Interactive.prototype, 'leave').mockReturnValueOnce(undefined);
  const body = { query: 'update a', timeout_ms: 1_000 };
  const before = Date.now();
  expect(await send(id, '/endpoints/e0/write', '', undefined, {}, body)).toMatchObject({
    status: 200,
  });
  const log = env.TRANSACTION_LOGS.getByName(gateway.organization.uuid);
  await runInDurableObject(log, (_log, { storage: { sql } }) => {
    const { due } = sql.exec<{ due: number }>('SELECT due FROM transactions').one();
    expect(due).toBeGreaterThan(before + 10_000);
    expect(due).toBeLessThanOrEqual(Date.now() + 11_000);
    sql.exec('UPDATE transactions SET due = ?', Date.now());
  });
  const waiting = send(id, '/endpoints/e1/write', 'update b');
  await runDurableObjectAlarm(log);
  expect(await waiting).toMatchObject({ status: 409, body: { code: 'TRANSACTION_CLOSED' } });
  expect(await end(id, 'commit')).toMatchObject({ status: 409 });
});

test.each(['write', 'commit'] as const)(
  'a %s on a session that is lost rolls it back',
  async (act) => {
    const started = await startInteractive();
    const { relay, begin, send, show } = started;
    const id = await begin();
    await send(id, '/endpoints/e1/write', 'update a');
    relay.open.clear();
    expect(await sendingOf(started, id, act)()).toMatchObject({
      ...{ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } },
    });
    expect(await show(id)).toMatchObject({ body: { status: expect.stringMatching(/^roll/) } });
  },
);
