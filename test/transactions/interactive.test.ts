/** Transactions that go on request by request, over PostgreSQL and MariaDB. Spec: transactions.md §5. */
import { randomUUID } from 'node:crypto';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, type FreshDatabase, freshDatabase } from '../servers/backends.ts';

let organization: Organization;
let postgres: FreshDatabase;
let inside: pg.Client;
let outside: mysql.Connection;
const database = `test_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  const [gateway, { url }, fresh] = await Promise.all([
    sharedGateway(),
    backend('mysql'),
    freshDatabase(),
  ]);
  postgres = fresh;
  const own = new URL(url);
  outside = await mysql.createConnection(own.href);
  await outside.query(`CREATE DATABASE ${database}`);
  await outside.query(`CREATE TABLE ${database}.entries (name varchar(50) PRIMARY KEY)`);
  own.pathname = `/${database}`;
  inside = new pg.Client(postgres.url);
  await inside.connect();
  await inside.query('CREATE TABLE entries (name text PRIMARY KEY)');
  organization = await newOrganization(gateway);
  const add = (endpoint: string, kind: string, address: string) =>
    organization.call('POST', '/endpoints', {
      ...{ endpoint, kind, config: { write_conn: { url: address } } },
    });
  await add('pg', 'postgres', postgres.url);
  await add('my', 'mysql', own.href);
});
afterAll(async () => {
  await inside.end();
  await postgres.drop();
  await outside.query(`DROP DATABASE ${database}`);
  await outside.end();
});

async function begin(body: object = {}): Promise<string> {
  const reply = await organization.call('POST', '/transactions/begin', body);
  return (reply.body as { transaction_id: string }).transaction_id;
}
const within = (id: string, path: string, body: object) =>
  organization.call('POST', path, body, { 'X-Transaction-Id': id });
const addPg = (id: string, name: string) =>
  within(id, '/endpoints/pg/write', {
    ...{ query: 'INSERT INTO entries VALUES ($1)', params: [name] },
  });
const addMy = (id: string, name: string) =>
  within(id, '/endpoints/my/write', {
    ...{ query: 'INSERT INTO entries VALUES (?)', params: [name] },
  });
const end = (id: string, how: 'commit' | 'rollback') =>
  organization.call('POST', `/transactions/${id}/${how}`);

/** How many of both have an entry. */
async function count(name: string): Promise<number> {
  const own = await inside.query('SELECT 1 FROM entries WHERE name = $1', [name]);
  const [theirs] = await outside.query<mysql.RowDataPacket[]>(
    `SELECT 1 FROM ${database}.entries WHERE name = ?`,
    [name],
  );
  return own.rows.length + theirs.length;
}

test('reads see what it wrote, others do not; then both have it', async () => {
  const id = await begin();
  expect(await addPg(id, 'a')).toMatchObject({ status: 200 });
  expect(await addMy(id, 'a')).toMatchObject({ status: 200 });
  const select = { query: "SELECT name FROM entries WHERE name = 'a'" };
  expect(await within(id, '/endpoints/my/read', select)).toMatchObject({
    body: { data: { rows: [{ name: 'a' }] } },
  });
  expect(await count('a')).toBe(0);
  expect(await end(id, 'commit')).toMatchObject({
    status: 200,
    body: { transaction_id: id, guarantee: 'atomic', status: 'committed' },
  });
  expect(await count('a')).toBe(2);
});

test('what is rolled back is nowhere', async () => {
  const id = await begin();
  await addPg(id, 'b');
  await addMy(id, 'b');
  expect(await end(id, 'rollback')).toMatchObject({ status: 200, body: { transaction_id: id } });
  await expect
    .poll(async () => (await organization.call('GET', `/transactions/${id}`)).body)
    .toMatchObject({ status: 'rolled_back' });
  expect(await count('b')).toBe(0);
});

test.each([
  ['that has joined', [addPg, addMy]],
  ['at its first use', [addPg]],
])('a failure on an endpoint %s rolls all of it back at once', async (_, before) => {
  const id = await begin();
  for (const add of before) expect(await add(id, 'c')).toMatchObject({ status: 200 });
  const failing = { query: 'INSERT INTO nowhere VALUES (1)' };
  expect(await within(id, '/endpoints/my/write', failing)).toMatchObject({ status: 400 });
  // What else may be under way is waited for longer than that.
  await expect
    .poll(async () => (await organization.call('GET', `/transactions/${id}`)).body, {
      timeout: 1_500,
    })
    .toMatchObject({ status: 'rolled_back' });
  expect(await end(id, 'commit')).toMatchObject({
    status: 409,
    body: { code: 'TRANSACTION_CLOSED' },
  });
  expect(await count('c')).toBe(0);
});

test('two that wait for each other: the one that closes the circle ends, the other goes on', async () => {
  const [one, other] = [await begin(), await begin()];
  await addPg(one, 'd');
  await addMy(other, 'e');
  const waiting = addMy(one, 'd');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await addPg(other, 'e')).toMatchObject({
    status: 409,
    body: { code: 'TRANSACTION_DEADLOCK' },
  });
  expect(await waiting).toMatchObject({ status: 200 });
  expect(await end(one, 'commit')).toMatchObject({ status: 200 });
  expect([await count('d'), await count('e')]).toEqual([2, 0]);
});

test('one whose time is over is rolled back', async () => {
  const id = await begin({ timeout_ms: 1_000 });
  await addPg(id, 'f');
  await expect
    .poll(async () => (await organization.call('GET', `/transactions/${id}`)).body, {
      timeout: 8_000,
    })
    .toMatchObject({ status: 'rolled_back' });
  expect(await end(id, 'commit')).toMatchObject({ status: 409 });
  expect(await count('f')).toBe(0);
});
