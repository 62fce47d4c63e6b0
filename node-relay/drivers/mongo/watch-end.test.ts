/** How a change stream ends by itself: what is watched is gone, and its pipeline hides that. */
import { type Document, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import { type MongoBackend, mongo } from './index.ts';
import { request, TestDatabase } from './test/database.ts';
import { HELLO, HostileServer } from './test/hostile.ts';

let database: TestDatabase;
let session: MongoBackend;
beforeAll(async () => {
  database = await TestDatabase.create();
  session = await open(database.url);
});
afterAll(async () => {
  await session.close();
  await database.drop();
});

function open(url: string): Promise<MongoBackend> {
  return openClient(mongo, { connection: { url }, mode: 'read', host: testHost(4) });
}

/** A loop that never gives way can be stopped from within alone. */
const ASKED_MAX = 200;

/** The signal of a caller that does not leave. */
function patience(signal = new AbortController().signal): AbortSignal {
  let asked = 0;
  signal.throwIfAborted = () => {
    asked += 1;
    if (asked > ASKED_MAX) throw new Error('It asks without end');
  };
  return signal;
}

const INSERTS = [{ $match: { operationType: 'insert' } }];

/** Does something once a stream is open, and reads that to its end. */
async function toldUntilEnd(members: object, then: () => Promise<unknown>): Promise<Document[]> {
  const watched = session.watch(
    request({ pipeline: INSERTS, ...members }),
    callOf('read', { signal: patience() }),
    undefined,
  );
  const told: Document[] = [];
  for await (const { data } of watched) {
    if (data.length === 0) await then();
    else told.push(jsonOf(data) as Document); // A change is a document.
  }
  return told;
}

describe('a stream that hides `invalidate` ends once what it watches is', () => {
  const name = (of: string) => `${database.name}_${of}`;

  test.each<[string, (names: { db: string }) => Promise<unknown>]>([
    ['a removed collection', ({ db }) => database.outside.db(db).dropCollection('orders')],
    ['a renamed collection', ({ db }) => database.outside.db(db).renameCollection('orders', 'b')],
    ['a collection of a removed database', ({ db }) => database.outside.db(db).dropDatabase()],
  ])('%s', async (_, end) => {
    const db = name('one');
    const orders = await database.outside.db(db).createCollection<{ _id: number }>('orders');
    try {
      const members = { type: 'watch', database: db, collection: 'orders' };
      const told = await toldUntilEnd(members, async () => {
        await orders.insertOne({ _id: 1 });
        await end({ db });
      });
      expect(told).toMatchObject([{ operationType: 'insert', documentKey: { _id: 1 } }]);
    } finally {
      await database.outside.db(db).dropDatabase();
    }
  });

  test('a removed database', async () => {
    const db = name('whole');
    const orders = await database.outside.db(db).createCollection<{ _id: number }>('orders');
    const told = await toldUntilEnd({ type: 'database.watch', database: db }, async () => {
      await orders.insertOne({ _id: 1 });
      await database.outside.db(db).dropDatabase();
    });
    expect(told).toMatchObject([{ operationType: 'insert', documentKey: { _id: 1 } }]);
  });
});

describe('a server that has nothing to tell', () => {
  const place = { postBatchResumeToken: { _data: '00' } };
  const answerOf = (id: Long, batch: 'firstBatch' | 'nextBatch') => ({
    ok: 1,
    cursor: { id, ns: 'test.orders', [batch]: [], ...place },
  });

  /** What is given a session with a server whose cursors have these ids, and that answers at once. */
  async function withServer(
    id: Long,
    next: Long,
    work: (session: MongoBackend, server: HostileServer) => Promise<void>,
  ): Promise<void> {
    const server = await HostileServer.start((command) => {
      if (/^(?:hello|ismaster)$/i.test(command)) return HELLO;
      if (command === 'aggregate') return answerOf(id, 'firstBatch');
      if (command === 'getMore') return answerOf(next, 'nextBatch');
      if (command === 'buildInfo') return { ok: 1, versionArray: [8, 0, 0, 0] };
      return answerOf(Long.ZERO, 'firstBatch');
    });
    const own = await open(`mongodb://127.0.0.1:${server.port}/test?directConnection=true`);
    try {
      await work(own, server);
    } finally {
      server.stop();
      await own.close();
    }
  }

  const asking = (asked: readonly string[]) =>
    asked.filter((command) => ['aggregate', 'getMore'].includes(command)).length;
  const watching = (own: MongoBackend, signal: AbortSignal) =>
    own
      .watch(
        request({ type: 'watch', collection: 'orders' }),
        callOf('read', { signal }),
        undefined,
      )
      [Symbol.asyncIterator]();

  test.each([
    ['at once', Long.ZERO, Long.ZERO],
    ['with its next answer', Long.fromNumber(7), Long.ZERO],
  ])('ends a stream %s', async (_, id, next) => {
    await withServer(id, next, async (own) => {
      const events = watching(own, patience());
      expect((await events.next()).value).toMatchObject({ data: new Uint8Array() });
      expect(await events.next()).toEqual({ done: true, value: undefined });
    });
  });

  test('and says so at once is asked a few times a second, until the caller leaves', async () => {
    await withServer(Long.fromNumber(7), Long.fromNumber(7), async (own, { asked }) => {
      const left = new AbortController();
      const events = watching(own, left.signal);
      await events.next();
      setTimeout(() => left.abort(new Error('left')), 500);
      await expect(events.next()).rejects.toThrow('left');
      expect(asking(asked)).toBeLessThan(12);
    });
  });

  test('and closes the stream of changes at once is asked a few times a second', async () => {
    await withServer(Long.ZERO, Long.ZERO, async (client, { asked }) => {
      const reading = new Reading({ client, slot: 'causeway_closed' }, all('orders'));
      patience(reading.leaving.signal);
      const until = performance.now() + 500;
      while (performance.now() < until) expect((await reading.batch()).changes).toEqual([]);
      await reading.end();
      expect(asking(asked)).toBeLessThan(12);
    });
  });
});
