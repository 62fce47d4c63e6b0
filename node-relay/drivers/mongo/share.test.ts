/** Shares of transactions over many databases on a real server: the one that commits by itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import type { Isolation } from '../../../proto/prepares.ts';
import { failureOf } from '../contract.ts';
import { beginning, share, shareName } from '../contract-shares.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { entries, request, TestDatabase } from './test/database.ts';

describe('a share on MongoDB', () => {
  let database: TestDatabase;
  let client: MongoBackend;
  beforeAll(async () => {
    database = await TestDatabase.create();
    await database.db.createCollection('entries');
    client = await open();
  });
  afterAll(async () => {
    await client.close();
    await database.drop();
  });

  function open(): Promise<MongoBackend> {
    const connection = { url: database.url };
    return openClient(mongo, { connection, mode: 'write', host: testHost(4) });
  }
  const add = (name: unknown) => entries('insert_one', { document: { name } });
  const find = (name: unknown) => entries('find', { filter: { name } });
  const join = (isolation?: Isolation) =>
    client.join(beginning(shareName(), isolation), callOf('write'));
  const count = (name: string) => database.db.collection('entries').countDocuments({ name });

  test('sees its own writes, takes results of others, and keeps all once it commits', async () => {
    const name = shareName();
    const participant = await join('repeatable read');
    const earlier = [{ rows: [{ x: name }] }];
    const requests = [add({ $result: '[0].rows[0].x' }), find(name)];
    const done = await participant.perform(share(requests, { earlier }), callOf('write'));
    expect(jsonOf(done.results)).toMatchObject([{}, { documents: [{ name }] }]);
    expect(done.onlyRead).toBe(false);
    expect(await count(name)).toBe(0);
    await participant.commit(callOf('write'));
    await participant.close();
    expect(await count(name)).toBe(1);
  });

  test('is undone by being closed, and after a failed operation', async () => {
    const [closed, failed] = [shareName(), shareName()];
    const one = await join();
    await one.perform(share([add(closed)]), callOf('write'));
    await one.close();
    const other = await join();
    const both = share([add(failed), entries('find', { filter: { $no: 1 } })], { earlier: [null] });
    expect(await failureOf(other.perform(both, callOf('write')))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ operation: 2 }],
    });
    await other.close();
    expect([await count(closed), await count(failed)]).toEqual([0, 0]);
  });

  test('tells by its session and number that it was committed, to any client and as often as asked', async () => {
    const name = shareName();
    const participant = await join();
    const done = share([add(name)], { recoverable: true });
    const { recovery } = await participant.perform(done, callOf('write'));
    await participant.commit(callOf('write'));
    await participant.close();
    const other = await open();
    const told = [
      await other.settle(recovery, callOf('write')),
      await client.settle(recovery, callOf('write')),
    ];
    await other.close();
    expect(told).toEqual(['committed', 'committed']);
    expect(await count(name)).toBe(1);
  });

  test('whose process is gone is undone by its session and number: what it held is free at once', async () => {
    const name = shareName();
    const participant = await join();
    const done = share([entries('insert_one', { document: { _id: name, name } })], {
      recoverable: true,
    });
    const { recovery } = await participant.perform(done, callOf('write'));
    const other = await open();
    expect(await other.rollback(name, recovery, callOf('write'))).toEqual({
      ...{ found: false, status: 'unknown' },
    });
    const again = entries('insert_one', { document: { _id: name, name } });
    expect(jsonOf(await other.run(again, callOf('write')))).toMatchObject({ inserted_id: name });
    expect(await failureOf(participant.commit(callOf('write')))).toBeDefined();
    expect(await other.rollback(name, recovery, callOf('write'))).toMatchObject({ found: false });
    await participant.close();
    await other.close();
    expect(await count(name)).toBe(1);
  });

  test('tells that it was undone', async () => {
    const name = shareName();
    const participant = await join();
    const done = share([add(name)], { recoverable: true });
    const { recovery } = await participant.perform(done, callOf('write'));
    await participant.close();
    expect(await client.settle(recovery, callOf('write'))).toBe('rolled_back');
    expect(await count(name)).toBe(0);
  });

  test('names the level that it cannot give', async () => {
    expect(await failureOf(join('serializable'))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'MongoDB cannot give the isolation level serializable, only repeatable read',
    });
  });

  test.each([
    [
      'a commit as a command',
      request({ type: 'run_command', database: 'admin', command: { commitTransaction: 1 } }),
    ],
    [
      'an abort as a command',
      request({ type: 'run_command', database: 'admin', command: { abortTransaction: 1 } }),
    ],
    ['a type that ends it', request({ type: 'commit_transaction' })],
    ['a subscription', request({ type: 'watch', collection: 'entries' })],
  ])('refuses %s', async (_, refused: MongoRequest) => {
    const participant = await join();
    const failure = await failureOf(participant.perform(share([refused]), callOf('write')));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ operation: 0 }] });
    await participant.close();
  });

  test('an operation that is to read may not write', async () => {
    const participant = await join();
    const writes = share([add('x')], { mode: 'read' });
    expect(await failureOf(participant.perform(writes, callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
    });
    await participant.close();
    const reads = await join();
    const { onlyRead } = await reads.perform(share([find('x')]), callOf('write'));
    const insert = { insert: 'entries', documents: [{ name: 'x' }] };
    const writing = share([request({ type: 'run_command', command: insert })]);
    const wrote = await reads.perform(writing, callOf('write'));
    await reads.close();
    expect([onlyRead, wrote.onlyRead]).toEqual([true, false]);
  });
});
