/** Every type with values at its edges: what is sent as a parameter, what comes back, both ways of the protocol. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';
import { TYPE_ROWS } from './test/type-rows.ts';

let database: TestDatabase;
let write: MysqlClient;
let read: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create();
  write = await database.open('write', { connections: 1 });
  read = await database.open('read', { connections: 1 });
});
afterAll(() => database.drop());

test.each(TYPE_ROWS)('keeps a $type', async ({ type, sent, received, named }) => {
  await database.outside.query(`DROP TABLE IF EXISTS t; CREATE TABLE t (v ${type} NULL)`);
  await run(write, sql('INSERT INTO t VALUES (?)', [sent]), 'write');
  const text = Buffer.from(await read.run(sql('SELECT v FROM t'), callOf('read'))).toString();
  const value = received ?? JSON.stringify(sent);
  const column = `{"name":"v","type":${JSON.stringify(named ?? type)}}`;
  expect(text).toBe(`{"columns":[${column}],"rows":[{"v":${value}}],"row_count":1}`);
});

test('writes a geometry as the bytes that the server keeps', async () => {
  const { rows } = await run(read, sql('SELECT POINT(1, 2) AS p'), 'read');
  expect(Buffer.from(String(rows[0]?.p), 'base64').readDoubleLE(9)).toBe(1);
});

test("writes MariaDB's own types as text", async () => {
  await database.outside.query('DROP TABLE IF EXISTS t; CREATE TABLE t (u uuid, i inet6)');
  const values = ['123e4567-e89b-12d3-a456-426614174000', '::1'];
  await run(write, sql('INSERT INTO t VALUES (?, ?)', values), 'write');
  const { columns, rows } = await run(read, sql('SELECT u, i FROM t'), 'read');
  expect(columns.map(({ type }) => type)).toEqual(['uuid', 'inet6']);
  expect(rows).toEqual([{ u: values[0], i: values[1] }]);
});

test('writes every 64-bit column as a string when asked', async () => {
  const query = sql('SELECT 1 AS a, 3000000000 AS b');
  const { rows } = await run(read, query, 'read', { numbersAsStrings: true });
  expect(rows).toEqual([{ a: 1, b: '3000000000' }]);
});

test.each([undefined, []])(
  'and every column of more bits than a number has: params %j',
  async (params) => {
    await database.outside.query(`DROP TABLE IF EXISTS bits; CREATE TABLE bits (a bit(53), b bit(54));
    INSERT INTO bits VALUES (5, 6)`);
    const query = sql('SELECT a, b FROM bits', params);
    const { rows } = await run(read, query, 'read', { numbersAsStrings: true });
    expect(rows).toEqual([{ a: 5, b: '6' }]);
  },
);

describe('NULL IN (SELECT …) is NULL once the table has rows, and false while it has none', () => {
  beforeAll(() =>
    database.outside.query(`
      CREATE TABLE searched (b int);
      CREATE VIEW tells AS SELECT NULL IN (SELECT b FROM searched) AS found`),
  );

  test.each([
    'SELECT NULL IN (SELECT b FROM searched) AS found',
    'SELECT ? IN (SELECT b FROM searched) AS found',
    'SELECT found FROM tells',
  ])('%s', async (query) => {
    const found = async () => {
      const values = query.includes('?') ? [null] : undefined;
      return (await run(read, sql(query, values), 'read')).rows;
    };
    await database.outside.query('DELETE FROM searched');
    expect(await found()).toEqual([{ found: 0 }]);
    await database.outside.query('INSERT INTO searched VALUES (3)');
    expect(await found()).toEqual([{ found: null }]);
  });
});

test('keeps columns of the same name as arrays', async () => {
  const query = sql('SELECT 1 AS a, 2 AS a', [], { row_format: 'array' });
  expect((await run(read, query, 'read')).rows).toEqual([[1, 2]]);
});

test('answers the exact id of a new row, and how many changed', async () => {
  await database.outside.query(
    'CREATE TABLE ids (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, v int) AUTO_INCREMENT = 9007199254740993',
  );
  const added = await run(write, sql('INSERT INTO ids (v) VALUES (1), (2)'), 'write');
  expect(added).toEqual({
    columns: [],
    rows: [],
    row_count: 0,
    rows_affected: 2,
    insert_id: '9007199254740993',
  });
  const changed = await run(write, sql('UPDATE ids SET v = 2'), 'write');
  expect(changed.rows_affected).toBe(1);
  const gone = await run(write, sql('DELETE FROM ids WHERE v = ? RETURNING v', [2]), 'write');
  expect(gone).toMatchObject({ row_count: 2, rows_affected: 2 });
});

test.each([
  { params: [1], message: 'The statement has 2 parameters, and 1 values were given' },
  { params: { a: 1 }, message: 'params.b: is required by the statement' },
  {
    params: { a: 1, b: 2, c: 3 },
    message: 'params.c: the statement has no parameter of that name',
  },
  { params: [1, { $bytes: '%' }], message: 'params.1.$bytes: is not base64' },
  { params: ['a\ud800', 1], message: 'params.0: holds half of a surrogate pair' },
  {
    params: [1, { $date: '2026-02-30T00:00:00Z' }],
    message: 'params.1.$date: is not a date and time with a zone',
  },
])('names what is wrong with parameters: $message', async ({ params, message }) => {
  const query = Array.isArray(params) ? 'SELECT ?, ?' : "SELECT :a, ':x', :b -- :y";
  const failure = await failureOf(read.run(sql(query, params as Json[]), callOf('read')));
  expect(failure).toMatchObject({ code: 'BAD_REQUEST', message });
});

test('finds named parameters outside strings, names and comments', async () => {
  const query =
    "SELECT :a AS a, ':b' AS b, `c:d`, /* :e */ :a + :f AS f FROM (SELECT 7 AS `c:d`) x # :g";
  const { rows } = await run(read, sql(query, { a: 1, f: 2 }), 'read');
  expect(rows).toEqual([{ a: 1, b: ':b', 'c:d': 7, f: 3 }]);
});
