/** Workflows that changes of a MongoDB collection start, through a real gateway and relay. Spec: workflows.md §5, `dataChange`. */
import { randomUUID } from 'node:crypto';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization } from '../organization.ts';
import { backend } from '../servers/backends.ts';
import { Follower } from './follower.ts';

const database = `test_${randomUUID().replaceAll('-', '')}`;
let follower: Follower;
let outside: MongoClient;
let endpoint: string;

beforeAll(async () => {
  const { url } = await backend('mongo');
  outside = await MongoClient.connect(url);
  const organization = await newOrganization(await sharedGateway());
  endpoint = `mo-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url }, db_name: database, auth: 'None', content: 'JSON' };
  const body = { endpoint, kind: 'mongodb', config };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  follower = await Follower.of(organization);
});
afterAll(async () => {
  await follower.organization.call('DELETE', `/endpoints/${endpoint}?confirm=true`);
  await outside.db(database).dropDatabase();
  await outside.close();
});

test('a run has the change as its input, with what was where the collection keeps that', async () => {
  const images = { changeStreamPreAndPostImages: { enabled: true } };
  const orders = await outside.db(database).createCollection<Document>('orders', images);
  const trigger = { type: 'dataChange', endpoint, collection: 'orders' };
  const workflow = await follower.workflow(trigger);
  await orders.insertOne({ _id: 7 as never, state: 'new' });
  await orders.updateOne({ _id: 7 as never }, { $set: { state: 'paid' } });
  // The server of these tests looks up what a document is after an update: sometimes only after the next change of it.
  await follower.ended(workflow, 2);
  await orders.deleteOne({ _id: 7 as never });
  const runs = await follower.ended(workflow, 3);
  const of = { endpoint, collection: 'orders', key: { _id: 7 } };
  const common = { ...of, id: expect.any(String), time: expect.any(String) };
  const [made, paid] = [
    { _id: 7, state: 'new' },
    { _id: 7, state: 'paid' },
  ];
  expect(runs.map(({ input }) => input)).toEqual([
    {
      ...{ ...common, operation: 'insert', before: null, after: made },
      changes: { _id: { after: 7 }, state: { after: 'new' } },
    },
    {
      ...{ ...common, operation: 'update', before: made, after: paid },
      changes: { state: { before: 'new', after: 'paid' } },
    },
    {
      ...{ ...common, operation: 'delete', before: paid, after: null },
      changes: { _id: { before: 7 }, state: { before: 'paid' } },
    },
  ]);
});

test('a filter holds for members that came and went', async () => {
  const carts = outside.db(database).collection<Document>('carts');
  const filter = "operation === 'insert' && after.items.length > 1";
  const mapping = { cart: '$.key._id' };
  const trigger = { type: 'dataChange', endpoint, collection: 'carts', filter, mapping };
  const workflow = await follower.workflow(trigger);
  await carts.insertMany([
    { _id: 1 as never, items: ['a'] },
    { _id: 2 as never, items: ['a', 'b'] },
  ]);
  const [run] = await follower.ended(workflow, 1);
  expect(run?.input).toEqual({ cart: 2 });
});
