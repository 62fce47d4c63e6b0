/** MySQL through worker and relay, from an HTTP client to a real MariaDB and back. */
import { randomUUID } from 'node:crypto';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, success } from './organization.ts';
import { backend } from './servers/backends.ts';

let organization: Organization;
let endpoint: string;
let outside: mysql.Connection;
const database = `test_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  const [gateway, { url }] = await Promise.all([sharedGateway(), backend('mysql')]);
  const own = new URL(url);
  outside = await mysql.createConnection(own.href);
  await outside.query(`CREATE DATABASE ${database}`);
  own.pathname = `/${database}`;
  organization = await newOrganization(gateway);
  endpoint = `my-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url: own.href } };
  const body = { endpoint, kind: 'MariaDB', config };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({
    status: 200,
    body: { data: { kind: 'Mysql' } },
  });
  await write({
    query:
      'CREATE TABLE items (id bigint unsigned PRIMARY KEY AUTO_INCREMENT, name varchar(50) UNIQUE, price decimal(30,9))',
  });
});
afterAll(async () => {
  await outside.query(`DROP DATABASE ${database}`);
  await outside.end();
});

const at = (path: string) => `/endpoints/${endpoint}/${path}`;
const read = (body: unknown, headers = {}) => organization.call('POST', at('read'), body, headers);
const write = (body: unknown, headers = {}) =>
  organization.call('POST', at('write'), body, headers);

test('rows travel with their types and digits, in and out', async () => {
  const price = '123456789012345678901.123456789';
  const insert = `{"query":"INSERT INTO items (id, name, price) VALUES (?, ?, ?)","params":[18446744073709551614,"it's \\"quoted\\"",${price}]}`;
  expect(await write(insert)).toEqual(
    success({
      columns: [],
      rows: [],
      row_count: 0,
      rows_affected: 1,
      insert_id: '18446744073709551614',
    }),
  );
  const select = {
    sql: 'SELECT * FROM items WHERE name = :name',
    params: { name: 'it\'s "quoted"' },
  };
  expect(await read(select)).toEqual(
    success({
      columns: [
        { name: 'id', type: 'bigint unsigned' },
        { name: 'name', type: 'varchar' },
        { name: 'price', type: 'decimal' },
      ],
      rows: [{ id: '18446744073709551614', name: 'it\'s "quoted"', price }],
      row_count: 1,
    }),
  );
  await write({ query: 'DELETE FROM items' });
  await write({ query: 'ALTER TABLE items AUTO_INCREMENT = 1' });
});

test('a read refuses to write, and says where to', async () => {
  expect(await read({ query: 'DELETE FROM items' })).toMatchObject({
    status: 400,
    body: {
      code: 'BAD_REQUEST',
      message: 'DELETE is not taken on /read; send it to /write',
      details: [{ rule: 'read_statement', path: 'query' }],
    },
  });
});

test('failures carry the code of the server', async () => {
  expect(await read({ query: 'SELECT * FROM missing' })).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_FAILED', details: [{ source: 'mysql', code: '1146' }] },
  });
  const twice = {
    type: 'simple',
    query: "INSERT INTO items (name) VALUES ('x'); INSERT INTO items (name) VALUES ('x')",
  };
  expect(await write(twice)).toMatchObject({
    status: 409,
    body: { code: 'CONSTRAINT_VIOLATED', details: [{ code: '1062' }] },
  });
  expect(await read({ query: 'SELECT sleep(20)', timeout_ms: 200 })).toMatchObject({
    status: 504,
    body: { code: 'TIMED_OUT' },
  });
});

test('rows stream as lines', async () => {
  const reply = await organization.send(
    'POST',
    at('read'),
    { query: 'SELECT 1 AS n UNION ALL SELECT 2' },
    { headers: { Accept: 'application/x-ndjson' } },
  );
  expect([reply.status, await reply.text()]).toEqual([200, '{"n":1}\n{"n":2}\n']);
});

test('a transaction keeps all or nothing, and feeds results forward', async () => {
  const operations = [
    { query: "INSERT INTO items (name) VALUES ('both')" },
    { query: 'SELECT name FROM items WHERE id = ?', params: [{ $result: '[0].insert_id' }] },
  ];
  const reply = await organization.call('POST', at('transaction'), { operations });
  expect(reply).toMatchObject({
    status: 200,
    body: { data: [{ rows_affected: 1 }, { rows: [{ name: 'both' }] }] },
  });
  const failing = [
    { query: "INSERT INTO items (name) VALUES ('half')" },
    { query: 'SELECT nothing' },
  ];
  expect(await organization.call('POST', at('transaction'), { operations: failing })).toMatchObject(
    {
      status: 400,
      body: { details: [{ code: '1054', operation: 1 }] },
    },
  );
  expect(
    await read({ query: "SELECT count(*) AS n FROM items WHERE name = 'half'" }),
  ).toMatchObject({
    body: { data: { rows: [{ n: 0 }] } },
  });
});

describe('a session', () => {
  const open = async () => {
    const reply = await organization.call('POST', at('sessions'));
    return (reply.body as { data: { session_id: string } }).data.session_id;
  };

  test('keeps its transaction, refuses reads in it, and rolls back at its end', async () => {
    const headers = { 'X-Session-Id': await open() };
    await write({ query: 'BEGIN' }, headers);
    await write({ query: "INSERT INTO items (name) VALUES ('held')" }, headers);
    expect(
      await write({ query: "SELECT count(*) AS n FROM items WHERE name = 'held'" }, headers),
    ).toMatchObject({
      body: { data: { rows: [{ n: 1 }] } },
    });
    expect(await read({ query: 'SELECT 1' }, headers)).toMatchObject({
      status: 409,
      body: { code: 'TRANSACTION_OPEN' },
    });
    const ended = await organization.call('DELETE', at(`sessions/${headers['X-Session-Id']}`));
    expect(ended.status).toBe(200);
    const [rows] = await outside.query(
      `SELECT count(*) AS n FROM ${database}.items WHERE name = 'held'`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test("is nobody else's", async () => {
    const headers = { 'X-Session-Id': await open() };
    const other = await newOrganization(organization.gateway);
    expect((await other.call('POST', at('write'), { query: 'SELECT 1' }, headers)).status).toBe(
      404,
    );
    expect(await write({ query: 'SELECT 1 AS a' }, headers)).toMatchObject({ status: 200 });
  });
});

test.each([
  ['mysql://u:p@127.0.0.1:1/d?ssl-key=/etc/key', /ssl-key/],
  ['mysql://u:p@127.0.0.1:1/d?socketPath=/run/mysqld.sock', /socketPath/],
  ['postgres://u:p@127.0.0.1/d', /mysql:\/\//],
])('an endpoint on %s is refused', async (url, message) => {
  const body = { endpoint: 'refused', kind: 'mysql', config: { write_conn: { url } } };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_CONFIGURATION', message: expect.stringMatching(message) },
  });
});
