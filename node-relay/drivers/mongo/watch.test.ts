/** Change streams through the driver: what happens is told once, in order, and again from where one left. */
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WatchEvent } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { request, TestDatabase } from './test/database.ts';
import { TestProxy } from './test/proxy.ts';

let database: TestDatabase;
let session: MongoBackend;
beforeAll(async () => {
  database = await TestDatabase.create();
  const connection = { url: database.url };
  session = await openClient(mongo, { connection, mode: 'read', host: testHost(40) });
});
afterAll(async () => {
  await session?.close();
  await database?.drop();
});

/** A stream that is read event by event. */
interface Following {
  /** The first, without data. */
  readonly opened: WatchEvent;
  next(): Promise<{ id: string; event: Document }>;
  /** How it ends once its caller leaves. */
  leave(): Promise<unknown>;
}

async function follow(
  members: object = {},
  resumeAfter?: string,
  by: MongoBackend = session,
): Promise<Following> {
  const controller = new AbortController();
  const { signal } = controller;
  const asked = request({ type: 'watch', collection: 'orders', ...members });
  const watched = by.watch(asked, callOf('read', { signal }), resumeAfter);
  const events = watched[Symbol.asyncIterator]();
  const one = async (): Promise<WatchEvent> => {
    const { value, done } = await events.next();
    if (done) throw new Error('The stream has ended');
    return value;
  };
  const opened = await one();
  return {
    opened,
    async next() {
      const { id = '', data } = await one();
      return { id, event: jsonOf(data) as Document }; // A change is a document.
    },
    async leave() {
      controller.abort(new Error('left'));
      return events.next().then(
        () => undefined,
        (failure: unknown) => failure,
      );
    },
  };
}

async function collectionOf(name: string) {
  await database.db.createCollection(name);
  return database.db.collection<{ _id: number } & Document>(name);
}

const namespace = (coll: string) => ({ db: database.name, coll });

test('the first event is empty and comes before anything has happened', async () => {
  await collectionOf('quiet');
  const following = await follow({ collection: 'quiet' });
  expect(following.opened).toEqual({ data: new Uint8Array(), id: expect.any(String) });
  await following.leave();
});

