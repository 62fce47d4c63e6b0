/** Requests within a transaction fail in the same words as outside of one. Spec: transactions.md §5. */
import { randomUUID } from 'node:crypto';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, type FreshDatabase, freshDatabase } from '../servers/backends.ts';

let organization: Organization;
let postgres: FreshDatabase;
let outside: mysql.Connection;
const database = `test_${randomUUID().replaceAll('-', '')}`;
/** A key of Redis that holds a list. */
const LIST = database;

beforeAll(async () => {
  const [gateway, { url }, fresh, mongo, redis] = await Promise.all([
    sharedGateway(),
    backend('mysql'),
    freshDatabase(),
    backend('mongo'),
    backend('redis'),
  ]);
  postgres = fresh;
  const own = new URL(url);
  outside = await mysql.createConnection(own.href);
  await outside.query(`CREATE DATABASE ${database}`);
  own.pathname = `/${database}`;
  organization = await newOrganization(gateway);
  for (const [endpoint, kind, address] of [
    ['pg', 'postgres', postgres.url],
    ['my', 'mysql', own.href],
    ['mongo', 'mongo', mongo.url],
    ['redis', 'redis', redis.url],
  ] as const) {
    const body = { endpoint, kind, config: { write_conn: { url: address } } };
    expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  }
  for (const endpoint of ['pg', 'my']) {
    await write(endpoint, { query: 'CREATE TABLE entries (name varchar(50) PRIMARY KEY)' });
    await write(endpoint, { query: "INSERT INTO entries VALUES ('there')" });
  }
  await write('redis', { type: 'lpush', key: LIST, elements: ['x'] });
});
afterAll(async () => {
  await write('redis', { type: 'del', keys: [LIST] });
  await postgres.drop();
  await outside.query(`DROP DATABASE ${database}`);
  await outside.end();
});

async function write(endpoint: string, body: object): Promise<void> {
  const reply = await organization.call('POST', `/endpoints/${endpoint}/write`, body);
  expect(reply).toMatchObject({ status: 200 });
}

async function begin(as: object): Promise<string> {
  const reply = await organization.call('POST', '/transactions/begin', {}, { ...as });
  return (reply.body as { transaction_id: string }).transaction_id;
}

/** What a request ends in. @param as headers of who sends it */
async function toldOf(path: string, body: unknown, { as = {}, isWithin = false } = {}) {
  const headers = { ...as, ...(isWithin ? { 'X-Transaction-Id': await begin(as) } : {}) };
  const reply = await organization.call('POST', `/endpoints/${path}`, body, headers);
  const { request_id: _, ...told } = reply.body as Record<string, unknown>;
  return { status: reply.status, told };
}

test.each<[string, string, unknown]>([
  ['an unknown member', 'pg/write', { query: 'SELECT 1', foo: 1 }],
  ['an unknown member', 'my/write', { query: 'SELECT 1', foo: 1 }],
  ['an unknown member', 'my/read', { query: 'SELECT 1', foo: 1 }],
  ['a member that is an endpoint', 'pg/write', { query: 'SELECT 1', endpoint: 'pg' }],
  ['an unknown member', 'mongo/read', { type: 'find', collection: 'a', filter: {}, foo: 1 }],
  ['an unknown member', 'redis/write', { type: 'get', key: 'a', foo: 1 }],
  ['an unknown type', 'pg/write', { type: 'nothing' }],
  ['an unknown type', 'my/write', { type: 'nothing' }],
  ['nothing', 'pg/write', {}],
  ['a list', 'pg/write', []],
  ['a text', 'pg/write', 'SELECT 1'],
  ['params that are no list', 'pg/write', { query: 'SELECT $1', params: 7 }],
  ['an empty statement', 'pg/write', { query: '' }],
  ['a deadline that is none', 'pg/write', { query: 'SELECT 1', timeout_ms: 0 }],
  ['another kind', 'pg/write', { kind: 'mysql', query: 'SELECT 1' }],
  ['a statement that is none', 'pg/write', { query: 'INSRT' }],
  ['a statement that is none', 'my/write', { query: 'INSRT' }],
  ['a statement that is none', 'pg/read', { query: 'SELCT' }],
  ['a table that is not there', 'pg/write', { query: 'INSERT INTO nowhere VALUES (1)' }],
  ['a table that is not there', 'my/read', { query: 'SELECT * FROM nowhere' }],
  ['a key that is there', 'pg/write', { query: "INSERT INTO entries VALUES ('there')" }],
  ['a key that is there', 'my/write', { query: "INSERT INTO entries VALUES ('there')" }],
  ['too few params', 'pg/write', { query: 'SELECT $1::int' }],
  ['too few params', 'my/write', { query: 'SELECT ?', params: [] }],
  ['a param that is none', 'pg/write', { query: 'SELECT $1::int', params: ['x'] }],
  ['a write on read', 'pg/read', { query: "INSERT INTO entries VALUES ('a')" }],
  ['a write on read', 'my/read', { query: "INSERT INTO entries VALUES ('a')" }],
  ['a write on read', 'pg/read', { type: 'execute', query: 'DELETE FROM entries' }],
  ['a write on read', 'redis/read', { type: 'set', key: 'a', value: 'b' }],
  ['a write on read', 'mongo/read', { type: 'insert_one', collection: 'a', document: {} }],
  [
    'a pipeline that writes on read',
    'mongo/read',
    { type: 'aggregate', collection: 'a', pipeline: [{ $out: 'b' }] },
  ],
  ['a type that is none', 'mongo/write', { type: 'nothing', collection: 'a' }],
  [
    'a filter that is none',
    'mongo/read',
    { type: 'find', collection: 'a', filter: { $nothing: 1 } },
  ],
  [
    'an update that is none',
    'mongo/write',
    { type: 'update_one', collection: 'a', filter: {}, update: { $nothing: { a: 1 } } },
  ],
  ['a key of another type', 'redis/read', { type: 'get', key: LIST }],
  ['two statements', 'pg/write', { query: 'SELECT 1; SELECT 2' }],
  ['a subscription', 'redis/write', { type: 'subscribe', channels: ['a'] }],
])('%s on %s', async (_, path, body) => {
  const alone = await toldOf(path, body);
  const within = await toldOf(path, body, { isWithin: true });
  expect(within).toEqual(alone);
  expect(alone.status).toBeGreaterThanOrEqual(400);
});

