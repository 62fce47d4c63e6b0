/** Transactions over PostgreSQL and MariaDB, from an HTTP client to both and back. Spec: transactions.md §1 to §4. */
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
let mysqlUrl: string;
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
  await outside.query(
    `CREATE TABLE ${database}.entries (id int PRIMARY KEY AUTO_INCREMENT, name varchar(50) UNIQUE, n int)`,
  );
  own.pathname = `/${database}`;
  mysqlUrl = own.href;
  inside = new pg.Client(postgres.url);
  await inside.connect();
  await inside.query(
    'CREATE TABLE entries (id serial PRIMARY KEY, name text UNIQUE, n int CHECK (n < 1000))',
  );
  organization = await newOrganization(gateway);
  await organization.call('POST', '/endpoints', {
    ...{ endpoint: 'pg', kind: 'postgres', config: { write_conn: { url: postgres.url } } },
  });
  await organization.call('POST', '/endpoints', {
    ...{ endpoint: 'my', kind: 'mysql', config: { write_conn: { url: own.href } } },
  });
});
afterAll(async () => {
  await inside.end();
  await postgres.drop();
  await outside.query(`DROP DATABASE ${database}`);
  await outside.end();
});

const transact = (operations: readonly object[], more: object = {}) =>
  organization.call('POST', '/transactions', { operations, ...more });
const addPg = (name: string, n: unknown = 1) => ({
  endpoint: 'pg',
  query: 'INSERT INTO entries (name, n) VALUES ($1, $2) RETURNING id, n',
  params: [name, n],
});
const addMy = (name: string, n: unknown = 1) => ({
  endpoint: 'my',
  query: 'INSERT INTO entries (name, n) VALUES (?, ?)',
  params: [name, n],
});

test.each([
  ['PostgreSQL', () => [addMy('p'), addPg('p', { $result: '[0].rows[3]' })]],
  ['MariaDB', () => [addPg('p'), addMy('p', { $result: '[0].rows[3]' })]],
  ['the same database', () => [addPg('p'), addPg('q', { $result: '[0].rows[3]' })]],
])('a reference to nothing is told with the parameter that it is, in %s', async (_, operations) => {
  expect(await transact(operations())).toMatchObject({
    status: 400,
    body: {
      message: 'The reference [0].rows[3] points to nothing',
      details: [{ path: 'params.1', message: 'points to nothing', operation: 1 }],
    },
  });
});

/** Names that are in PostgreSQL, and in MariaDB. */
async function found(...names: string[]): Promise<[string[], string[]]> {
  const own = await inside.query<{ name: string }>(
    'SELECT name FROM entries WHERE name = ANY ($1) ORDER BY id',
    [names],
  );
  const [theirs] = await outside.query<mysql.RowDataPacket[]>(
    `SELECT name FROM ${database}.entries WHERE name IN (?) ORDER BY id`,
    [names],
  );
  return [own.rows.map(({ name }) => name), theirs.map(({ name }) => String(name))];
}

/** Nothing of ours is prepared in either. */
async function prepared(): Promise<number> {
  const { body } = await organization.call('GET', '/transactions?limit=100');
  const { transactions } = body as { transactions: { transaction_id: string }[] };
  const ids = transactions.map(({ transaction_id: id }) => `_${id}_`);
  expect(ids).not.toEqual([]);
  // Others use these servers as well.
  const isOurs = (name: unknown) => ids.some((id) => String(name).includes(id));
  const own = await inside.query<{ gid: string }>('SELECT gid FROM pg_prepared_xacts');
  const [theirs] = await outside.query<mysql.RowDataPacket[]>('XA RECOVER');
  const names: unknown[] = [
    ...own.rows.map(({ gid }) => gid),
    ...theirs.map(({ data: gid }) => gid),
  ];
  return names.filter(isOurs).length;
}

test('both have it, with a place in the order', async () => {
  const reply = await transact([addPg('a'), addMy('a'), addPg('b', '2'), addMy('b', 2)]);
  expect(reply).toMatchObject({
    status: 200,
    body: { sequence: expect.any(Number), guarantee: 'atomic', status: 'committed' },
  });
  expect(await found('a', 'b')).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  const { transaction_id: id } = reply.body as { transaction_id: string };
  await expect
    .poll(async () => (await organization.call('GET', `/transactions/${id}`)).body)
    .toMatchObject({
      status: 'committed',
      participants: [{ status: 'committed' }, { status: 'committed' }],
    });
});

test('results feed operations of the other database, there and back', async () => {
  const reply = await transact([
    addPg('there', 41),
    addMy('there', { $result: '[0].rows[0].n' }),
    addPg('back', { $result: '[1].insert_id' }),
    { endpoint: 'pg', query: 'SELECT name, n FROM entries WHERE name = $1', params: ['there'] },
  ]);
  expect(reply).toMatchObject({
    status: 200,
    body: { results: [{}, {}, {}, { rows: [{ name: 'there', n: 41 }] }] },
  });
  const [rows] = await outside.query<mysql.RowDataPacket[]>(
    `SELECT id, n FROM ${database}.entries WHERE name = 'there'`,
  );
  expect(rows[0]?.n).toBe(41);
  const back = await inside.query("SELECT n FROM entries WHERE name = 'back'");
  expect(back.rows).toEqual([{ n: rows[0]?.id }]);
});

