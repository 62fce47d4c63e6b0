/** Every type with values at its edges: what is sent as a parameter, what comes back, both ways of the protocol. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../proto/driver.ts';
import { type Json, parseJson } from '../../../proto/json.ts';
import type { MysqlRequest } from '../../../proto/kinds/mysql.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import { run, sql, TestDatabase } from './test-database.ts';

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');
const DIGITS = `${'9'.repeat(35)}.${'1'.repeat(30)}`;

interface TypeRow {
  readonly type: string;
  readonly sent: Json;
  /** JSON text in the result; the text that was sent, quoted, when left out. */
  readonly received?: string;
  /** As results name the type, when that is not `type`. */
  readonly named?: string;
}

const ROWS: readonly TypeRow[] = [
  { type: 'tinyint', sent: -128, received: '-128' },
  { type: 'tinyint', sent: true, received: '1' },
  { type: 'tinyint unsigned', sent: 255, received: '255' },
  { type: 'smallint', sent: -32_768, received: '-32768' },
  { type: 'mediumint unsigned', sent: 16_777_215, received: '16777215' },
  { type: 'mediumint', sent: -8_388_608, received: '-8388608' },
  { type: 'int', sent: -2_147_483_648, received: '-2147483648' },
  { type: 'int unsigned', sent: 4_294_967_295, received: '4294967295' },
  { type: 'bigint', sent: 9_007_199_254_740_991, received: '9007199254740991' },
  { type: 'bigint', sent: '9007199254740993' },
  {
    type: 'bigint',
    sent: JSON.rawJSON('-9223372036854775808'),
    received: '"-9223372036854775808"',
  },
  {
    type: 'bigint unsigned',
    sent: JSON.rawJSON('18446744073709551615'),
    received: '"18446744073709551615"',
  },
  { type: 'decimal(65,30)', sent: JSON.rawJSON(DIGITS), received: `"${DIGITS}"`, named: 'decimal' },
  { type: 'decimal(65,30)', sent: `-${DIGITS}`, named: 'decimal' },
  { type: 'decimal(10,2)', sent: 19.9, received: '"19.90"', named: 'decimal' },
  { type: 'float', sent: 1.1, received: '1.1' },
  { type: 'float', sent: 16_777_217, received: '16777216' },
  { type: 'double', sent: 0.1, received: '0.1' },
  { type: 'double', sent: 1.7976931348623157e308, received: '1.7976931348623157e+308' },
  { type: 'double', sent: 5e-324, received: '5e-324' },
  { type: 'date', sent: '2024-02-29' },
  { type: 'date', sent: '0000-00-00' },
  { type: 'date', sent: '9999-12-31' },
  { type: 'datetime', sent: '2024-02-29T23:59:59' },
  { type: 'datetime', sent: '0000-00-00', received: '"0000-00-00T00:00:00"' },
  {
    type: 'datetime(6)',
    sent: '2024-02-29 23:59:59.000001',
    received: '"2024-02-29T23:59:59.000001"',
    named: 'datetime',
  },
  {
    type: 'datetime(3)',
    sent: '2024-02-29 00:00:00',
    received: '"2024-02-29T00:00:00.000"',
    named: 'datetime',
  },
  {
    type: 'timestamp(6)',
    sent: '2024-02-29 23:59:59.5',
    received: '"2024-02-29T23:59:59.500000Z"',
    named: 'timestamp',
  },
  {
    type: 'timestamp',
    sent: { $date: '2024-02-29T23:59:59Z' },
    received: '"2024-02-29T23:59:59Z"',
  },
  {
    type: 'timestamp(3)',
    sent: { $date: '2024-03-01T01:59:59.123+02:00' },
    received: '"2024-02-29T23:59:59.123Z"',
    named: 'timestamp',
  },
  { type: 'time', sent: '838:59:59' },
  { type: 'time(6)', sent: '-838:59:58.000001', named: 'time' },
  { type: 'time', sent: '00:00:00' },
  { type: 'time(2)', sent: '25:00:00.5', received: '"25:00:00.50"', named: 'time' },
  { type: 'year', sent: 2155, received: '2155' },
  { type: 'bit(1)', sent: true, received: '1', named: 'bit' },
  {
    type: 'bit(64)',
    sent: JSON.rawJSON('18446744073709551615'),
    received: '"18446744073709551615"',
    named: 'bit',
  },
  { type: 'char(20)', sent: 'a "b" \\ é 😀', named: 'char' },
  { type: 'varchar(99)', sent: 'a\n\t\u0001\u2028 😀', named: 'varchar' },
  { type: 'varchar(9)', sent: '', named: 'varchar' },
  { type: 'text', sent: 'x'.repeat(65_535) },
  { type: 'longtext', sent: 'y'.repeat(300) },
  { type: 'binary(4)', sent: { $bytes: 'AAECAw==' }, received: '"AAECAw=="', named: 'binary' },
  {
    type: 'varbinary(300)',
    sent: { $bytes: ALL_BYTES },
    received: `"${ALL_BYTES}"`,
    named: 'varbinary',
  },
  { type: 'blob', sent: { $bytes: '' }, received: '""' },
  { type: 'longblob', sent: { $bytes: ALL_BYTES }, received: `"${ALL_BYTES}"` },
  {
    type: 'json',
    sent: parseJson('{"a":[1,12345678901234567890,0.10000000000000000001],"b":null}'),
    received: '{"a":[1,12345678901234567890,0.10000000000000000001],"b":null}',
  },
  { type: 'json', sent: '"text"', received: '"text"' },
  { type: "enum('a','b c')", sent: 'b c', named: 'enum' },
  { type: "set('x','y','z')", sent: 'x,z', named: 'set' },
  { type: 'int', sent: null, received: 'null' },
];

let database: TestDatabase;
let write: Session<MysqlRequest>;
let read: Session<MysqlRequest>;
beforeAll(async () => {
  database = await TestDatabase.create();
  write = await database.open('write', { connections: 1 });
  read = await database.open('read', { connections: 1 });
}, 30_000);
afterAll(() => database.drop());

test.each(ROWS)('keeps a $type', async ({ type, sent, received, named }) => {
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
