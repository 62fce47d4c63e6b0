/** Participants whose connections bring nothing any more: a transaction has ended when their databases say so. Spec: transactions.md §4, §5. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, type FreshDatabase, freshDatabase } from '../servers/backends.ts';

/** Passes bytes on until it stalls what is there; what comes later passes, unless it is silent. */
async function stallingLine(url: string) {
  let isSilent = false;
  const { port, hostname } = new URL(url);
  const pairs: { isStalled: boolean; readonly sockets: readonly Socket[] }[] = [];
  const server = createServer((caller) => {
    const called = dial(Number(port), hostname);
    const pair = { isStalled: false, sockets: [caller, called] as const };
    pairs.push(pair);
    for (const [from, into] of [[caller, called] as const, [called, caller] as const]) {
      from.on('error', () => {});
      from.on('data', (bytes) => isSilent || pair.isStalled || into.write(bytes));
      from.on('close', () => pair.isStalled || into.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = `${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    stall() {
      for (const pair of pairs) pair.isStalled = true;
    },
    silence(silent: boolean) {
      isSilent = silent;
    },
    close() {
      server.close();
      for (const { sockets } of pairs) for (const each of sockets) each.destroy();
    },
  };
}

const database = `test_${randomUUID().replaceAll('-', '')}`;
let organization: Organization;
let postgres: FreshDatabase;
let inside: pg.Client;
let outside: mysql.Connection;
const lines: Awaited<ReturnType<typeof stallingLine>>[] = [];

beforeAll(async () => {
  const [gateway, { url }, fresh, mongo] = await Promise.all([
    sharedGateway(),
    backend('mysql'),
    freshDatabase(),
    backend('mongo'),
  ]);
  const documents = new URL(mongo.url);
  documents.pathname = `/${database}`;
  postgres = fresh;
  inside = new pg.Client(fresh.url);
  await inside.connect();
  await inside.query('CREATE TABLE entries (name text PRIMARY KEY)');
  const own = new URL(url);
  outside = await mysql.createConnection(own.href);
  await outside.query(`CREATE DATABASE ${database}`);
  own.pathname = `/${database}`;
  await outside.query(`CREATE TABLE ${database}.entries (name varchar(50) PRIMARY KEY)`);
  organization = await newOrganization(gateway);
  for (const [endpoint, kind, address] of [
    ['pg', 'postgres', fresh.url],
    ['my', 'mysql', own.href],
    ['mongo', 'mongo', documents.href],
  ] as const) {
    const line = await stallingLine(address);
    lines.push(line);
    const config = { write_conn: { url: line.url } };
    const made = await organization.call('POST', '/endpoints', { endpoint, kind, config });
    expect(made).toMatchObject({ status: 200 });
  }
});
afterAll(async () => {
  for (const line of lines) line.close();
  await inside.end();
  await postgres.drop();
  await outside.query(`DROP DATABASE ${database}`);
  await outside.end();
});

/** Whether a transaction of its endpoint still has its row. */
async function isHeld(endpoint: string, name: string): Promise<boolean> {
  if (endpoint === 'pg') {
    const open = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
    return (await inside.query(open)).rows.length > 0;
  }
  const looking = outside.query(
    `SELECT 1 FROM ${database}.entries WHERE name = ? FOR UPDATE NOWAIT`,
    [name],
  );
  return looking.then(
    () => false,
    () => true,
  );
}

test.each([
  ['pg', 0],
  ['my', 1],
] as const)(
  '%s is left by what it holds when that is said to be rolled back',
  async (endpoint, at) => {
    const begun = await organization.call('POST', '/transactions/begin', {});
    const { transaction_id: id } = begun.body as { transaction_id: string };
    const name = randomUUID();
    const query = `INSERT INTO entries VALUES ('${name}')`;
    const within = { 'X-Transaction-Id': id };
    expect(
      await organization.call('POST', `/endpoints/${endpoint}/write`, { query }, within),
    ).toMatchObject({ status: 200 });
    lines[at]?.stall();
    expect(await isHeld(endpoint, name)).toBe(true);
    expect(await organization.call('POST', `/transactions/${id}/rollback`)).toMatchObject({
      status: 200,
    });
    const look = async () => {
      const { body } = await organization.call('GET', `/transactions/${id}`);
      return (body as { status: string }).status;
    };
    await expect.poll(look, { timeout: 15_000, interval: 20 }).toBe('rolled_back');
    expect(await isHeld(endpoint, name)).toBe(false);
  },
);

test('a server of MongoDB that says nothing any more is timed out at the deadline', async () => {
  const insert = (name: string) => ({ type: 'insert_one', collection: 'a', document: { name } });
  const write = (body: object, within = {}) =>
    organization.call('POST', '/endpoints/mongo/write', body, within);
  expect(await write(insert('first'))).toMatchObject({ status: 200 });
  const begun = await organization.call('POST', '/transactions/begin', {});
  const { transaction_id: id } = begun.body as { transaction_id: string };
  const within = { 'X-Transaction-Id': id };
  expect(await write(insert('within'), within)).toMatchObject({ status: 200 });
  lines[2]?.silence(true);
  const began = performance.now();
  const operations = [{ endpoint: 'mongo', ...insert('late') }];
  const find = { endpoint: 'mongo', type: 'find_one', collection: 'a', filter: {} };
  const add = (endpoint: string) => ({ endpoint, query: "INSERT INTO entries VALUES ('late')" });
  const reading = [add('pg'), find, add('my')];
  const replies = await Promise.all([
    organization.call('POST', '/transactions', { operations, timeout_ms: 900 }),
    organization.call('POST', '/transactions', { operations: reading, timeout_ms: 900 }),
    write({ ...insert('late'), timeout_ms: 900 }, within),
  ]);
  // Less than what is granted to a relay's own account of it.
  expect(performance.now() - began).toBeLessThan(2_500);
  for (const reply of replies) {
    expect(reply).toMatchObject({ status: 504, body: { code: 'TIMED_OUT' } });
  }
  lines[2]?.silence(false);
  const count = { type: 'count_documents', collection: 'a', filter: { name: { $ne: 'first' } } };
  const look = () => organization.call('POST', '/endpoints/mongo/read', count);
  await expect.poll(look, { timeout: 15_000 }).toMatchObject({ body: { data: { value: 0 } } });
});

test('so is an operation there that has a deadline of its own', async () => {
  const find = { endpoint: 'mongo', type: 'find_one', collection: 'a', filter: {} };
  const read = (own = {}) =>
    organization.call('POST', '/transactions', {
      operations: [
        { ...find, ...own },
        { endpoint: 'pg', query: `INSERT INTO entries VALUES ('${randomUUID()}')` },
      ],
    });
  expect(await read()).toMatchObject({ status: 200 });
  lines[2]?.silence(true);
  const began = performance.now();
  const reply = await read({ timeout_ms: 900 });
  expect(performance.now() - began).toBeLessThan(2_500);
  expect(reply).toMatchObject({
    status: 504,
    body: { code: 'TIMED_OUT', details: [{ operation: 0 }] },
  });
  lines[2]?.silence(false);
  await expect.poll(async () => (await read()).status, { timeout: 15_000 }).toBe(200);
});

test.each([
  ['the whole deadline', 900, {}],
  ['its own deadline', 10_000, { timeout_ms: 900 }],
])('so is a transaction there alone, at %s', async (_, whole, own) => {
  const insert = { type: 'insert_one', collection: 'alone', document: { name: randomUUID() } };
  const operations = [{ ...insert, ...own }];
  const write = (timeout_ms: number) =>
    organization.call('POST', '/endpoints/mongo/transaction', { operations, timeout_ms });
  await expect.poll(() => write(10_000), { timeout: 15_000 }).toMatchObject({ status: 200 });
  lines[2]?.silence(true);
  const began = performance.now();
  const reply = await write(whole);
  expect(performance.now() - began).toBeLessThan(2_500);
  expect(reply).toMatchObject({ status: 504, body: { code: 'TIMED_OUT' } });
  lines[2]?.silence(false);
  const count = { type: 'count_documents', collection: 'alone', filter: insert.document };
  const look = () => organization.call('POST', '/endpoints/mongo/read', count);
  await expect.poll(look, { timeout: 15_000 }).toMatchObject({ body: { data: { value: 1 } } });
});
