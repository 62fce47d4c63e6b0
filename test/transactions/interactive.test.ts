/** Transactions that go on request by request, over PostgreSQL and MariaDB. Spec: transactions.md §5. */
import { randomUUID } from 'node:crypto';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { newOrganization, type Organization } from '../organization.ts';
import { backend, type FreshDatabase, freshDatabase } from '../servers/backends.ts';

let organization: Organization;
let postgres: FreshDatabase;
let inside: pg.Client;
let outside: mysql.Connection;
const database = `test_${randomUUID().replaceAll('-', '')}`;

/** Statements that take longer than their transactions have. */
const SLOW = {
  pg: 'INSERT INTO entries SELECT $1 FROM pg_sleep(5)',
  my: 'INSERT INTO entries SELECT ? FROM (SELECT SLEEP(5)) slept',
};

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
  for (const [id, query] of Object.entries(SLOW)) {
    const template = { endpoint: id, query: query.replace(/[$?]1?/, '{{name}}') };
    const made = await organization.call('POST', '/templates', {
      ...{ id: `slow-${id}`, name: 'Slow', request: 'Write', template },
    });
    expect(made).toMatchObject({ status: 200 });
  }
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

test('what looks like a reference to an operation is data, as outside of a transaction', async () => {
  const id = await begin();
  const params = [[{ $result: '[0].a' }, { $literal: 1 }, { a: { $literal: { $literal: null } } }]];
  const [pg, my] = ['SELECT $1::jsonb AS a', "SELECT CONCAT(?, '') AS a"];
  for (const [endpoint, query, a] of [
    ['pg', pg, params[0]],
    ['my', my, JSON.stringify(params[0])],
  ] as const) {
    const path = `/endpoints/${endpoint}/write`;
    const expected = { status: 200, body: { data: { rows: [{ a }] } } };
    expect(await organization.call('POST', path, { query, params })).toMatchObject(expected);
    expect(await within(id, path, { query, params })).toMatchObject(expected);
  }
  expect(await end(id, 'rollback')).toMatchObject({ status: 200 });
});

test('what is rolled back is nowhere', async () => {
  const id = await begin();
  await addPg(id, 'b');
  await addMy(id, 'b');
  expect(await end(id, 'rollback')).toMatchObject({ status: 200, body: { transaction_id: id } });
  await becomesRolledBack(id);
  expect(await count('b')).toBe(0);
});

/** How long it takes to undo a transaction when that is asked for, in milliseconds. */
async function undoneMs(adds: readonly (typeof addPg)[]): Promise<number> {
  const id = await begin();
  for (const add of adds) await add(id, 'c');
  const began = performance.now();
  await end(id, 'rollback');
  await becomesRolledBack(id);
  return performance.now() - began;
}

const becomesRolledBack = (id: string, timeout = 30_000) =>
  expect
    .poll(async () => (await organization.call('GET', `/transactions/${id}`)).body, { timeout })
    .toMatchObject({ status: 'rolled_back' });

test.each([
  ['that has joined', [addPg, addMy]],
  ['at its first use', [addPg]],
])('a failure on an endpoint %s rolls all of it back at once', async (_, before) => {
  const usual = await undoneMs(before);
  const id = await begin();
  for (const add of before) expect(await add(id, 'c')).toMatchObject({ status: 200 });
  const failing = { query: 'INSERT INTO nowhere VALUES (1)' };
  expect(await within(id, '/endpoints/my/write', failing)).toMatchObject({ status: 400 });
  // What else may be under way is waited for longer than that, beside what undoing takes here.
  await becomesRolledBack(id, 1_500 + usual);
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
  await becomesRolledBack(id, 8_000);
  expect(await end(id, 'commit')).toMatchObject({ status: 409 });
  expect(await count('f')).toBe(0);
});

/** Sends the slow statement, alone or as a run of a template. */
const goSlowly = (id: string, on: 'pg' | 'my', how: 'by itself' | 'in a run', name: string) =>
  how === 'in a run'
    ? within(id, `/templates/slow-${on}`, { name })
    : within(id, `/endpoints/${on}/write`, { query: SLOW[on], params: [name] });
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** What a request is told whose transaction has ended under it. */
const closed = (id: string) => ({
  status: 409,
  body: {
    code: 'TRANSACTION_CLOSED',
    message: expect.stringMatching(
      `^Transaction ${id} is roll(ing|ed)_back: GET /transactions/${id} tells why$`,
    ),
  },
});

