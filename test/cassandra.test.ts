/** Cassandra through worker and relay, from an HTTP client to a real node and back. */
import { randomUUID } from 'node:crypto';
import cassandra from 'cassandra-driver';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { backend } from './servers/backends.ts';

let organization: Organization;
let endpoint: string;
let outside: cassandra.Client;
const keyspace = `test_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  const [gateway, { url }] = await Promise.all([sharedGateway(), backend('cassandra')]);
  const own = new URL(url);
  const { host, username, password } = own;
  outside = new cassandra.Client({
    contactPoints: [host],
    localDataCenter: 'datacenter1',
    credentials: { username, password },
  });
  const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
  await outside.execute(`CREATE KEYSPACE ${keyspace} WITH replication = ${replication}`);
  own.pathname = `/${keyspace}`;
  organization = await newOrganization(gateway);
  endpoint = `cql-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url: own.href } };
  const body = { endpoint, kind: 'Cassandra', config };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({
    status: 200,
    body: { data: { kind: 'Cassandra' } },
  });
  const query =
    'CREATE TABLE items (part int, id bigint, name text, price decimal, tags set<text>, PRIMARY KEY (part, id))';
  expect(await write({ type: 'execute', query })).toEqual(success(EMPTY));
});
afterAll(async () => {
  await outside.execute(`DROP KEYSPACE ${keyspace}`);
  await outside.shutdown();
});

const EMPTY = { columns: [], rows: [], row_count: 0 };
const at = (path: string) => `/endpoints/${endpoint}/${path}`;
const read = (body: unknown, path = 'read') => organization.call('POST', at(path), body);
const write = (body: unknown) => organization.call('POST', at('write'), body);
const INSERT = 'INSERT INTO items (part, id, name) VALUES (2, ?, ?)';

test('a decimal has the digits and the scale with which it was written', async () => {
  const insert = 'INSERT INTO items (part, id, price) VALUES (7, ?, ?)';
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 });
  const whole = fc.bigInt().filter((each) => each !== 0n);
  const decimal = fc.tuple(whole, fc.option(digits, { nil: undefined }));
  let id = 0;
  await fc.assert(
    fc.asyncProperty(decimal, async ([whole, fraction]) => {
      const text = fraction === undefined ? String(whole) : `${whole}.${fraction}`;
      id += 1;
      expect(await write(`{"query":"${insert}","params":[${id},${text}]}`)).toEqual(success(EMPTY));
      const query = 'SELECT price FROM items WHERE part = 7 AND id = ?';
      const { body } = await read({ query, params: [id] });
      expect(body).toMatchObject({ data: { rows: [{ price: text }] } });
    }),
    { numRuns: 10, examples: [[[1n, '10']], [[19n, '90']], [[10n ** 21n, undefined]]] },
  );
});

test('rows travel with their types and digits, in and out', async () => {
  const values = `[1, 9007199254740993, "it's", 12345678901234567890.123456789, ["b", "a"]]`;
  const insert = `{"query":"INSERT INTO items (part, id, name, price, tags) VALUES (?, ?, ?, ?, ?)","params":${values}}`;
  expect(await write(insert)).toEqual(success(EMPTY));
  const query = 'SELECT id, name, price, tags FROM items WHERE part = :part';
  expect(await read({ query, params: { part: 1 } })).toEqual(
    success({
      columns: [
        { name: 'id', type: 'bigint' },
        { name: 'name', type: 'text' },
        { name: 'price', type: 'decimal' },
        { name: 'tags', type: 'set<text>' },
      ],
      rows: [
        {
          id: '9007199254740993',
          name: "it's",
          price: '12345678901234567890.123456789',
          tags: ['a', 'b'],
        },
      ],
      row_count: 1,
    }),
  );
});

test('a read writes nothing', async () => {
  const message = 'DELETE is not taken on /read, only SELECT; send it to /write';
  expect(await read({ query: 'DELETE FROM items WHERE part = 1' })).toEqual(
    refusal('BAD_REQUEST', message, [{ rule: 'read_statement', path: 'query', message }]),
  );
  const batch = { type: 'batch', queries: ['DELETE FROM items WHERE part = 1'] };
  expect(await read(batch)).toMatchObject({ status: 400 });
});

test("the server's own code and words are told", async () => {
  expect(await read({ query: 'SELECT a FROM missing' })).toEqual(
    refusal('REQUEST_FAILED', 'table missing does not exist', [
      { source: 'cassandra', code: '0x2200', message: 'table missing does not exist' },
    ]),
  );
});

test('a transaction is one logged batch, and pages follow each other', async () => {
  const operations = [3, 4, 5].map((id) => ({ query: INSERT, params: [id, `n${id}`] }));
  expect(await read({ operations }, 'transaction')).toEqual(success([EMPTY, EMPTY, EMPTY]));
  const page = { query: 'SELECT id FROM items WHERE part = 2', page_size: 2 };
  const first = await read(page);
  expect(first).toMatchObject(
    success({ rows: [{ id: 3 }, { id: 4 }], paging_state: expect.any(String) }),
  );
  const { paging_state } = (first.body as { data: { paging_state: string } }).data; // As just compared.
  const next = await read({ ...page, paging_state });
  expect(next).toMatchObject(success({ rows: [{ id: 5 }], paging_state: null }));
  const other = { ...page, query: 'SELECT id FROM items WHERE part = 1', paging_state };
  expect(await read(other)).toMatchObject({ status: 400 });
  const refused = [operations[0], { query: 'SELECT * FROM items' }];
  expect(await read({ operations: refused }, 'transaction')).toMatchObject({
    status: 400,
    body: { details: [{ operation: 1 }] },
  });
});

test('a condition says whether it held', async () => {
  const request = { type: 'execute', query: `${INSERT} IF NOT EXISTS`, params: [9, 'nine'] };
  expect(await write(request)).toMatchObject(success({ applied: true }));
  expect(await write(request)).toMatchObject(success({ applied: false }));
});

test('rows stream as lines', async () => {
  const queries = Array.from({ length: 300 }, (_, id) => ({
    query: 'INSERT INTO items (part, id) VALUES (3, ?)',
    params: [id],
  }));
  const batch = { type: 'batch', batch_type: 'unlogged', queries };
  expect(await write(batch)).toMatchObject(success({ row_count: 0 }));
  const body = { query: 'SELECT id FROM items WHERE part = 3' };
  const response = await organization.send('POST', at('read'), body, {
    headers: { Accept: 'application/x-ndjson' },
  });
  const lines = (await response.text()).trimEnd().split('\n');
  expect([response.status, lines.length, lines[299]]).toEqual([200, 300, '{"id":299}']);
});

test('there are no sessions', async () => {
  expect((await organization.call('POST', at('sessions'))).status).toBe(501);
});