const WRITTEN = '{"b": 19.90, "a": 1E2, "1": -0}';
const tellPg = { endpoint: 'pg', query: `SELECT '${WRITTEN}'::json AS v` };
const takePg = {
  endpoint: 'pg',
  query: 'SELECT $1::json::text AS v',
  params: [{ $result: '[0].rows[0].v' }],
};
const takeMy = {
  endpoint: 'my',
  query: 'SELECT ? AS v',
  params: [{ $result: '[0].rows[0].v' }],
};

test('numbers and members of a result arrive as they were written, in its own database and another', async () => {
  const taken = { rows: [{ v: WRITTEN.replaceAll(' ', '') }] };
  const reply = await transact([tellPg, takePg, takeMy]);
  expect(reply).toMatchObject({ status: 200, body: { results: [{}, taken, taken] } });
  const [{ endpoint: _, ...first }, { endpoint: __, ...second }] = [tellPg, takePg];
  const alone = await organization.call('POST', '/endpoints/pg/transaction', {
    operations: [first, second],
  });
  expect(alone).toMatchObject({ status: 200, body: { data: [{}, taken] } });
});

test.each([
  ['small', 2_000],
  ['large', 20_000],
])(
  'a %s result that nests too deep is refused where another database refers to it',
  async (_, deep) => {
    const query = `SELECT 1.0 AS v, (repeat('[', ${deep}) || repeat(']', ${deep}))::json AS deep`;
    expect(await transact([{ endpoint: 'pg', query }, takeMy])).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^A reference points into a result that .*nests/) },
    });
  },
);

test.each([
  ['in PostgreSQL', () => [addMy('x'), addPg('x'), addPg('y', 5000)], 2, 'CONSTRAINT_VIOLATED'],
  ['in MariaDB', () => [addPg('x'), addMy('x'), addMy('x')], 2, 'CONSTRAINT_VIOLATED'],
  [
    'of a table that is not there',
    () => [addPg('x'), addMy('x'), { endpoint: 'my', query: 'UPDATE nowhere SET n = 1' }],
    2,
    'REQUEST_FAILED',
  ],
])('a failure %s leaves nothing anywhere', async (_, operations, operation, code) => {
  expect(await transact(operations())).toMatchObject({
    body: { code, details: [expect.objectContaining({ operation })] },
  });
  expect(await found('x', 'y')).toEqual([[], []]);
  expect(await prepared()).toBe(0);
});

test.each([
  ['COMMIT', { endpoint: 'pg', type: 'execute', query: 'COMMIT' }],
  ['ROLLBACK', { endpoint: 'my', type: 'execute', query: 'ROLLBACK' }],
  ['PREPARE TRANSACTION', { endpoint: 'pg', type: 'execute', query: "PREPARE TRANSACTION 'x'" }],
  ['XA', { endpoint: 'my', type: 'execute', query: "XA COMMIT 'x'" }],
  ['DDL that commits', { endpoint: 'my', type: 'execute', query: 'CREATE TABLE t (n int)' }],
  ['VACUUM', { endpoint: 'pg', type: 'execute', query: 'VACUUM' }],
])('%s is refused, and all else with it', async (_, operation) => {
  expect(await transact([addPg('z'), addMy('z'), operation])).toMatchObject({ status: 400 });
  expect(await found('z')).toEqual([[], []]);
  expect(await prepared()).toBe(0);
});

test('what its server cannot prepare is told with the endpoint', async () => {
  const temporary = { endpoint: 'pg', type: 'execute', query: 'CREATE TEMP TABLE mine (n int)' };
  expect(await transact([temporary, addPg('t'), addMy('t')])).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_FAILED', details: [{ source: 'postgres', endpoint: 'pg' }] },
  });
  expect(await found('t')).toEqual([[], []]);
});

describe('deadlines and waits', () => {
  test('one that passes before the decision rolls back', async () => {
    const slow = { endpoint: 'pg', type: 'execute', query: 'SELECT pg_sleep(5)' };
    const reply = await transact([addMy('late'), slow], { timeout_ms: 500 });
    expect(reply).toMatchObject({ status: 504, body: { code: 'TIMED_OUT' } });
    expect(await found('late')).toEqual([[], []]);
    await expect.poll(prepared).toBe(0);
  });

  test.each([
    ['postgres', 'pg', () => postgres.url, addPg],
    ['mysql', 'my', () => mysqlUrl, addMy],
  ] as const)(
    'a row of %s locked by itself through a second endpoint is told, not waited out',
    async (kind, first, url, add) => {
      const second = `${first}2`;
      await organization.call('POST', '/endpoints', {
        ...{ endpoint: second, kind, config: { write_conn: { url: url() } } },
      });
      await transact([add('own')]);
      const update = (endpoint: string) => ({
        endpoint,
        query: "UPDATE entries SET n = n + 1 WHERE name = 'own'",
      });
      const started = Date.now();
      expect(await transact([update(first), update(second)])).toMatchObject({
        status: 409,
        body: { code: 'TRANSACTION_DEADLOCK' },
      });
      expect(Date.now() - started).toBeLessThan(10_000);
      await expect.poll(prepared).toBe(0);
    },
  );
});

test('the order of those that conflict is the order in both databases', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `order-${at}`);
  const replies = await Promise.all(names.map((name) => transact([addMy(name), addPg(name)])));
  const bySequence = replies
    .map(({ body }, at) => [(body as { sequence: number }).sequence, names[at] ?? ''] as const)
    .sort(([one], [other]) => one - other)
    .map(([, name]) => name);
  expect(await found(...names)).toEqual([bySequence, bySequence]);
});
