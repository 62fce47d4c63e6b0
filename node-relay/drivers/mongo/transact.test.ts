/** Transactions and leases on a real server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { type StartedBackend, startBackend } from '../../../test/servers/backends.ts';
import { after, failureOf } from '../contract.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { entries, request, TestDatabase } from './test/database.ts';

describe('on a replica set', () => {
  let server: StartedBackend;
  let database: TestDatabase;
  let session: MongoBackend;

  beforeAll(async () => {
    // Failures on demand are a whole server's.
    server = await startBackend('mongo');
    database = await TestDatabase.create(server);
    const host = testHost(4);
    session = await openClient(mongo, { connection: { url: database.url }, mode: 'write', host });
  });
  beforeEach(async () => {
    await database.db
      .collection('entries')
      .drop()
      .catch(() => {});
    await database.db.createCollection('entries');
  });
  afterAll(async () => {
    await failing('off');
    await session.close();
    await database.drop();
    await server.stop();
  });

  const add = (document: object) => entries('insert_one', { document });
  const ids = async () => {
    const found = await database.db.collection('entries').find().sort({ _id: 1 }).toArray();
    return found.map(({ _id }) => _id as unknown);
  };
  async function failing(mode: 'off' | { times: number }, data?: object): Promise<void> {
    const failPoint = { configureFailPoint: 'failCommand', mode, ...(data && { data }) };
    await database.outside.db('admin').command(failPoint);
  }
  async function transact(...requests: MongoRequest[]): Promise<unknown> {
    return jsonOf(await session.transact(requests, callOf('write')));
  }

  test('a transaction puts earlier results instead of references, in their types', async () => {
    const results = await transact(
      add({ _id: { $oid: '6b01c259702ff595a0d9c41c' }, when: { $date: '2026-01-01T00:00:00Z' } }),
      add({ _id: 2, of: { $result: '[0].inserted_id' }, list: [{ $result: '[0].inserted_id' }] }),
      entries('find', { filter: { of: { $result: '[0].inserted_id' } } }),
    );
    const id = { $oid: '6b01c259702ff595a0d9c41c' };
    expect(results).toEqual([
      { inserted_id: id },
      { inserted_id: 2 },
      { documents: [{ _id: 2, of: id, list: [id] }] },
    ]);
  });

  test("$literal stays the server's own operator", async () => {
    const pipeline = [{ $project: { x: { $literal: { $result: 'x' } } } }];
    const results = await transact(add({ _id: 1 }), entries('aggregate', { pipeline }));
    expect(results).toEqual([{ inserted_id: 1 }, { documents: [{ _id: 1, x: { $result: 'x' } }] }]);
  });

  test('a reference to nothing names its operation, and nothing is kept', async () => {
    const failure = await failureOf(transact(add({ _id: 1 }), add({ of: { $result: '[5].x' } })));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ operation: 1 }] });
    expect(await ids()).toEqual([]);
  });

  test('a duplicate is a conflict, and nothing is kept', async () => {
    const failure = await failureOf(transact(add({ _id: 1 }), add({ _id: 1 })));
    expect(failure).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
      details: [{ source: 'mongo', code: '11000', operation: 1 }],
    });
    expect(await ids()).toEqual([]);
  });

  test('transactions that meet are tried again until all are kept', async () => {
    await database.db.collection<{ _id: number; n: number }>('entries').insertOne({ _id: 1, n: 0 });
    const bump = entries('update_one', { filter: { _id: 1 }, update: { $inc: { n: 1 } } });
    await Promise.all(Array.from({ length: 8 }, () => transact(bump, bump)));
    expect(await database.db.collection('entries').findOne()).toMatchObject({ n: 16 });
  });

  test('a commit of unknown outcome is asked for again', async () => {
    await failing(
      { times: 2 },
      {
        failCommands: ['commitTransaction'],
        errorCode: 91,
        errorLabels: ['UnknownTransactionCommitResult'],
      },
    );
    await transact(add({ _id: 1 }));
    expect(await ids()).toEqual([1]);
  });

  test('a transaction that the server gives up is begun again', async () => {
    await failing(
      { times: 1 },
      {
        failCommands: ['insert'],
        errorCode: 112,
        errorLabels: ['TransientTransactionError'],
      },
    );
    await transact(add({ _id: 1 }));
    expect(await ids()).toEqual([1]);
  });

  test('a lease keeps a transaction from call to call', async () => {
    const lease = await session.lease(callOf('write'));
    const run = async (each: MongoRequest) =>
      jsonOf((await lease?.run(each, callOf('write'))) ?? new Uint8Array());
    await run(request({ type: 'start_transaction' }));
    await run(add({ _id: 1 }));
    expect(await ids()).toEqual([]);
    const failure = await failureOf(
      lease?.run(entries('find'), callOf('read')) ?? Promise.resolve(),
    );
    expect(failure).toMatchObject({ code: 'TRANSACTION_OPEN' });
    await run(request({ type: 'commit_transaction' }));
    expect(await ids()).toEqual([1]);
    await run(request({ type: 'start_transaction' }));
    await run(add({ _id: 2 }));
    await run(request({ type: 'abort_transaction' }));
    expect(await ids()).toEqual([1]);
    await lease?.close();
  });

  test('a lease that ends undoes what is open', async () => {
    const lease = await session.lease(callOf('write'));
    await lease?.run(request({ type: 'start_transaction' }), callOf('write'));
    await lease?.run(add({ _id: 1 }), callOf('write'));
    await lease?.close();
    expect(await ids()).toEqual([]);
    await transact(add({ _id: 1 }));
    expect(await ids()).toEqual([1]);
  });

  test('a transaction of several requests needs a session, and says so', async () => {
    for (const type of ['start_transaction', 'commit_transaction', 'abort_transaction']) {
      const failure = await failureOf(session.run(request({ type }), callOf('write')));
      expect(failure).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/session/),
      });
    }
  });

  test('a write that is stopped on its way has an unknown outcome', async () => {
    await failing(
      { times: 1 },
      { failCommands: ['insert'], blockConnection: true, blockTimeMS: 15_000 },
    );
    const reason = new GatewayError('TIMED_OUT', 'late');
    const started = performance.now();
    const failure = await failureOf(
      session.run(add({ _id: 1 }), callOf('write', { signal: after(1_000, reason) })),
    );
    expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(performance.now() - started).toBeLessThan(12_000);
    await sleep(10);
    expect(jsonOf(await session.run(entries('count_documents'), callOf('read')))).toHaveProperty(
      'value',
    );
  });

  test('a transaction that is stopped is undone', async () => {
    await failing(
      { times: 1 },
      { failCommands: ['find'], blockConnection: true, blockTimeMS: 1_500 },
    );
    const reason = new GatewayError('TIMED_OUT', 'late');
    const failure = await failureOf(
      session.transact(
        [add({ _id: 1 }), entries('find')],
        callOf('write', { signal: after(150, reason) }),
      ) ?? Promise.resolve(),
    );
    expect(failure).toMatchObject({ code: 'TIMED_OUT' });
    await expect.poll(ids).toEqual([]);
  });
});
