/** In how few messages a transaction is sent to a relay, and what becomes of each call in them. Spec: transactions.md §1, §3. */
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { failure } from '../test/gateway.ts';
import { told } from '../test/running.ts';
import { last, op, row, start, until } from './test/started.ts';

const body = { operations: [op('e0', 'update a'), op('e1', 'update b'), op('e1', 'update c')] };
const LOST = new ConnectError('lost', Code.Unavailable);

test('two databases of one relay take two messages, also where the client commits', async () => {
  const { gateway, relay } = await start();
  const reply = await gateway.call('POST', '/transactions', body);
  expect(reply).toMatchObject({
    status: 200,
    body: { results: [row('update a'), row('update b'), row('update c')] },
  });
  expect(relay.messages).toEqual(['prepare 2', 'commit 2']);

  const begun = await gateway.call('POST', '/transactions/begin', {});
  const { transaction_id: id } = begun.body as { transaction_id: string };
  const bearer = await gateway.token();
  for (const endpoint of ['e0', 'e1']) {
    await gateway.send(`/endpoints/${endpoint}/write`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${bearer}`, 'X-Transaction-Id': id },
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ query: 'update d' }),
    });
  }
  const committed = await gateway.call('POST', `/transactions/${id}/commit`);
  expect(committed).toMatchObject({ status: 200, body: { status: 'committed' } });
  expect(relay.messages.slice(2)).toEqual(['prepare 2', 'commit 2']);
});

test('what waits for a result of another, or is large, is sent by itself', async () => {
  const { gateway, relay } = await start(['postgres', 'mysql', 'mysql']);
  const waiting = {
    operations: [
      op('e0', 'update a', 7),
      op('e1', 'update b', { $result: '[0].rows[0].values[0]' }),
      op('e2', 'update c'),
    ],
  };
  expect(await gateway.call('POST', '/transactions', waiting)).toMatchObject({ status: 200 });
  expect(relay.messages).toEqual(['prepare 2', 'commit 3']);
  const large = { operations: [op('e0', 'update a', 'x'.repeat(70_000)), op('e1', 'update b')] };
  expect(await gateway.call('POST', '/transactions', large)).toMatchObject({ status: 200 });
  expect(relay.messages.slice(2)).toEqual(['commit 2']);
});

test('a relay of an earlier version gets each call by itself, and is not asked again', async () => {
  const { gateway, relay } = await start();
  relay.isOld = true;
  for (const _ of [1, 2]) {
    const reply = await gateway.call('POST', '/transactions', body);
    expect(reply).toMatchObject({ status: 200, body: { status: 'committed' } });
  }
  expect(relay.messages).toEqual(['prepare 2']);
  expect(relay.calls.toSorted()).toEqual(
    ['commit 0', 'commit 1', 'prepare 0', 'prepare 1'].flatMap((each) => [each, each]),
  );
});

test('the first that fails is told, and the other one, which is prepared, is rolled back', async () => {
  const { gateway, relay } = await start();
  // The one that fails is not the first in the message, and neither is its answer.
  const operations = [op('e0', 'update a'), op('e1', 'fail')];
  const reply = await gateway.call('POST', '/transactions', { operations });
  const details = [{ source: 'postgres', code: '42P01', message: 'no such table', operation: 1 }];
  expect(reply).toEqual({ status: 400, body: failure('REQUEST_FAILED', 'no such table', details) });
  expect(relay.calls.filter((each) => each.startsWith('rollback'))).toEqual(['rollback 0']);
  expect([...relay.prepared.keys()]).toEqual([]);
  expect(await until(gateway, 'rolled_back')).toMatchObject({ status: 'rolled_back' });
});

test('one that was ended for the failure of the other does not hide it, and is looked for', async () => {
  const { gateway, relay } = await start();
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  relay.before = async (method, share) => {
    if (method !== 'prepare') return;
    if (share === '1') {
      setTimeout(resolve, 20);
      return;
    }
    await failed;
    throw told(Code.DeadlineExceeded, 'TIMED_OUT', 'Another share of the transaction has failed');
  };
  const operations = [op('e0', 'update a'), op('e1', 'fail')];
  const reply = await gateway.call('POST', '/transactions', { operations });
  expect(reply).toMatchObject({ status: 400, body: { code: 'REQUEST_FAILED' } });
  expect(relay.calls.filter((each) => each.startsWith('rollback'))).toEqual([
    ...['rollback 0', 'rollback 0'],
  ]);
});

test.each(['prepareTogether', 'prepareTogether done'])(
  'a message that is lost at %s leaves nothing of both',
  async (where) => {
    const { gateway, relay } = await start();
    relay.before = (method) => {
      if (method === where) throw LOST;
    };
    const reply = await gateway.call('POST', '/transactions', body);
    expect(reply).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect([...relay.prepared.keys()]).toEqual([]);
    expect(relay.committed.size).toBe(0);
    expect(await until(gateway, 'rolled_back')).toMatchObject({ status: 'rolled_back' });
  },
);

test.each(['commitTogether', 'commitTogether done'])(
  'a message that is lost at %s leaves both to the log, which knows the decision',
  async (where) => {
    const { gateway, relay } = await start();
    relay.before = (method) => {
      if (method === where) throw LOST;
    };
    const reply = await gateway.call('POST', '/transactions', body);
    expect(reply).toMatchObject({ status: 200, body: { status: 'committing', sequence: 1 } });
    await gateway.settle();
    expect(await last(gateway)).toMatchObject({
      ...{ status: 'committing', sequence: 1 },
      participants: [{ status: 'active' }, { status: 'active' }],
    });
  },
);

test('one that cannot prepare has not ended until its server says so', async () => {
  const { gateway, relay, uuids } = await start();
  relay.lacks.set(uuids[1] ?? '', 'prepared transactions are off');
  relay.before = (method, share) => {
    if (share === '1' && method === 'begin') {
      throw told(Code.DeadlineExceeded, 'TIMED_OUT', 'The deadline passed');
    }
    if (share === '1' && method === 'rollback') throw new Error('nobody answers');
  };
  const operations = [op('e0', 'update a'), op('e1', 'update b')];
  const reply = await gateway.call('POST', '/transactions', { operations });
  expect(reply).toMatchObject({ status: 504 });
  const { body } = await gateway.call('GET', '/transactions');
  expect(body).toMatchObject({ transactions: [{ status: 'rolling_back' }] });
});
