/** Documents as lines: complete, flat in memory, and stopped when nobody wants them any more. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { type MongoBackend, mongo } from './index.ts';
import { entries, request, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let session: MongoBackend;

beforeAll(async () => {
  database = await TestDatabase.create();
  const documents = Array.from({ length: 1_000 }, (_, i) => ({ i, x: 'x'.repeat(70) }));
  await database.db.collection<{ i: number }>('rows').insertMany(documents);
  const host = testHost(1);
  session = await openClient(mongo, { connection: { url: database.url }, mode: 'read', host });
});
afterAll(async () => {
  await session.close();
  await database.drop();
});

/** Each of the thousand rows a thousand times. */
const million = request({
  type: 'aggregate',
  collection: 'rows',
  pipeline: [{ $set: { n: { $range: [0, 1_000] } } }, { $unwind: '$n' }],
});

function stream(body: MongoRequest, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  const pieces = session.stream(body, callOf('read', signal ? { signal } : {}));
  if (pieces === undefined) throw new Error('no stream');
  return pieces;
}

test('a stream that is left frees its connection', async () => {
  for await (const piece of stream(million)) if (piece.length > 0) break;
  expect(jsonOf(await session.run(entries('count_documents'), callOf('read')))).toEqual({
    value: 0,
  });
});

test('a stream whose time is up ends with why, and the next call is served', async () => {
  const reason = new GatewayError('TIMED_OUT', 'late');
  const read = async () => {
    for await (const _ of stream(million, after(200, reason))) void 0;
  };
  expect(await failureOf(read())).toBe(reason);
  expect(jsonOf(await session.run(entries('count_documents'), callOf('read')))).toEqual({
    value: 0,
  });
});

test('begins with an empty piece, and is only that for no documents', async () => {
  const pieces: number[] = [];
  for await (const piece of stream(entries('find'))) pieces.push(piece.length);
  expect(pieces).toEqual([0]);
});

test('fails before its first piece when the request is refused', async () => {
  for (const body of [entries('find', { filter: { $nothing: 1 } }), entries('count_documents')]) {
    const iterator = stream(body)[Symbol.asyncIterator]();
    expect(await failureOf(iterator.next())).toBeInstanceOf(GatewayError);
  }
});
