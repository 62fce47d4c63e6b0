/** What is left of a MongoDB session when the relay that holds it dies. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization } from './organization.ts';
import { killRelay } from './processes.ts';
import { backend } from './servers/backends.ts';

let gateway: OwnGateway;
let organization: Organization;
let outside: MongoClient;
const endpoint = `mo-${randomUUID().slice(0, 8)}`;
const database = `test_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  const [own, { url }] = await Promise.all([startGateway(), backend('mongo')]);
  gateway = own;
  outside = await MongoClient.connect(url);
  organization = await newOrganization(gateway);
  const config = { write_conn: { url }, db_name: database };
  const made = await organization.call('POST', '/endpoints', { endpoint, kind: 'mongo', config });
  expect(made).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await outside?.db(database).dropDatabase();
  await Promise.all([gateway?.stop(), outside?.close()]);
});

const write = (body: object, headers = {}) =>
  organization.call('POST', `/endpoints/${endpoint}/write`, body, headers);

test('a transaction that was open is not kept, and its session is gone', async () => {
  await write({ type: 'create_collection', name: 'held' });
  const opened = await organization.call('POST', `/endpoints/${endpoint}/sessions`);
  const { session_id } = (opened.body as { data: { session_id: string } }).data;
  const headers = { 'X-Session-Id': session_id };
  await write({ type: 'start_transaction' }, headers);
  const insert = { type: 'insert_one', collection: 'held', document: { _id: 1 } };
  expect(await write(insert, headers)).toMatchObject({ status: 200 });
  await killRelay(gateway.pid);
  const count = { type: 'count_documents', collection: 'held' };
  await expect
    .poll(async () => (await write(count)).body, { interval: 200 })
    .toMatchObject({ data: { value: 0 } });
  expect(await write({ type: 'commit_transaction' }, headers)).toMatchObject({ status: 404 });
  expect(await outside.db(database).collection('held').countDocuments()).toBe(0);
});
