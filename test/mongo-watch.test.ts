/** MongoDB's change streams from an HTTP client to the server and back, as server-sent events. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscribe, type Told } from './event-stream.ts';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal } from './organization.ts';
import { backend } from './servers/backends.ts';

let organization: Organization;
let endpoint: string;
let outside: MongoClient;
const database = `test_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  const [gateway, { url }] = await Promise.all([sharedGateway(), backend('mongo')]);
  outside = await MongoClient.connect(url);
  await outside.db(database).createCollection('orders');
  organization = await newOrganization(gateway);
  endpoint = `mo-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url }, db_name: database };
  const body = { endpoint, kind: 'mongo', config };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await outside.db(database).dropDatabase();
  await outside.close();
});

const orders = () => outside.db(database).collection<{ _id: number }>('orders');

const watch = (body: object, headers?: Readonly<Record<string, string>>) =>
  subscribe(organization, `/endpoints/${endpoint}/read`, body, headers);
const keyOf = ({ data }: Told): unknown => Object(data).documentKey?._id;

test('changes arrive as they happen, and again from the event that was the last', async () => {
  const first = await watch({ type: 'watch', collection: 'orders' });
  await orders().insertOne({ _id: 1 });
  const one = await first.next();
  expect(one.data).toMatchObject({ operationType: 'insert', fullDocument: { _id: 1 } });
  first.leave();
  await orders().insertMany([{ _id: 2 }, { _id: 3 }]);
  const again = await watch(
    { type: 'collection.watch', collection: 'orders' },
    { 'Last-Event-ID': one.id ?? '' },
  );
  const keys = [await again.next(), await again.next()].map(keyOf);
  expect(keys).toEqual([2, 3]);
  again.leave();
});

test('a pipeline that writes is refused before anything is told', async () => {
  const body = { type: 'watch', collection: 'orders', pipeline: [{ $out: 'stolen' }] };
  const headers = { Accept: 'text/event-stream' };
  const reply = await organization.call('POST', `/endpoints/${endpoint}/read`, body, headers);
  expect(reply).toMatchObject({ status: 400, body: { details: [{ path: 'pipeline.0' }] } });
});

test('a watch that does not ask for events is told how', async () => {
  const body = { type: 'database.watch' };
  const message = 'must be text/event-stream: this request answers events';
  expect(await organization.call('POST', `/endpoints/${endpoint}/read`, body)).toEqual(
    refusal('NOT_ACCEPTABLE', `Accept: ${message}`, [{ path: 'Accept', message }]),
  );
});

test('a file of GridFS goes in and comes out', async () => {
  const upload = {
    type: 'gridfs.upload',
    id: 7,
    filename: 'a.txt',
    content: { $bytes: 'UGFpZC4=' },
  };
  const at = `/endpoints/${endpoint}`;
  expect(await organization.call('POST', `${at}/write`, upload)).toMatchObject({
    status: 200,
    body: { data: { inserted_id: 7 } },
  });
  const download = { type: 'database.gridfs_bucket.download', filename: 'a.txt', encoding: 'text' };
  expect(await organization.call('POST', `${at}/read`, download)).toMatchObject({
    status: 200,
    body: { data: { value: 'Paid.' } },
  });
});
