/** Every type of CQL both ways, to the last digit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '../../../proto/json.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { CassandraClient } from './index.ts';
import { cql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let write: CassandraClient;

/** Type, JSON text in, JSON text out where it is another. */
const VALUES: readonly (readonly [type: string, input: string, output?: string])[] = [
  ['ascii', '"plain"'],
  ['text', '"naïve \\"q\\" 漢 😀 \\u2028"', '"naïve \\"q\\" 漢 😀 \u2028"'],
  ['text', '""'],
  ['bigint', '9007199254740991'],
  ['bigint', '9007199254740993', '"9007199254740993"'],
  ['bigint', '"-9223372036854775808"'],
  ['bigint', '9223372036854775807', '"9223372036854775807"'],
  ['blob', '"AP8Q"'],
  ['blob', '{"$bytes":"AP8="}', '"AP8="'],
  ['blob', '""'],
  ['boolean', 'true'],
  ['boolean', 'false'],
  ['decimal', '"12.50"'],
  ['decimal', '12.50', '"12.5"'],
  ['decimal', '0.1000000000000000000000000001', '"0.1000000000000000000000000001"'],
  ['decimal', '"-1E-400"'],
  ['decimal', '"1E+400"'],
  ['decimal', '"-0.000001"'],
  ['decimal', '"123456789012345678901234567890.123456789"'],
  ['varint', '"170141183460469231731687303715884105728"'],
  ['varint', '-129', '"-129"'],
  ['varint', '128', '"128"'],
  ['varint', '-128', '"-128"'],
  ['varint', '0', '"0"'],
  ['double', '0.1'],
  ['double', '"NaN"'],
  ['double', '"-Infinity"'],
  ['double', '-0', '-0'],
  ['double', '5e-324'],
  ['float', '0.1'],
  ['float', '3.4028235e+38'],
  ['float', '-0'],
  ['float', '1e-45'],
  ['float', '"Infinity"'],
  ['int', '-2147483648'],
  ['smallint', '32767'],
  ['tinyint', '-128'],
  ['inet', '"192.0.2.1"'],
  ['inet', '"2001:db8::1"'],
  ['inet', '"2001:db8:0:0:0:0:0:1"', '"2001:db8::1"'],
  ['uuid', '"6B1f4b0e-6a3e-4c0e-9f36-0f4f5c9d1b2a"', '"6b1f4b0e-6a3e-4c0e-9f36-0f4f5c9d1b2a"'],
  ['timeuuid', '"2f0c8a10-e6f1-11f0-9f0c-3f1d1a2b3c4d"'],
  ['timestamp', '"2026-01-31T10:20:30.456Z"'],
  ['timestamp', '"2026-01-31T10:20:30+02:00"', '"2026-01-31T08:20:30.000Z"'],
  ['timestamp', '"1969-12-31T23:59:59.999Z"'],
  ['timestamp', '"2026-01-31"', '"2026-01-31T00:00:00.000Z"'],
  ['timestamp', '1767225600000', '"2026-01-01T00:00:00.000Z"'],
  ['timestamp', '"+012026-01-31T00:00:00.001Z"'],
  ['timestamp', '"-000044-03-15T12:00:00.000Z"'],
  ['timestamp', '9223372036854775807', '"+292278994-08-17T07:12:55.807Z"'],
  ['timestamp', '-9223372036854775808', '"-292275055-05-16T16:47:04.192Z"'],
  ['date', '"2026-02-28"'],
  ['date', '"2024-02-29"'],
  ['date', '"-000044-03-15"'],
  ['date', '"+5881580-07-11"', '"+5881580-07-11"'],
  ['time', '"23:59:59.999999999"'],
  ['time', '"08:30"', '"08:30:00.000000000"'],
  ['duration', '{"months":14,"days":3,"nanoseconds":14706789000000}'],
  ['duration', '"P1Y2M3DT4H5M6.789S"', '{"months":14,"days":3,"nanoseconds":14706789000000}'],
  ['duration', '"-1mo2d3h"', '{"months":-1,"days":-2,"nanoseconds":-10800000000000}'],
  [
    'duration',
    '{"months":2147483647,"days":2147483647,"nanoseconds":9223372036854775807}',
    '{"months":2147483647,"days":2147483647,"nanoseconds":"9223372036854775807"}',
  ],
  ['list<bigint>', '[1,"9223372036854775807",1]'],
  ['set<text>', '["b","a"]', '["a","b"]'],
  ['map<text, int>', '{"__proto__":1,"b":2}'],
  [
    'map<bigint, text>',
    '{"9223372036854775807":"x","1":"y"}',
    '{"1":"y","9223372036854775807":"x"}',
  ],
  ['map<int, boolean>', '[[2,false],[1,true]]', '{"1":true,"2":false}'],
  ['map<frozen<tuple<int, text>>, int>', '[[[1,"a"],2]]'],
  ['tuple<int, text, double>', '[1,null,0.5]'],
  ['address', '{"street":"Rua","zip":null,"tags":["x"]}'],
  ['address', '{"street":"Rua"}', '{"street":"Rua","zip":null,"tags":null}'],
  ['map<text, frozen<list<frozen<address>>>>', '{"a":[{"street":"s","zip":1,"tags":[]}]}'],
  ['vector<float, 3>', '[0.1,-2,"NaN"]'],
  ['vector<text, 2>', '["a","漢字"]'],
  ['vector<smallint, 2>', '[1,-2]'],
  ['vector<frozen<vector<int, 2>>, 2>', '[[1,2],[3,4]]'],
  ['list<frozen<map<text, frozen<set<varint>>>>>', '[{"a":["1","2"]}]'],
];

beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TYPE address (street text, zip int, tags set<text>)',
  );
  write = await database.open('write');
  const types = [...new Set(VALUES.map(([type]) => type))];
  for (const [index, type] of types.entries()) {
    const column = type === 'address' ? 'frozen<address>' : type;
    await database.outside(`CREATE TABLE t${index} (k int PRIMARY KEY, v ${column})`);
  }
});
afterAll(() => database.drop());

function table(type: string): string {
  return `t${[...new Set(VALUES.map((row) => row[0]))].indexOf(type)}`;
}

/** What is between the outermost brackets of the only row. */
async function stored(type: string, input: string, numbersAsStrings = false): Promise<string> {
  const params = parseJson(`[${input}]`);
  const insert = `INSERT INTO ${table(type)} (k, v) VALUES (1, ?)`;
  await write.run(cql(insert, params as never), callOf('write'));
  const select = cql(`SELECT v FROM ${table(type)} WHERE k = 1`, [], { row_format: 'array' });
  const bytes = await write.run(select, callOf('write', { numbersAsStrings }));
  const text = Buffer.from(bytes).toString();
  expect(JSON.parse(text)).toMatchObject({ columns: [{ name: 'v', type: named(type) }] });
  return text.slice(text.indexOf('"rows":[[') + 9, text.lastIndexOf(']],"row_count"'));
}

/** Results do not tell what is frozen. */
function named(type: string): string {
  const inner = /frozen<((?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*)>/;
  return inner.test(type) ? named(type.replace(inner, (_whole, of?: string) => of ?? '')) : type;
}

describe('values', () => {
  const cases = VALUES.map(([type, input, output]) => ({ type, input, output: output ?? input }));
  test.each(cases)('of type $type: $input', async ({ type, input, output }) => {
    expect(await stored(type, input)).toBe(output);
  });

  test('null is null for every type', async () => {
    for (const type of new Set(VALUES.map((row) => row[0]))) {
      expect(await stored(type, 'null')).toBe('null');
    }
  });

  test('64-bit numbers are strings on request, whatever their value', async () => {
    expect(await stored('bigint', '1', true)).toBe('"1"');
    expect(await stored('list<bigint>', '[1]', true)).toBe('["1"]');
    expect(await stored('int', '1', true)).toBe('1');
  });

  test('counters count', async () => {
    await database.outside('CREATE TABLE hits (k int PRIMARY KEY, n counter)');
    const add = cql('UPDATE hits SET n = n + ? WHERE k = 1', ['9007199254740993' as never]);
    await write.run(add, callOf('write'));
    const bytes = await write.run(cql('SELECT n FROM hits'), callOf('write'));
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
      columns: [{ name: 'n', type: 'counter' }],
      rows: [{ n: '9007199254740993' }],
      row_count: 1,
    });
  });
});

describe('values that do not fit are refused before anything is sent', () => {
  test.each([
    ['int', '2147483648', 'is outside the range of type int'],
    ['int', '1.5', 'must be an integer for type int'],
    ['tinyint', '"x"', 'must be an integer for type tinyint'],
    ['boolean', '1', 'must be true or false for type boolean'],
    ['date', '"2026-02-30"', 'must be a day such as 2026-01-31 for type date'],
    ['uuid', '"x"', 'must be a UUID for type uuid'],
    ['inet', '"localhost"', 'must be an IPv4 or IPv6 address for type inet'],
    ['vector<float, 3>', '[1,2]', 'must have 3 elements for type vector<float, 3>'],
    ['ascii', '"ä"', 'has characters outside ASCII'],
    ['text', '"a\\ud800b"', 'holds half of a surrogate pair'],
  ])('%s: %s', async (type, input, message) => {
    const params = parseJson(`[${input}]`);
    const insert = `INSERT INTO ${table(type)} (k, v) VALUES (2, ?)`;
    const failure = await failureOf(write.run(cql(insert, params as never), callOf('write')));
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ path: 'params.0', message }],
    });
  });

  test('parameters have names where the statement has', async () => {
    const insert = 'INSERT INTO t0 (k, v) VALUES (:k, :v)';
    await write.run(cql(insert, { k: 7, v: 'named' }), callOf('write'));
    expect(await database.outside('SELECT v FROM t0 WHERE k = 7')).toEqual([['named']]);
    for (const [params, path] of [
      [{ k: 7 }, 'params.v'],
      [{ k: 7, v: 'x', w: 1 }, 'params.w'],
    ] as const) {
      const failure = await failureOf(write.run(cql(insert, params), callOf('write')));
      expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ path }] });
    }
    const few = await failureOf(write.run(cql(insert, [1]), callOf('write')));
    expect(few).toMatchObject({ code: 'BAD_REQUEST', details: [{ path: 'params' }] });
  });

  test('a value that is left unset leaves the column as it is', async () => {
    await write.run(cql('INSERT INTO t0 (k, v) VALUES (8, ?)', ['kept']), callOf('write'));
    const unset = cql('INSERT INTO t0 (k, v) VALUES (8, ?)', [{ $unset: true }]);
    await write.run(unset, callOf('write'));
    expect(await database.outside('SELECT v FROM t0 WHERE k = 8')).toEqual([['kept']]);
  });
});
