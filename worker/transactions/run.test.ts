/** `POST /transactions` and what follows it, through the real log, on relays in memory. Spec: transactions.md §1 to §5. */
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { failure, type TestGateway } from '../test/gateway.ts';
import { told } from '../test/running.ts';
import { last, op, row, start, until } from './test/started.ts';

const ID = expect.stringMatching(/^[0-9A-Za-z]{22}$/);

describe('POST /transactions', () => {
  test('prepares both, decides, and has both commit', async () => {
    const { gateway, relay } = await start();
    const reply = await gateway.call('POST', '/transactions', {
      operations: [op('e0', 'update a'), op('e1', 'update b', 1), op('e0', 'insert c', 1.5)],
    });
    expect(reply).toEqual({
      status: 200,
      body: {
        ...{ transaction_id: ID, sequence: 1, guarantee: 'atomic', status: 'committed' },
        results: [row('update a'), row('update b', 1), row('insert c', 1.5)],
      },
    });
    expect([...relay.calls].sort()).toEqual(['commit 0', 'commit 1', 'prepare 0', 'prepare 1']);
    await gateway.settle();
    const { transaction_id } = reply.body as { transaction_id: string };
    const gid = (n: number) =>
      expect.stringMatching(new RegExp(`^causeway_[0-9A-Za-z]{22}_${transaction_id}_${n}$`));
    expect(await last(gateway)).toEqual({
      ...{ transaction_id, sequence: 1, guarantee: 'atomic', status: 'committed' },
      ...{ started: expect.any(String), decided: expect.any(String), ended: expect.any(String) },
      participants: [
        { endpoint: 'e0', kind: 'Postgres', status: 'committed', gid: gid(0) },
        { endpoint: 'e1', kind: 'Mysql', status: 'committed', gid: gid(1) },
      ],
    });
  });

  test('is shown as committed to who asks when it is answered', async () => {
    const { gateway } = await start();
    await gateway.call('POST', '/transactions', {
      operations: [op('e0', 'update a'), op('e1', 'update b')],
    });
    expect(await last(gateway)).toMatchObject({ status: 'committed' });
  });

  test('hands results over between databases, each way', async () => {
    const { gateway, relay } = await start();
    const reply = await gateway.call('POST', '/transactions', {
      operations: [
        op('e0', 'insert a', 7),
        op('e1', 'insert b', { $result: '[0].rows[0].values[0]' }),
        op('e0', 'insert c', { $result: '[1].rows[0].said' }),
      ],
    });
    expect(reply).toMatchObject({
      status: 200,
      body: { results: [row('insert a', 7), row('insert b', 7), row('insert c', 'insert b')] },
    });
    expect(relay.calls.slice(0, 3)).toEqual(['begin 0', 'prepare 1', 'prepare 0']);
  });

  test('that only reads has no place in the order', async () => {
    const { gateway, relay } = await start();
    const reply = await gateway.call('POST', '/transactions', {
      operations: [op('e0', 'select 1'), op('e1', 'select 2')],
    });
    expect(reply).toMatchObject({
      status: 200,
      body: { sequence: null, guarantee: 'atomic', status: 'committed' },
    });
    expect(relay.calls.filter((each) => each.startsWith('commit'))).toEqual([]);
  });

  test('a failed operation is told with its place, and nothing is left', async () => {
    const { gateway, relay } = await start();
    const reply = await gateway.call('POST', '/transactions', {
      operations: [op('e0', 'update a'), op('e1', 'update b'), op('e1', 'fail')],
    });
    const details = [{ source: 'postgres', code: '42P01', message: 'no such table', operation: 2 }];
    expect(reply).toEqual({
      status: 400,
      body: failure('REQUEST_FAILED', 'no such table', details),
    });
    expect([...relay.prepared.keys()]).toEqual([]);
    await gateway.settle();
    expect(await until(gateway, 'rolled_back')).toMatchObject({
      status: 'rolled_back',
      sequence: null,
      error: { code: 'REQUEST_FAILED', message: 'no such table', details },
    });
  });

  test('two that conflict take turns; two with other keys do not', async () => {
    const { gateway, relay } = await start();
    const gates: (() => void)[] = [];
    relay.before = (method) =>
      method === 'prepare' ? new Promise<void>((resolve) => gates.push(resolve)) : undefined;
    const send = (keys?: string[]) =>
      gateway.call('POST', '/transactions', {
        operations: [op('e0', 'update a')],
        ...(keys ? { keys } : {}),
      });
    const [one, two, three] = [send(['k']), send(['k']), send(['l'])];
    await expect.poll(() => gates.length).toBe(2);
    for (const open of gates.splice(0)) open();
    await expect.poll(() => gates.length).toBe(1);
    gates[0]?.();
    const replies = await Promise.all([one, two, three]);
    const sequences = replies.map(({ body }) => (body as { sequence: number }).sequence);
    expect([...sequences].sort()).toEqual([1, 2, 3]);
  });
});

