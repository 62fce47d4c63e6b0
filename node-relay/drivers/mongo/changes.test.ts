/** Changes of a MongoDB database: what is told of documents and collections, and from where a reader goes on. */
import type { Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import { type MongoBackend, mongo } from './index.ts';
import { request, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MongoBackend;
beforeAll(async () => {
  database = await TestDatabase.create();
  const connection = { url: database.url };
  client = await openClient(mongo, { connection, mode: 'write', host: testHost(40) });
});
afterAll(async () => {
  await client?.close();
  await database?.drop();
});

const reader = () => ({ client, slot: 'causeway_test' });

async function collectionOf(name: string, options = {}) {
  await database.db.createCollection(name, options);
  return database.db.collection<{ _id: number } & Document>(name);
}
const IMAGES = { changeStreamPreAndPostImages: { enabled: true } };

test('documents are told with their key, and what they are when they are told', async () => {
  const orders = await collectionOf('orders');
  const reading = await Reading.standing(reader(), all('orders'));
  await orders.insertOne({ _id: 1, total: 1 });
  await orders.updateOne({ _id: 1 }, { $set: { total: 2 } });
  await reading.changes(2);
  await orders.deleteOne({ _id: 1 });
  const of = { collection: 'orders', watched: ['orders'], key: { _id: 1 } };
  expect(reading.taken.map(({ operation }) => operation)).toEqual(['insert', 'update']);
  expect(await reading.changes(1)).toEqual([
    { ...of, operation: 'delete', before: { _id: 1 }, keyOnly: true },
  ]);
  const [insert, update] = reading.taken;
  expect(jsonOf(insert?.after ?? new Uint8Array())).toEqual({ _id: 1, total: 1 });
  expect(jsonOf(update?.after ?? new Uint8Array())).toEqual({ _id: 1, total: 2 });
  expect(update?.keyOnly).toBe(true);
  expect(new Set(reading.taken.map(({ id }) => id)).size).toBe(3);
  for (const { time } of reading.taken) expect(time).toMatch(/^\d{4}-.*T.*Z$/);
  await reading.end();
});

test('documents are told whole before and after where their collection keeps that', async () => {
  const orders = await collectionOf('kept', IMAGES);
  const reading = await Reading.standing(reader(), all('kept'));
  const of = { collection: 'kept', watched: ['kept'], key: { _id: 1 } };
  await orders.insertOne({ _id: 1, n: 1, gone: true });
  expect(await reading.changes(1)).toEqual([
    { ...of, operation: 'insert', after: { _id: 1, n: 1, gone: true } },
  ]);
  await orders.updateOne({ _id: 1 }, { $set: { n: 2 }, $unset: { gone: 1 } });
  expect(await reading.changes(1)).toEqual([
    { ...of, operation: 'update', before: { _id: 1, n: 1, gone: true }, after: { _id: 1, n: 2 } },
  ]);
  await orders.replaceOne({ _id: 1 }, { n: 3 });
  await orders.deleteOne({ _id: 1 });
  expect(await reading.changes(2)).toEqual([
    { ...of, operation: 'update', before: { _id: 1, n: 2 }, after: { _id: 1, n: 3 } },
    { ...of, operation: 'delete', before: { _id: 1, n: 3 } },
  ]);
  await reading.end();
});

test('values are those of a read, digit by digit', async () => {
  await collectionOf('exact');
  const reading = await Reading.standing(reader(), all('exact'));
  const insert = {
    type: 'insert_one',
    collection: 'exact',
    document: {
      _id: { $oid: '64b7f0f0f0f0f0f0f0f0f0f0' },
      long: { $numberLong: '9223372036854775807' },
      decimal: { $numberDecimal: '1.500' },
      double: { $numberDouble: '-0.0' },
      nan: { $numberDouble: 'NaN' },
      date: { $date: '2026-01-02T03:04:05.678Z' },
      binary: { $binary: { base64: 'AAH/', subType: '00' } },
      nested: { list: [1, 'two', null, { three: { $numberLong: '3' } }] },
      pattern: { $regularExpression: { pattern: 'a+', options: 'i' } },
    },
  };
  await client.run(request(insert), callOf('write'));
  await reading.changes(1);
  const read = Buffer.from(
    await client.run(
      request({ type: 'find_one', collection: 'exact', filter: {} }),
      callOf('read'),
    ),
  ).toString();
  const told = Buffer.from(reading.taken[0]?.after ?? []).toString();
  expect(read).toBe(`{"document":${told}}`);
  await reading.end();
});

test('a reader goes on after its position, and nothing comes twice', async () => {
  const orders = await collectionOf('resumed');
  let reading = await Reading.standing(reader(), all('resumed'));
  await orders.insertMany(Array.from({ length: 2_500 }, (_, _id) => ({ _id })));
  const ids: unknown[] = [];
  while (ids.length < 2_500) {
    const { changes } = await reading.batch();
    expect(changes.length).toBeLessThanOrEqual(1_000);
    if (changes.length === 0) continue;
    ids.push(...changes.map(({ key }) => (jsonOf(key) as { _id: number })._id)); // As they were made.
    await reading.end();
    reading = new Reading(reader(), all('resumed'), reading.position);
  }
  expect(ids).toEqual(Array.from({ length: 2_500 }, (_, at) => at));
  await reading.end();
});

test('a change after prepareChanges answered is told, though nobody read yet', async () => {
  const orders = await collectionOf('prepared');
  const asked = { slot: 'causeway_test', collections: all('prepared') };
  const { position } = await client.prepareChanges(asked, callOf('write'));
  await orders.insertOne({ _id: 7 });
  const reading = new Reading(reader(), all('prepared'), position);
  expect(await reading.changes(1)).toMatchObject([{ key: { _id: 7 } }]);
  await reading.end();
});

test('only what is watched is told, to each that watches it', async () => {
  const one = await collectionOf('one');
  const two = await collectionOf('two');
  const reading = await Reading.standing(reader(), [
    { name: 'one', operations: ['insert'] },
    { name: 'one', operations: ['delete'] },
  ]);
  await two.insertOne({ _id: 1 });
  await one.insertOne({ _id: 1 });
  await one.updateOne({ _id: 1 }, { $set: { a: 1 } });
  await one.deleteOne({ _id: 1 });
  expect((await reading.changes(2)).map(({ operation, watched }) => [operation, watched])).toEqual([
    ['insert', ['one']],
    ['delete', ['one']],
  ]);
  await reading.end();
});

test('a collection that is dropped or renamed is told of, and its like goes on', async () => {
  const orders = await collectionOf('dropped');
  const others = await collectionOf('renamed');
  const reading = await Reading.standing(reader(), all('dropped', 'renamed'));
  await orders.drop();
  await others.rename('elsewhere');
  while (reading.faults.length < 2) await reading.batch();
  expect(reading.faults.map(({ watched }) => watched)).toEqual(['dropped', 'renamed']);
  expect(reading.faults[1]?.message).toMatch(/is now elsewhere/);
  await (await collectionOf('dropped')).insertOne({ _id: 1 });
  expect(await reading.changes(1)).toMatchObject([{ collection: 'dropped', key: { _id: 1 } }]);
  await reading.end();
});

test('a document of nearly 16 MiB is told', async () => {
  const orders = await collectionOf('large');
  const reading = await Reading.standing(reader(), all('large'));
  const text = 'x'.repeat(16 * 1024 * 1024 - 1_024);
  await orders.insertOne({ _id: 1, text });
  const [change] = await reading.changes(1);
  expect(change).toMatchObject({ key: { _id: 1 }, after: { text } });
  await reading.end();
});

test('a reader ends with the signal of its call', async () => {
  await collectionOf('ended');
  const reading = await Reading.standing(reader(), all('ended'));
  const rest = failureOf(reading.changes(1));
  const reason = new Error('left');
  reading.leaving.abort(reason);
  expect(await rest).toBe(reason);
});

test('a reader that ends takes no connection from the calls after it', async () => {
  await collectionOf('left');
  const lanes = Array.from({ length: 6 }, async (_, lane) => {
    const slot = `causeway_left_${lane}`;
    const codes: unknown[] = [];
    for (let round = 0; round < 4; round += 1) {
      const reading = await Reading.standing({ client, slot }, all('left'));
      const rest = failureOf(reading.changes(1));
      reading.leaving.abort(new Error('left'));
      await rest;
      const asked = { slot, collections: all('system.users') };
      const refused = await failureOf(client.prepareChanges(asked, callOf('write')));
      codes.push((refused as { code?: unknown }).code);
    }
    return codes;
  });
  expect(new Set((await Promise.all(lanes)).flat())).toEqual(new Set(['BAD_REQUEST']));
});

test('what is not a collection is refused by name', async () => {
  await collectionOf('base');
  await database.db.createCollection('seen', { viewOn: 'base', pipeline: [] });
  const collections = all('base', 'seen', 'system.users');
  const asked = { slot: 'causeway_test', collections };
  expect(await failureOf(client.prepareChanges(asked, callOf('write')))).toMatchObject({
    code: 'BAD_REQUEST',
    details: [
      { path: 'collections[1]', message: 'seen is a view: only collections tell changes' },
      {
        path: 'collections[2]',
        message: 'system.users is not a collection whose changes are told',
      },
    ],
  });
});