const TWICE = [
  ['a', '"type":"insert_one","collection":"twice","doc":{"a":1,"b":5,"a":2}'],
  ['a', '"type":"insert_one","collection":"twice","doc":{"x":[{"a":1,"\\u0061":1}]}'],
  ['collection', '"type":"insert_one","collection":"c","collection":"twice","doc":{"a":1.50}'],
].flatMap(([name = '', members = '']) =>
  [0, 30_000, 200_000].map((padding) => [name, members, ' '.repeat(padding)] as const),
);

test.each(TWICE)('a member %j that is there twice: %s', async (name, members, padding) => {
  const body = `{${padding}${members}}`;
  const alone = await toldOf('mongo/write', body);
  const problem = `the member "${name}" is there twice`;
  expect(alone).toMatchObject({ status: 400, told: { message: `body: ${problem}` } });
  expect(await toldOf('mongo/write', body, { isWithin: true })).toEqual(alone);
  const operations = `[{"endpoint":"pg","query":"SELECT 1"},{"endpoint":"mongo",${members}}]`;
  const over = `{${padding}"operations":${operations}}`;
  expect(await organization.call('POST', '/transactions', over)).toMatchObject({
    status: 400,
    body: {
      message: `operations.1: body: ${problem}`,
      details: [{ path: 'operations.1.body', message: problem, operation: 1 }],
    },
  });
  const left = { type: 'count_documents', collection: 'twice', filter: {} };
  const counted = await organization.call('POST', '/endpoints/mongo/read', left);
  expect(counted).toMatchObject({ status: 200, body: { data: { value: 0 } } });
});

test('of a member that is there twice elsewhere the last counts, as alone', async () => {
  const query = '"query":"SELECT 1","query":"SELECT 2 AS a"';
  const alone = await toldOf('pg/write', `{${query}}`);
  expect(alone).toMatchObject({ status: 200, told: { data: { rows: [{ a: 2 }] } } });
  expect(await toldOf('pg/write', `{${query}}`, { isWithin: true })).toEqual(alone);
  const write = '{"endpoint":"mongo","type":"delete_one","collection":"twice","filter":{}';
  const body = `{"operations":[${write},"filter":{}}],"operations":[{"endpoint":"pg",${query}},${write}}]}`;
  expect(await organization.call('POST', '/transactions', body)).toMatchObject({
    status: 200,
    body: { results: [{ rows: [{ a: 2 }] }, { deleted_count: 0 }] },
  });
});

test('who may not write is told that, and not what is there twice', async () => {
  const body = '{"type":"insert_one","collection":"twice","doc":{"a":1,"a":2}}';
  const as = { Authorization: `Bearer ${await organization.member('Read')}` };
  const alone = await toldOf('mongo/write', body, { as });
  expect(alone).toMatchObject({ status: 403 });
  expect(await toldOf('mongo/write', body, { as, isWithin: true })).toEqual(alone);
});

test('what needs Admin is refused by the name of the endpoint that its caller wrote', async () => {
  const shutdown = { type: 'run_command', command: { shutdown: 1 } };
  const as = { Authorization: `Bearer ${await organization.member('Write')}` };
  const alone = await toldOf('mongo/write', shutdown, { as });
  expect(alone).toMatchObject({
    status: 403,
    told: { message: 'This operation needs Admin access on endpoint mongo' },
  });
  const within = await toldOf('mongo/write', shutdown, { as, isWithin: true });
  expect(within).toEqual(alone);
});

test('a subscription is told that it takes no part', async () => {
  const subscribe = { type: 'subscribe', channels: ['a'] };
  expect(await toldOf('redis/read', subscribe, { isWithin: true })).toMatchObject({
    status: 400,
    told: { message: 'This request answers events, and takes no part in a transaction' },
  });
});