describe('guarantees', () => {
  test('one that cannot be prepared commits after the others are, and decides', async () => {
    const { gateway, relay, uuids } = await start();
    relay.lacks.set(uuids[0] ?? '', 'max_prepared_transactions above 0');
    const reply = await gateway.call('POST', '/transactions', {
      operations: [op('e0', 'update a'), op('e1', 'update b')],
    });
    expect(reply).toMatchObject({ status: 200, body: { guarantee: 'last-resource', sequence: 1 } });
    expect(relay.calls.slice(-2)).toEqual(['commit 0', 'commit 1']);
    const strict = await gateway.call('POST', '/transactions', {
      operations: [op('e0', 'update a'), op('e1', 'update b')],
      require: 'atomic',
    });
    expect(strict).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('e0 lacks max_prepared_transactions above 0') },
    });
  });

  test('the commit of one that keeps marks leaves one', async () => {
    const { gateway, relay, uuids } = await start();
    relay.lacks.set(uuids[0] ?? '', 'max_prepared_transactions above 0');
    const config = { once: { table: 'marks' } };
    await gateway.call('PATCH', '/endpoints/e0', { config });
    const reply = await gateway.call('POST', '/transactions', {
      operations: [op('e0', 'update a'), op('e1', 'update b')],
    });
    expect(reply).toMatchObject({ status: 200, body: { status: 'committed', sequence: 1 } });
    expect(relay.calls.slice(-2)).toEqual(['commitMarked 0', 'commit 1']);
  });

  test('two that cannot be prepared are refused, both by name', async () => {
    const { gateway, relay, uuids } = await start();
    for (const uuid of uuids) relay.lacks.set(uuid, 'a newer version');
    const reply = await gateway.call('POST', '/transactions', {
      operations: [op('e0', 'update a'), op('e1', 'update b')],
    });
    expect(reply).toMatchObject({
      status: 400,
      body: {
        code: 'BAD_REQUEST',
        details: [
          { path: 'operations', message: 'endpoint e0 lacks a newer version' },
          { path: 'operations', message: 'endpoint e1 lacks a newer version' },
        ],
      },
    });
    expect(relay.calls).toEqual([]);
  });

  test.each<[string, Json[], number, string]>([
    [
      'a second write',
      [
        { endpoint: 'e1', type: 'set', key: 'k', value: 'v' },
        { endpoint: 'e1', type: 'set', key: 'l', value: 'v' },
      ],
      1,
      'is a second write on endpoint e1: Redis takes one in a transaction',
    ],
    [
      'a read after the write',
      [
        { endpoint: 'e1', type: 'set', key: 'k', value: 'v' },
        { endpoint: 'e1', type: 'get', key: 'k' },
      ],
      1,
      'reads on endpoint e1 after its write, which is sent last of all',
    ],
    [
      'its result elsewhere',
      [
        { endpoint: 'e1', type: 'set', key: 'k', value: 'v' },
        op('e0', 'insert a', { $result: '[0].result' }),
      ],
      1,
      'uses the result of endpoint e1, whose write is sent last of all',
    ],
  ])('of a backend without transactions %s is refused', async (_, operations, place, problem) => {
    const { gateway } = await start(['postgres', 'redis']);
    const reply = await gateway.call('POST', '/transactions', { operations });
    const details = [{ path: `operations.${place}`, message: problem, operation: place }];
    expect(reply).toEqual({
      status: 400,
      body: failure('BAD_REQUEST', `operations.${place}: ${problem}`, details),
    });
  });
});

/** As a relay that is gone while a call is on its way. */
const lost = () => told(Code.Unavailable, 'OUTCOME_UNKNOWN', 'The connection was lost');

describe('memory', () => {
  const body = { operations: [op('e0', 'update a'), op('e1', 'update b')] };

  test('a participant that ended on the other side makes it mixed', async () => {
    const { gateway, relay } = await start();
    relay.before = (method, share) => {
      if (method !== 'commit' || share !== '1') return;
      for (const name of relay.prepared.keys())
        if (name.endsWith('_1')) relay.prepared.delete(name);
    };
    await gateway.call('POST', '/transactions', body);
    expect(await until(gateway, 'mixed')).toMatchObject({
      status: 'mixed',
      participants: [{ status: 'committed' }, { status: 'rolled_back' }],
    });
  });
});

describe('Idempotency-Key', () => {
  async function keyed(gateway: TestGateway, key: string, body: Json) {
    const response = await gateway.send('/transactions', {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${await gateway.token()}`, 'Idempotency-Key': key },
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    const replayed = response.headers.get('Idempotent-Replayed');
    return { status: response.status, replayed, body: (await response.json()) as Json };
  }
  const body = { operations: [op('e0', 'update a'), op('e1', 'update b')] };

  test('a repeat is answered from the log, and another body refused', async () => {
    const { gateway, relay } = await start();
    const first = await keyed(gateway, 'key-1', body);
    await gateway.settle();
    const calls = relay.calls.length;
    expect(await keyed(gateway, 'key-1', body)).toEqual({ ...first, replayed: 'true' });
    expect(relay.calls).toHaveLength(calls);
    const other = { operations: [op('e0', 'update x')] };
    expect(await keyed(gateway, 'key-1', other)).toMatchObject({ status: 422 });
  });

  test('after a failure it answers that, after one that left nothing it runs again', async () => {
    const { gateway, relay } = await start();
    const failing = { operations: [op('e0', 'fail')] };
    const first = await keyed(gateway, 'key-2', failing);
    await gateway.settle();
    const calls = relay.calls.length;
    // All of it, the id of the request that failed, too.
    expect(await keyed(gateway, 'key-2', failing)).toEqual({ ...first, replayed: 'true' });
    expect(first).toMatchObject({ status: 400, replayed: null });
    expect(relay.calls).toHaveLength(calls);
    let isDown = true;
    relay.before = (method) => {
      if (method === 'prepare' && isDown) throw lost();
    };
    expect(await keyed(gateway, 'key-3', body)).toMatchObject({ status: 503 });
    await gateway.settle();
    await until(gateway, 'rolled_back');
    isDown = false;
    expect(await keyed(gateway, 'key-3', body)).toMatchObject({ status: 200, replayed: null });
  });
});
