/** A backend that cannot prepare takes part in a transaction that it only reads in. Spec: transactions.md §2. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, freshDatabase } from '../servers/backends.ts';

let organization: Organization;
const collection = `stock_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  organization = await newOrganization(await sharedGateway());
  const [first, second, mongo] = await Promise.all([
    backend('postgres').then(freshDatabase),
    backend('postgres').then(freshDatabase),
    backend('mongo'),
  ]);
  await add('first', 'postgres', first.url);
  await add('second', 'postgres', second.url);
  await add('mongo', 'mongo', mongo.url);
  const table = { query: 'CREATE TABLE taken (item text, n int)' };
  for (const each of ['first', 'second']) await send(`/endpoints/${each}/write`, table);
  const document = { type: 'insert_one', collection, document: { item: 'chair', n: 3 } };
  await send('/endpoints/mongo/write', document);
});

async function add(endpoint: string, kind: string, url: string): Promise<void> {
  await send('/endpoints', { endpoint, kind, config: { write_conn: { url } } });
}

async function send(
  path: string,
  body: object,
): Promise<{ results: unknown[]; guarantee: string }> {
  const reply = await organization.call('POST', path, body);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body as { results: unknown[]; guarantee: string };
}

const FIND = { endpoint: 'mongo', type: 'find_one', collection, filter: { item: 'chair' } };
const taking = (endpoint: string) => ({
  endpoint,
  query: 'INSERT INTO taken VALUES ($1, $2)',
  params: [{ $result: '[0].document.item' }, { $result: '[0].document.n' }],
});

test('its result feeds writes of two others, which are atomic', async () => {
  const operations = [FIND, taking('first'), taking('second')];
  const { results, guarantee } = await send('/transactions', { require: 'atomic', operations });
  expect(guarantee).toBe('atomic');
  expect(results[0]).toMatchObject({ document: { item: 'chair', n: 3 } });
  for (const each of ['first', 'second']) {
    const read = await send(`/endpoints/${each}/read`, { query: 'SELECT * FROM taken' });
    expect(read).toMatchObject({ data: { rows: [{ item: 'chair', n: 3 }] } });
  }
});

test('it reads alone, and beside another that reads', async () => {
  const other = { endpoint: 'first', query: 'SELECT 1 AS one' };
  for (const operations of [[FIND], [FIND, other], [other, FIND]]) {
    const reply = await organization.call('POST', '/transactions', { operations });
    expect(reply).toMatchObject({ status: 200, body: { sequence: null, guarantee: 'atomic' } });
  }
});

test('in one that goes on request by request, too', async () => {
  const begun = await organization.call('POST', '/transactions/begin', {});
  const { transaction_id: id } = begun.body as { transaction_id: string };
  const within = { 'X-Transaction-Id': id };
  const { endpoint, ...find } = FIND;
  const read = await organization.call('POST', `/endpoints/${endpoint}/read`, find, within);
  expect(read).toMatchObject({ status: 200 });
  const write = { query: "INSERT INTO taken VALUES ('lamp', 1)" };
  const wrote = await organization.call('POST', '/endpoints/first/write', write, within);
  expect(wrote).toMatchObject({ status: 200 });
  const ended = await organization.call('POST', `/transactions/${id}/commit`, {});
  expect(ended).toMatchObject({ status: 200, body: { status: 'committed' } });
});
