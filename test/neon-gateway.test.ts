/** PostgreSQL at Neon through the whole gateway: the edge runtime, its own parser, real sockets. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestDatabase } from '../node-relay/drivers/postgres/test/database.ts';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization, success } from './organization.ts';
import { NeonStandIn } from './stand-ins/neon/server.ts';

let gateway: OwnGateway;
let organization: Organization;
let database: TestDatabase;
let standIn: NeonStandIn;
let endpoint: string;

beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE items (id int8 PRIMARY KEY, name text)');
  standIn = await NeonStandIn.start(database.url);
  gateway = await startGateway({ env: { HTTP_ALLOW_PRIVATE: 'true' } });
  organization = await newOrganization(gateway);
  endpoint = await create({});
});
afterAll(async () => {
  await gateway?.stop();
  await standIn?.stop();
  await database?.drop();
});

async function create(more: object, url = standIn.url(database.url)): Promise<string> {
  const id = `neon-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url }, transport: 'edge', ...more };
  const body = { endpoint: id, kind: 'postgres', config };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({ status: 200 });
  return id;
}
const post = (path: string, body: unknown, at = endpoint, headers = {}) =>
  organization.call('POST', `/endpoints/${at}/${path}`, body, headers);
const message = (what: string) =>
  `Neon does not have ${what} over HTTP: set config.transport to "relay" to reach it as Postgres`;

test('rows travel with their types and digits, in and out', async () => {
  const insert =
    '{"query":"INSERT INTO items VALUES ($1, $2)","params":[9223372036854775807,"it\'s"]}';
  expect(await post('write', insert)).toEqual(
    success({ columns: [], rows: [], row_count: 0, rows_affected: 1 }),
  );
  expect(
    await post('read', { query: 'SELECT * FROM items WHERE name = $1', params: ["it's"] }),
  ).toEqual(
    success({
      columns: [
        { name: 'id', type: 'bigint' },
        { name: 'name', type: 'text' },
      ],
      rows: [{ id: '9223372036854775807', name: "it's" }],
      row_count: 1,
    }),
  );
});

test('a read refuses a write, by the same parser', async () => {
  expect(
    await post('read', { query: 'WITH a AS (DELETE FROM items RETURNING *) SELECT * FROM a' }),
  ).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', details: [{ rule: 'read_statement', path: 'query' }] },
  });
});

test('a transaction takes effect whole or not at all', async () => {
  const insert = (id: number) => ({
    query: 'INSERT INTO items VALUES ($1, $2)',
    params: [id, { $literal: 'x' }],
  });
  const done = await post('transaction', {
    operations: [insert(1), { query: 'SELECT count(*) AS n FROM items' }],
  });
  expect(done).toMatchObject({
    status: 200,
    body: { data: [{ rows_affected: 1 }, { rows: [{ n: 2 }] }] },
  });
  expect(await post('transaction', { operations: [insert(2), insert(1)] })).toMatchObject({
    status: 409,
    body: { details: [{ source: 'postgres', code: '23505', constraint: 'items_pkey' }] },
  });
  expect(await database.outside.query('SELECT id FROM items WHERE id = 2')).toMatchObject({
    rowCount: 0,
  });
});

test.each<[string, string, object, object, string]>([
  ['COPY', 'write', { type: 'copy_out', query: 'COPY items TO STDOUT' }, {}, 'COPY'],
  ['a stream', 'read', { query: 'SELECT 1' }, { Accept: 'application/x-ndjson' }, 'streams'],
  ['a session', 'sessions', {}, {}, 'sessions'],
  [
    'earlier results',
    'transaction',
    {
      operations: [
        { query: 'SELECT 1 AS a' },
        { query: 'SELECT $1::int', params: [{ $result: '[0].rows[0].a' }] },
      ],
    },
    {},
    'a transaction that looks at earlier results ($result)',
  ],
])('does not have %s', async (_, path, body, headers, what) => {
  expect(await post(path, body, endpoint, headers)).toMatchObject({
    status: 501,
    body: { error: 'Not supported', message: message(what) },
  });
});

test('what needs a session says that a relay has one', async () => {
  expect(await post('write', { query: 'LISTEN news' })).toMatchObject({
    status: 501,
    body: {
      message: 'This statement needs a session: set config.transport to "relay" to have one',
    },
  });
});

test('a wrong password fails without a word of it', async () => {
  const url = new URL(standIn.url(database.url));
  url.password = 'not-this-one';
  const config = { write_conn: { url: url.href }, transport: 'edge' };
  const body = { endpoint: 'wrong-password', kind: 'postgres', config };
  const reply = await organization.call('POST', '/endpoints', body);
  expect(reply).toMatchObject({
    status: 502,
    body: {
      code: 'CONNECTION_FAILED',
      message: 'Unable to connect to database: password authentication failed',
    },
  });
  expect(JSON.stringify(reply) + gateway.output.stdout() + gateway.output.stderr()).not.toContain(
    'not-this-one',
  );
});

test('tables are told of, and a ping comes back', async () => {
  expect(await organization.call('GET', `/endpoints/${endpoint}/schema`)).toMatchObject({
    status: 200,
    body: {
      data: { namespaces: [{ name: 'public', tables: [{ name: 'items', primary_key: ['id'] }] }] },
    },
  });
});