test('each change is told in order, with the digits that it has', async () => {
  const orders = await collectionOf('told');
  const following = await follow({ collection: 'told' });
  await orders.insertOne({ _id: 1, z: 1.5, a: 2n ** 60n });
  await orders.updateOne({ _id: 1 }, { $set: { z: 2.5 } });
  await orders.deleteOne({ _id: 1 });
  const events = [await following.next(), await following.next(), await following.next()];
  expect(events.map(({ event }) => event)).toEqual([
    expect.objectContaining({
      operationType: 'insert',
      ns: namespace('told'),
      documentKey: { _id: 1 },
      fullDocument: { _id: 1, z: 1.5, a: { $numberLong: String(2n ** 60n) } },
    }),
    expect.objectContaining({
      operationType: 'update',
      documentKey: { _id: 1 },
      updateDescription: expect.objectContaining({ updatedFields: { z: 2.5 } }),
    }),
    expect.objectContaining({ operationType: 'delete', documentKey: { _id: 1 } }),
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(3);
  await following.leave();
});

test('a stream goes on after the event whose id it is given', async () => {
  const orders = await collectionOf('resumed');
  const before = await follow({ collection: 'resumed' });
  for (const _id of [1, 2, 3]) await orders.insertOne({ _id });
  const { id } = await before.next();
  await before.leave();
  await orders.insertOne({ _id: 4 });
  const after = await follow({ collection: 'resumed' }, id);
  const ids = [await after.next(), await after.next(), await after.next()].map(
    ({ event }) => event.documentKey._id,
  );
  expect(ids).toEqual([2, 3, 4]);
  await after.leave();
});

test('the id of an event, and the token within it, may stand in the options', async () => {
  const orders = await collectionOf('placed');
  const before = await follow({ collection: 'placed' });
  for (const _id of [1, 2]) await orders.insertOne({ _id });
  const { id, event } = await before.next();
  await before.leave();
  for (const options of [{ resume_after: id }, { startAfter: event._id }]) {
    const after = await follow({ collection: 'placed', options });
    expect((await after.next()).event.documentKey).toEqual({ _id: 2 });
    await after.leave();
  }
});

test('a pipeline chooses, and full_document brings what the document is now', async () => {
  const orders = await collectionOf('chosen');
  await orders.insertOne({ _id: 1, total: 1, city: 'Lisbon' });
  const following = await follow({
    collection: 'chosen',
    pipeline: [{ $match: { operationType: 'update' } }, { $project: { fullDocument: 1 } }],
    options: { full_document: 'updateLookup' },
  });
  await orders.insertOne({ _id: 2, total: 5 });
  await orders.updateOne({ _id: 1 }, { $set: { total: 2 } });
  const { event } = await following.next();
  expect(event).toEqual({
    _id: event._id,
    fullDocument: { _id: 1, total: 2, city: 'Lisbon' },
  });
  await following.leave();
});

test('full_document_before_change brings what the document was', async () => {
  const images = { changeStreamPreAndPostImages: { enabled: true } };
  await database.db.createCollection('images', images);
  const orders = database.db.collection<{ _id: number } & Document>('images');
  await orders.insertOne({ _id: 1, total: 1 });
  const options = { full_document_before_change: 'required' };
  const following = await follow({ collection: 'images', options });
  await orders.updateOne({ _id: 1 }, { $set: { total: 2 } });
  expect((await following.next()).event.fullDocumentBeforeChange).toEqual({ _id: 1, total: 1 });
  await following.leave();
});

test('a database and the whole deployment are watched alike', async () => {
  const orders = await collectionOf('wide');
  const pipeline = [{ $match: { 'ns.coll': 'wide', 'ns.db': database.name } }];
  const ofDatabase = await follow({ type: 'database.watch', collection: undefined, pipeline });
  const ofAll = await follow({ type: 'client.watch', collection: undefined, pipeline });
  await orders.insertOne({ _id: 1 });
  for (const each of [ofDatabase, ofAll]) {
    expect((await each.next()).event).toMatchObject({ ns: namespace('wide') });
    await each.leave();
  }
});

test('a stream whose collection is removed says so and ends', async () => {
  const orders = await collectionOf('removed');
  const following = await follow({ collection: 'removed' });
  await orders.drop();
  expect((await following.next()).event).toMatchObject({ operationType: 'drop' });
  expect((await following.next()).event).toMatchObject({ operationType: 'invalidate' });
  await expect(following.next()).rejects.toThrow('The stream has ended');
});

test('leaving frees the slot of the connection at once', async () => {
  await collectionOf('left');
  const connection = { url: database.url };
  const own = await openClient(mongo, { connection, mode: 'read', host: testHost(1) });
  for (let round = 0; round < 3; round += 1) {
    const following = await follow({ collection: 'left' }, undefined, own);
    expect(await following.leave()).toEqual(new Error('left'));
    expect(await own.ping(callOf('read', { signal: AbortSignal.timeout(5_000) }))).toBeGreaterThan(
      0,
    );
  }
  await own.close();
});

test('a stream goes on by itself when its connection is lost, and misses nothing', async () => {
  const orders = await collectionOf('cut');
  const proxy = await TestProxy.to(database.url);
  const own = await openClient(mongo, { connection: { url: proxy.url }, mode: 'read' });
  try {
    const following = await follow({ collection: 'cut' }, undefined, own);
    await orders.insertOne({ _id: 1 });
    expect((await following.next()).event.documentKey).toEqual({ _id: 1 });
    proxy.cut();
    await orders.insertMany([{ _id: 2 }, { _id: 3 }]);
    const keys = [await following.next(), await following.next()].map(
      ({ event }) => event.documentKey._id,
    );
    expect(keys).toEqual([2, 3]);
    await following.leave();
  } finally {
    proxy.close();
    await own.close();
  }
});

test('of ten connections four may follow, and everybody else goes on', async () => {
  await collectionOf('crowd');
  const own = await openClient(mongo, {
    connection: { url: database.url },
    mode: 'read',
    host: testHost(10),
  });
  const open: Following[] = [];
  const join = async () => {
    open.push(await follow({ collection: 'crowd' }, undefined, own));
  };
  try {
    for (let each = 0; each < 4; each += 1) await join();
    expect(await join().catch((failure: unknown) => failure)).toMatchObject({
      code: 'POOL_EXHAUSTED',
      retryAfter: 1,
    });
    const count = request({ type: 'count_documents', collection: 'crowd' });
    expect(jsonOf(await own.run(count, callOf('read')))).toEqual({ value: 0 });
    await open.pop()?.leave();
    await join();
  } finally {
    await Promise.all(open.map((each) => each.leave()));
    await own.close();
  }
});

describe('what is refused', () => {
  const refusalOf = (members: object, resumeAfter?: string) =>
    follow({ collection: 'none', ...members }, resumeAfter).catch((failure: unknown) => failure);

  test.each([
    [{ $out: 'stolen' }],
    [{ $merge: { into: 'stolen' } }],
    [{ $group: { _id: null } }],
    [{ $lookup: { from: 'others', as: 'x', pipeline: [] } }],
    [{ $match: {}, $out: 'stolen' }],
  ])('the stage %j', async (stage) => {
    const thrown = await refusalOf({ pipeline: [stage] });
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({ code: 'BAD_REQUEST', details: [{ path: 'pipeline.0' }] });
  });

  test.each([
    [{ $match: { $where: 'true' } }, 'pipeline.0.$match.$where'],
    [
      { $project: { x: { $function: { body: 'f', args: [], lang: 'js' } } } },
      'pipeline.0.$project.x.$function',
    ],
  ])('code in %j', async (stage, path) => {
    expect(await refusalOf({ pipeline: [stage] })).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ path }],
    });
  });

  test('the id of no event', async () => {
    expect(await refusalOf({}, 'bm9uc2Vuc2U')).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'Last-Event-ID: is not the id of an event',
    });
  });

  test('an event that the server does not know, with its code', async () => {
    const thrown = await refusalOf({ options: { resumeAfter: { _data: '00' } } });
    expect(thrown).toMatchObject({ code: 'REQUEST_FAILED', details: [{ source: 'mongo' }] });
  });

  test('a type that is no subscription', async () => {
    const message = 'Requests of type find are not subscriptions';
    expect(await refusalOf({ type: 'find' })).toMatchObject({ code: 'BAD_REQUEST', message });
  });

  test('a subscription that is asked for as a result', async () => {
    const message = 'Changes are told as they happen: ask with Accept: text/event-stream';
    const asked = request({ type: 'watch', collection: 'none' });
    const thrown = await session.run(asked, callOf('read')).catch((failure: unknown) => failure);
    expect(thrown).toMatchObject({ code: 'BAD_REQUEST', message });
  });
});
