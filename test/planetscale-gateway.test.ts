/** MySQL at PlanetScale through the whole gateway, and what callers are told of its faults. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestDatabase } from '../node-relay/drivers/mysql/test/database.ts';
import { type OwnGateway, startGateway } from './gateway.ts';
import { newOrganization, type Organization, success } from './organization.ts';
import { type Fault, PlanetScaleStandIn } from './stand-ins/planetscale/server.ts';

let gateway: OwnGateway;
let organization: Organization;
let database: TestDatabase;
let standIn: PlanetScaleStandIn;
let endpoint: string;

beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE items (id bigint unsigned PRIMARY KEY AUTO_INCREMENT, name varchar(50) UNIQUE)',
  );
  standIn = await PlanetScaleStandIn.start(database.url);
  gateway = await startGateway({ env: { HTTP_ALLOW_PRIVATE: 'true' } });
  organization = await newOrganization(gateway);
  endpoint = `ps-${randomUUID().slice(0, 8)}`;
  expect(await create(endpoint, standIn.url)).toMatchObject({ status: 200 });
});
beforeEach(() => {
  standIn.faults.length = 0;
});
afterAll(async () => {
  await gateway?.stop();
  await standIn?.stop();
  await database?.drop();
});

function create(id: string, url: string) {
  const config = { write_conn: { url }, transport: 'edge' };
  return organization.call('POST', '/endpoints', { endpoint: id, kind: 'mysql', config });
}
const post = (path: string, body: unknown, headers = {}) =>
  organization.call('POST', `/endpoints/${endpoint}/${path}`, body, headers);
const message = (what: string) =>
  `PlanetScale does not have ${what} over HTTP: set config.transport to "relay" to reach it as Mysql`;

test('rows travel with their types and digits, in and out', async () => {
  const insert =
    '{"query":"INSERT INTO items VALUES (:id, :name)","params":{"id":18446744073709551614,"name":"it\'s \\\\ ?"}}';
  expect(await post('write', insert)).toEqual(
    success({
      columns: [],
      rows: [],
      row_count: 0,
      rows_affected: 1,
      insert_id: '18446744073709551614',
    }),
  );
  const select = { query: 'SELECT * FROM items WHERE name = ?', params: ["it's \\ ?"] };
  expect(await post('read', select)).toEqual(
    success({
      columns: [
        { name: 'id', type: 'bigint unsigned' },
        { name: 'name', type: 'varchar' },
      ],
      rows: [{ id: '18446744073709551614', name: "it's \\ ?" }],
      row_count: 1,
    }),
  );
});

test('a transaction feeds results forward, and takes effect whole or not at all', async () => {
  const insert = (name: unknown) => ({
    query: 'INSERT INTO items (id, name) VALUES (1, ?)',
    params: [name],
  });
  const select = {
    query: 'SELECT name FROM items WHERE id = ?',
    params: [{ $result: '[0].insert_id' }],
  };
  expect(await post('transaction', { operations: [insert('x'), select] })).toMatchObject({
    status: 200,
    body: { data: [{ insert_id: 1 }, { rows: [{ name: 'x' }] }] },
  });
  expect(
    await post('transaction', {
      operations: [{ query: "UPDATE items SET name = 'y' WHERE id = 1" }, insert('z')],
    }),
  ).toMatchObject({
    status: 409,
    body: { details: [{ source: 'mysql', code: '1062', operation: 1 }] },
  });
  expect(await database.look('SELECT name FROM items WHERE id = 1')).toEqual([{ name: 'x' }]);
});

test.each([
  ['streams', 'read', { query: 'SELECT 1' }, { Accept: 'application/x-ndjson' }],
  ['sessions', 'sessions', {}, {}],
])('does not have %s', async (what, path, body, headers) => {
  expect(await post(path, body, headers)).toMatchObject({
    status: 501,
    body: { error: 'Not supported', message: message(what) },
  });
});

test('what needs a session says that a relay has one', async () => {
  expect(await post('write', { query: 'LOCK TABLES items WRITE' })).toMatchObject({
    status: 501,
    body: {
      message: 'This statement needs a session: set config.transport to "relay" to have one',
    },
  });
});

test('a wrong password fails without a word of it', async () => {
  const url = new URL(standIn.url);
  url.password = 'not-this-one';
  const reply = await create('wrong-password', url.href);
  expect(reply).toMatchObject({
    status: 502,
    body: {
      code: 'CONNECTION_FAILED',
      message: 'Unable to connect to database: password authentication failed',
    },
  });
  const basic = Buffer.from(`${url.username}:not-this-one`).toString('base64');
  const said = JSON.stringify(reply) + gateway.output.stdout() + gateway.output.stderr();
  expect(said).not.toContain('not-this-one');
  expect(said).not.toContain(basic);
});

const UNAVAILABLE = JSON.stringify({
  error: { code: 'UNAVAILABLE', message: 'primary of shop at 10.1.2.3:3306 is down' },
});
const vitess = (code: string, message: string): Fault => ({
  status: 200,
  body: JSON.stringify({
    error: { code, message: `target: shop.-.primary: vttablet: ${message}` },
  }),
});
test.each<[string, Fault, read: number, write: string]>([
  [
    'Vitess lost the server',
    vitess(
      'UNKNOWN',
      'Lost connection to MySQL server during query (errno 2013) (sqlstate HY000) at 10.1.2.3',
    ),
    502,
    'OUTCOME_UNKNOWN',
  ],
  [
    'the server stops',
    vitess('UNKNOWN', 'shutdown (errno 1053) (sqlstate 08S01)'),
    502,
    'OUTCOME_UNKNOWN',
  ],
  [
    'Vitess waits no longer',
    vitess(
      'DEADLINE_EXCEEDED',
      'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ),
    504,
    'OUTCOME_UNKNOWN',
  ],
  [
    'Vitess ended the transaction',
    vitess(
      'ABORTED',
      'rpc error: code = Aborted desc = transaction 17: ended at 2026-11-21 20:22:08.207 UTC (exceeded timeout: 20s) (CallerID: x)',
    ),
    504,
    'TIMED_OUT',
  ],
  ['nobody answered', 'drop-before', 502, 'OUTCOME_UNKNOWN'],
  ['the reply was lost', 'drop-after', 502, 'OUTCOME_UNKNOWN'],
  ['an internal error', { status: 500, body: 'at 10.1.2.3' }, 502, 'OUTCOME_UNKNOWN'],
  ['a reply that is none', { status: 200, body: '<html>' }, 502, 'OUTCOME_UNKNOWN'],
  ['no primary', { status: 200, body: UNAVAILABLE }, 502, 'OUTCOME_UNKNOWN'],
  ['too many', { status: 429, body: '' }, 503, 'SERVICE_UNAVAILABLE'],
  ['no login', { status: 401, body: '{"code":"unauthenticated"}' }, 502, 'CONNECTION_FAILED'],
])('%s', async (_, fault, onRead, onWrite) => {
  expect(await post('read', { query: 'SELECT 1' })).toMatchObject({ status: 200 });
  await post('write', { query: 'DELETE FROM items WHERE id = 5' });
  standIn.faults.push(fault);
  const read = await post('read', { query: 'SELECT 1' });
  expect(read).toMatchObject({ status: onRead });
  standIn.faults.length = 0;
  standIn.faults.push(fault);
  const write = await post('write', { query: 'DELETE FROM items WHERE id = 5' });
  expect(write).toMatchObject({ body: { code: onWrite } });
  expect(JSON.stringify([read, write])).not.toContain('10.1.2.3');
});

test('the deadline passes: a read changed nothing, a write may have', async () => {
  const read = { query: 'SELECT 1', timeout_ms: 1_500 };
  standIn.faults.push({ delayMs: 5_000 });
  expect(await post('read', read)).toMatchObject({ status: 504 });
  standIn.faults.push({ delayMs: 5_000 });
  const write = { query: 'DELETE FROM items WHERE id = 5', timeout_ms: 1_500 };
  expect(await post('write', write)).toMatchObject({ body: { code: 'OUTCOME_UNKNOWN' } });
});

test('trips: a write takes one, a read three with its transaction', async () => {
  await post('read', { query: 'SELECT 7' });
  standIn.seen.length = 0;
  await post('read', { query: 'SELECT 7' });
  await post('write', { query: 'DELETE FROM items WHERE id = ?', params: [5] });
  expect(standIn.seen).toEqual([
    'START TRANSACTION READ ONLY',
    'SELECT 7',
    'COMMIT',
    'DELETE FROM items WHERE id =  5 ',
  ]);
});