describe.each(['pg', 'my'] as const)('on %s', (on) => {
  describe.each(['at its first use', 'joined'] as const)('%s', (when) => {
    test.each(['by itself', 'in a run'] as const)(
      'a statement %s whose transaction expires is told that it is closed',
      async (how) => {
        const name = `g-${on}-${when}-${how}`;
        const id = await begin({ timeout_ms: 1_200 });
        if (when === 'joined') {
          expect(await { pg: addPg, my: addMy }[on](id, `${name}-first`)).toMatchObject({
            status: 200,
          });
        }
        expect(await goSlowly(id, on, how, name)).toMatchObject(closed(id));
        expect(await organization.call('GET', `/transactions/${id}`)).toMatchObject({
          body: { error: { message: 'The transaction has expired and was rolled back' } },
        });
        expect([await count(name), await count(`${name}-first`)]).toEqual([0, 0]);
      },
    );
  });

  test('a statement whose transaction another request ends is told that it is closed', async () => {
    // The same id for all, as clients send that trace what they do.
    const traced = { 'X-Request-Id': `traced-${on}` };
    const id = await begin();
    const slow = organization.call(
      'POST',
      `/endpoints/${on}/write`,
      { query: SLOW[on], params: [`h-${on}`] },
      { 'X-Transaction-Id': id, ...traced },
    );
    await wait(400);
    const wrong = await organization.call(
      'POST',
      `/endpoints/${on}/write`,
      { query: 'SELECT 1', foo: 1 },
      { 'X-Transaction-Id': id, ...traced },
    );
    expect(wrong).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(await slow).toMatchObject(closed(id));
  });
});

test('a request that waits for another transaction when its own expires is told that it is closed', async () => {
  const [one, other] = [await begin(), await begin({ timeout_ms: 1_200 })];
  expect(await addPg(one, 'k')).toMatchObject({ status: 200 });
  expect(await addPg(other, 'l')).toMatchObject(closed(other));
  expect(await organization.call('GET', `/transactions/${other}`)).toMatchObject({
    body: { error: { message: 'The transaction has expired and was rolled back' } },
  });
  expect(await end(one, 'rollback')).toMatchObject({ status: 200 });
});

test('what is wrong in a transaction that has ended is told that it has; what ends it is told what it is', async () => {
  const id = await begin();
  const wrong = () => within(id, '/endpoints/pg/write', { query: 'SELECT 1', foo: 1 });
  expect(await wrong()).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect(await wrong()).toMatchObject(closed(id));
  const other = await begin();
  expect(await end(other, 'commit')).toMatchObject({ status: 200 });
  expect(await within(other, '/endpoints/pg/write', { query: 'SELECT 1', foo: 1 })).toMatchObject({
    status: 409,
    body: { message: `Transaction ${other} is committed` },
  });
});

test('a run whose own failure ends its transaction is told what it is, the next one that it has ended', async () => {
  const template = { endpoint: 'pg', query: 'INSERT INTO nowhere VALUES ({{name}})' };
  const failing = { id: 'failing', name: 'Failing', request: 'Write', template };
  expect(await organization.call('POST', '/templates', failing)).toMatchObject({ status: 200 });
  const id = await begin();
  const run = () => within(id, '/templates/failing', { name: 'i' });
  expect(await run()).toMatchObject({ status: 400, body: { code: 'REQUEST_FAILED' } });
  expect(await run()).toMatchObject(closed(id));
});

test('one transaction more than its endpoint takes is told what to do', async () => {
  const small = {
    ...{ endpoint: 'small', kind: 'postgres', config: { write_conn: { url: postgres.url } } },
    backend_pool_limits: { total_max_connections: 3 },
  };
  expect(await organization.call('POST', '/endpoints', small)).toMatchObject({ status: 200 });
  const [one, other] = [await begin({ keys: ['one'] }), await begin({ keys: ['other'] })];
  const send = (id: string) =>
    organization.send(
      'POST',
      '/endpoints/small/write',
      { query: "INSERT INTO entries VALUES ('j')" },
      { headers: { 'X-Transaction-Id': id } },
    );
  expect((await send(one)).status).toBe(200);
  const refused = await send(other);
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({
    code: 'SESSIONS_EXHAUSTED',
    message: expect.stringMatching(/^Sessions and transactions hold 1 of .*total_max_connections/),
  });
  expect(await end(one, 'rollback')).toMatchObject({ status: 200 });
});
