/** ClickHouse through worker and relay, from an HTTP client to a real engine and back. */
import { randomUUID } from 'node:crypto';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { backend } from './servers/backends.ts';

let organization: Organization;
let endpoint: string;
let outside: ReturnType<typeof createClient>;
const database = `test_${randomUUID().replaceAll('-', '')}`;
const statistics = {
  elapsed: expect.any(Number),
  rows_read: expect.any(Number),
  bytes_read: expect.any(Number),
};

beforeAll(async () => {
  const [gateway, { url }] = await Promise.all([sharedGateway(), backend('clickhouse')]);
  const own = new URL(url);
  const { host, username, password } = own;
  outside = createClient({ url: `http://${host}`, username, password });
  await outside.command({ query: `CREATE DATABASE ${database}` });
  own.pathname = `/${database}`;
  organization = await newOrganization(gateway);
  endpoint = `ch-${randomUUID().slice(0, 8)}`;
  const config = { write_conn: { url: own.href } };
  const body = { endpoint, kind: 'ClickHouse', config };
  expect(await organization.call('POST', '/endpoints', body)).toMatchObject({
    status: 200,
    body: { data: { kind: 'Clickhouse' } },
  });
  const query =
    "CREATE TABLE items (id UInt64, name String, price Decimal(38, 9), at DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY id";
  expect(await write({ type: 'ddl', query })).toEqual(
    success({ columns: [], rows: [], row_count: 0, statistics }),
  );
});
afterAll(async () => {
  await outside.command({ query: `DROP DATABASE ${database}` });
  await outside.close();
});

const at = (path: string) => `/endpoints/${endpoint}/${path}`;
const read = (body: unknown, headers = {}) => organization.call('POST', at('read'), body, headers);
const write = (body: unknown) => organization.call('POST', at('write'), body);

test('rows travel with their types and digits, in and out', async () => {
  const row = `{"id":18446744073709551614,"name":"it's \\"quoted\\"","price":12345678901234567890.123456789,"at":"2026-01-31T12:34:56.789Z"}`;
  const insert = `{"type":"insert","table":"items","rows":[${row}]}`;
  expect(await write(insert)).toEqual(
    success({ columns: [], rows: [], row_count: 0, rows_affected: 1, statistics }),
  );
  const select = {
    query: 'SELECT * FROM items WHERE name = {name:String}',
    params: { name: 'it\'s "quoted"' },
  };
  expect(await read(select)).toEqual(
    success({
      columns: [
        { name: 'id', type: 'UInt64' },
        { name: 'name', type: 'String' },
        { name: 'price', type: 'Decimal(38, 9)' },
        { name: 'at', type: "DateTime64(3, 'UTC')" },
      ],
      rows: [
        {
          id: '18446744073709551614',
          name: 'it\'s "quoted"',
          price: '12345678901234567890.123456789',
          at: '2026-01-31T12:34:56.789Z',
        },
      ],
      row_count: 1,
      statistics,
    }),
  );
  const exact = `{"query":"SELECT count() AS n FROM items WHERE id = {id:UInt64}","params":{"id":18446744073709551614}}`;
  expect(await read(exact)).toMatchObject(success({ rows: [{ n: 1 }] }));
});

test('a read writes nothing', async () => {
  expect(await read({ query: 'INSERT INTO items (id) VALUES (1)' })).toEqual(
    refusal('BAD_REQUEST', 'INSERT is not taken on /read; send it to /write', [
      {
        rule: 'read_statement',
        path: 'query',
        message: 'INSERT is not taken on /read; send it to /write',
      },
    ]),
  );
  expect(await read({ type: 'insert', table: 'items', rows: [{ id: 1 }] })).toMatchObject({
    status: 400,
  });
  expect(await read({ query: 'SELECT count() AS n FROM items WHERE id = 1' })).toMatchObject(
    success({ rows: [{ n: 0 }] }),
  );
});

test("the server's own code and words are told", async () => {
  expect(await read({ query: 'SELECT 1 FROM missing' })).toEqual(
    refusal('REQUEST_FAILED', expect.stringContaining('missing'), [
      { source: 'clickhouse', code: '60', message: expect.stringContaining('missing') },
    ]),
  );
});

test('settings are those of the list', async () => {
  const reply = await read({ query: 'SELECT 1', settings: { readonly: 0 } });
  expect(reply).toEqual(
    refusal('BAD_REQUEST', 'settings.readonly: is not one of the settings that requests may set', [
      {
        path: 'settings.readonly',
        message: 'is not one of the settings that requests may set',
      },
    ]),
  );
  const asked = { query: "SELECT getSetting('max_threads') AS t", settings: { max_threads: 2 } };
  expect(await read(asked)).toMatchObject(success({ rows: [{ t: 2 }] }));
});

test('rows stream as lines', async () => {
  const body = { query: 'SELECT number AS n FROM numbers(100000)' };
  const response = await organization.send('POST', at('read'), body, {
    headers: { Accept: 'application/x-ndjson' },
  });
  const lines = (await response.text()).trimEnd().split('\n');
  expect([response.status, lines.length, lines[99_999]]).toEqual([200, 100_000, '{"n":99999}']);
});

test('a result in a format of the server is a text', async () => {
  const request = { type: 'fetch_bytes', query: 'SELECT 1 AS a', format: 'CSVWithNames' };
  expect(await read(request)).toEqual(success({ value: '"a"\n1\n', encoding: 'utf8' }));
});

test('there are no transactions and no sessions', async () => {
  const operations = [{ query: 'SELECT 1' }];
  const replies = await Promise.all([
    organization.call('POST', at('transaction'), { operations }),
    organization.call('POST', at('sessions')),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([501, 501]);
});
