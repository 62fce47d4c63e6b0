/** What callers are told when connections are lost, refused or dropped, and whom the driver may dial. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { type StartedBackend, startBackend } from '../../../test/servers/backends.ts';
import { failureOf } from '../contract.ts';
import type { Host } from '../driver.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import { type MongoBackend, mongo } from './index.ts';
import { entries, request, TestDatabase } from './test/database.ts';
import { TestProxy } from './test/proxy.ts';

let server: StartedBackend;
let database: TestDatabase;
let proxy: TestProxy;

beforeAll(async () => {
  // Failures on demand are a whole server's.
  server = await startBackend('mongo');
  database = await TestDatabase.create(server);
  proxy = await TestProxy.to(database.url);
});
afterAll(async () => {
  proxy.close();
  await database.drop();
  await server.stop();
});

const count = entries('count_documents');
const open = (connection: string, host: Host = testHost()) =>
  openClient(mongo, { connection: { url: connection }, mode: 'write', host });

async function using<Value>(
  session: Promise<MongoBackend>,
  work: (session: MongoBackend) => Promise<Value>,
): Promise<Value> {
  const opened = await session;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

async function failing(data: object): Promise<void> {
  const failPoint = { configureFailPoint: 'failCommand', mode: { times: 1 }, data };
  await database.outside.db('admin').command(failPoint);
}

describe('a lost connection', () => {
  test('that was idle is replaced, for reads and writes alike', async () => {
    await using(open(proxy.url), async (session) => {
      await session.run(count, callOf('read'));
      proxy.cut();
      await session.run(count, callOf('read'));
      proxy.cut();
      const insert = entries('insert_one', { document: { _id: 'after' } });
      expect(jsonOf(await session.run(insert, callOf('write')))).toEqual({ inserted_id: 'after' });
    });
  });

  test('in the middle of a write that the server may deduplicate is tried again, once', async () => {
    await using(open(proxy.url), async (session) => {
      await failing({ failCommands: ['insert'], closeConnection: true });
      const insert = entries('insert_one', { document: { _id: 'once' } });
      expect(jsonOf(await session.run(insert, callOf('write')))).toEqual({ inserted_id: 'once' });
    });
  });

  test('in the middle of a write that it may not leaves its outcome unknown', async () => {
    await using(open(proxy.url), async (session) => {
      await failing({ failCommands: ['update'], closeConnection: true });
      const update = entries('update_many', { filter: {}, update: { $set: { a: 1 } } });
      const failure = await failureOf(session.run(update, callOf('write')));
      expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: [] });
    });
  });
});

describe('whom the driver reaches', () => {
  test('is the host’s to say: nothing else opens a socket, of members that a server names neither', async () => {
    const dialled: string[] = [];
    const allowed = testHost();
    const url = new URL(proxy.url);
    const host: Host = {
      ...allowed,
      dial(name, port, signal) {
        dialled.push(`${name}:${port}`);
        return allowed.dial(name, port, signal);
      },
    };
    const before = proxy.opened;
    await using(open(url.href, host), (session) => session.run(count, callOf('read')));
    await expect.poll(() => proxy.opened - before).toBe(dialled.length);
    // One that monitors, one for the calls.
    expect(dialled).toHaveLength(2);
    expect(new Set(dialled)).toEqual(new Set([url.host]));
  });

  test.each(['a replica set', 'one server'])(
    'is refused as the host refuses it: %s',
    async (topology) => {
      const refusing: Host = {
        ...testHost(),
        async dial() {
          throw new GatewayError('ADDRESS_REFUSED', 'not there');
        },
      };
      const url = new URL(database.url);
      if (topology === 'a replica set') url.searchParams.delete('directConnection');
      await using(open(url.href, refusing), async (session) => {
        const failure = await failureOf(session.run(count, callOf('read')));
        expect(failure).toMatchObject({ code: 'ADDRESS_REFUSED' });
      });
    },
  );

  test('are members that the set names, each by way of the host', async () => {
    const { me, setName } = await database.outside.db('admin').command({ hello: 1 });
    const dialled = new Set<string>();
    const allowed = testHost();
    const host: Host = {
      ...allowed,
      dial(name, port, signal) {
        dialled.add(`${name}:${port}`);
        return allowed.dial(name, port, signal);
      },
    };
    const url = new URL(proxy.url);
    url.searchParams.delete('directConnection');
    url.searchParams.set('replicaSet', String(setName));
    await using(open(url.href, host), (session) => session.run(count, callOf('read')));
    expect(dialled).toContain(me);
  });
});

describe('a pool', () => {
  test('serves two hundred calls at once over no more connections than it has slots', async () => {
    await using(open(proxy.url, testHost(3)), async (session) => {
      let most = 0;
      const watching = setInterval(() => {
        most = Math.max(most, proxy.connections);
      }, 1);
      const calls = Array.from({ length: 200 }, () => session.run(count, callOf('read')));
      await Promise.all(calls);
      clearInterval(watching);
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(3);
    });
  });

  test('gives its slots to another of the endpoint, with the connections', async () => {
    const host = testHost(2);
    await using(open(proxy.url, host), async (one) => {
      await Promise.all([one.run(count, callOf('read')), one.run(count, callOf('read'))]);
      await using(open(proxy.url, host), async (other) => {
        await Promise.all([other.run(count, callOf('read')), other.run(count, callOf('read'))]);
        await expect.poll(() => proxy.connections).toBeLessThanOrEqual(2);
      });
    });
  });
});

test('tells of databases, collections, views and what validators say', async () => {
  const { db } = database;
  await db.createCollection('people', {
    validator: {
      $jsonSchema: {
        required: ['name'],
        properties: { name: { bsonType: 'string' }, age: { bsonType: ['int', 'null'] } },
      },
    },
  });
  await db
    .collection('people')
    .createIndex({ name: 1, age: -1 }, { unique: true, name: 'by_name' });
  await db.createCollection('adults', { viewOn: 'people', pipeline: [] });
  await using(open(database.url), async (session) => {
    const inspect = async (after: string, limit: number) =>
      session.inspect({ limit, after: [database.name, after] }, callOf('read'));
    expect(await inspect('', 1)).toMatchObject({
      tables: [{ name: 'adults', type: 'view', primary_key: [], indexes: [] }],
      more: true,
    });
    const tables = (await inspect('adults', 9))?.tables ?? [];
    expect(tables.find(({ name }) => name === 'people')).toEqual({
      namespace: database.name,
      name: 'people',
      type: 'collection',
      columns: [
        { name: 'name', type: 'string', nullable: false },
        { name: 'age', type: 'int', nullable: true },
      ],
      primary_key: ['_id'],
      indexes: [
        { name: '_id_', columns: ['_id'], unique: true },
        { name: 'by_name', columns: ['name', 'age'], unique: true },
      ],
    });
  });
});

test('a document that its validator refuses is a conflict', async () => {
  await database.db.createCollection('strict', { validator: { n: { $type: 'int' } } });
  const insert = request({ type: 'insert_one', collection: 'strict', document: { n: 'x' } });
  await using(open(database.url), async (session) => {
    const failure = await failureOf(session.run(insert, callOf('write')));
    expect(failure).toMatchObject({ code: 'CONSTRAINT_VIOLATED', details: [{ code: '121' }] });
  });
});

describe('changes', () => {
  /** What members of a replica set answer while another becomes its primary. Source: server discovery and monitoring specification. */
  test.each([
    ['stepped down', { errorCode: 189 }],
    ['interrupted for a change of state', { errorCode: 11602 }],
    ['no primary', { errorCode: 10107 }],
    ['gone', { closeConnection: true }],
  ])('go on after a primary that is %s: none is lost, none comes twice', async (_how, data) => {
    const collection = await database.db.createCollection<{ _id: number }>(`c-${randomUUID()}`);
    await using(open(database.url), async (client) => {
      const reader = { client, slot: 'causeway_election' };
      let reading = await Reading.standing(reader, all(collection.collectionName));
      const ids: unknown[] = [];
      const take = async (count: number) => {
        while (ids.length < count) {
          const batch = await reading.batch().catch(() => undefined);
          // What ended is begun again by who stores positions.
          if (batch)
            ids.push(...batch.changes.map(({ key }) => (jsonOf(key) as { _id: number })._id));
          else reading = new Reading(reader, all(collection.collectionName), reading.position);
        }
      };
      await collection.insertOne({ _id: 0 });
      await take(1);
      const labels = 'errorCode' in data ? { errorLabels: ['ResumableChangeStreamError'] } : {};
      await failing({ failCommands: ['getMore'], ...data, ...labels });
      await collection.insertMany([{ _id: 1 }, { _id: 2 }]);
      await take(3);
      await collection.insertOne({ _id: 3 });
      await take(4);
      expect(ids).toEqual([0, 1, 2, 3]);
      await reading.end();
    });
  });
});
