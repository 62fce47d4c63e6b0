/** Every type of ClickHouse's, as a result and as a parameter, with no digit lost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import { callOf } from '../test/host.ts';
import type { ClickhouseClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: ClickhouseClient;

beforeAll(async () => {
  database = await TestDatabase.create();
  read = await database.open('read');
});
afterAll(() => database.drop());

const BIG = '123456789012345678901234567890123456789012345678901234567890';

/** An expression, its type as results name it, and its value as JSON text. */
const OUT: readonly (readonly [expression: string, type: string, json: string])[] = [
  ["toInt8('-128')", 'Int8', '-128'],
  ["toUInt32('4294967295')", 'UInt32', '4294967295'],
  ["toInt64('9007199254740991')", 'Int64', '9007199254740991'],
  ["toInt64('9007199254740992')", 'Int64', '"9007199254740992"'],
  ["toInt64('-9223372036854775808')", 'Int64', '"-9223372036854775808"'],
  ["toUInt64('18446744073709551615')", 'UInt64', '"18446744073709551615"'],
  ["toInt128('5')", 'Int128', '"5"'],
  [`toInt256('-${BIG}')`, 'Int256', `"-${BIG}"`],
  [`toUInt256('${BIG}')`, 'UInt256', `"${BIG}"`],
  ["toFloat64('0.1')", 'Float64', '0.1'],
  ["toFloat32('1.5')", 'Float32', '1.5'],
  ['nan', 'Float64', '"NaN"'],
  ['[inf, -inf]', 'Array(Float64)', '["Infinity","-Infinity"]'],
  ["toDecimal32('1.50', 3)", 'Decimal(9, 3)', '"1.500"'],
  [`toDecimal256('${BIG}.5', 10)`, 'Decimal(76, 10)', `"${BIG}.5000000000"`],
  ['true', 'Bool', 'true'],
  [`'tab\\t quote" slash/ é 🐫'`, 'String', String.raw`"tab\t quote\" slash/ é 🐫"`],
  ["unhex('ff00fe')", 'String', '{"$bytes":"/wD+"}'],
  ["toFixedString('ab', 4)", 'FixedString(4)', String.raw`"ab\u0000\u0000"`],
  ["[unhex('ff'), 'a']", 'Array(String)', '[{"$bytes":"/w=="},"a"]'],
  ["toLowCardinality('x')", 'LowCardinality(String)', '"x"'],
  ["CAST(NULL, 'Nullable(Int64)')", 'Nullable(Int64)', 'null'],
  ["toDate('2026-01-31')", 'Date', '"2026-01-31"'],
  ["toDate32('1925-01-01')", 'Date32', '"1925-01-01"'],
  ["toDateTime('2026-01-31 12:34:56', 'UTC')", "DateTime('UTC')", '"2026-01-31T12:34:56Z"'],
  [
    "toDateTime64('2026-01-31 12:34:56.123456789', 9, 'Asia/Tokyo')",
    "DateTime64(9, 'Asia/Tokyo')",
    '"2026-01-31T03:34:56.123456789Z"',
  ],
  [
    "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')",
    'UUID',
    '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"',
  ],
  ["toIPv4('192.0.2.1')", 'IPv4', '"192.0.2.1"'],
  ["toIPv6('2001:db8::1')", 'IPv6', '"2001:db8::1"'],
  ["CAST('b', 'Enum8(\\'a\\' = 1, \\'b\\' = 2)')", "Enum8('a' = 1, 'b' = 2)", '"b"'],
  ["CAST('b', 'Enum16(\\'a, (\\' = 1, \\'b\\' = 2)')", "Enum16('a, (' = 1, 'b' = 2)", '"b"'],
  ["map('k', toInt64('9007199254740993'))", 'Map(String, Int64)', '{"k":"9007199254740993"}'],
  [
    "CAST((1, '9007199254740993'), 'Tuple(a UInt8, `b c` UInt64)')",
    'Tuple(a UInt8, `b c` UInt64)',
    '{"a":1,"b c":"9007199254740993"}',
  ],
  ["(1, nan, 'x')", 'Tuple(UInt8, Float64, String)', '[1,"NaN","x"]'],
  [
    "CAST([(1, 'x')], 'Nested(a UInt64, b String)')",
    'Nested(a UInt64, b String)',
    '[{"a":1,"b":"x"}]',
  ],
  [
    `CAST('{"a":{"b":[1,{"c":9007199254740993}]},"s":"1"}', 'JSON')`,
    'JSON',
    '{"a":{"b":[1,{"c":"9007199254740993"}]},"s":"1"}',
  ],
  ["CAST(5, 'Variant(UInt8, String)')", 'Variant(String, UInt8)', '5'],
  ["CAST(toInt64('-9007199254740993'), 'Dynamic')", 'Dynamic', '"-9007199254740993"'],
  ["CAST((1.5, 2), 'Point')", 'Point', '[1.5,2]'],
  ["CAST([[(0, 0), (1, 0)]], 'Polygon')", 'Polygon', '[[[0,0],[1,0]]]'],
  ['toIntervalDay(3)', 'IntervalDay', '3'],
  ['[]', 'Array(Nothing)', '[]'],
  ['[[1, 2], []]', 'Array(Array(UInt8))', '[[1,2],[]]'],
  ['uniqState(1)', 'AggregateFunction(uniq, UInt8)', '{"$bytes":"AAEsy8I0"}'],
];

describe('results', () => {
  test.each(OUT)('%s is a %s and comes as %s', async (expression, type, json) => {
    const request = sql(`SELECT ${expression} AS v`, {}, { row_format: 'array' });
    const text = Buffer.from(await read.run(request, callOf('read'))).toString();
    expect(text).toContain(`{"columns":[{"name":"v","type":${JSON.stringify(type)}}],"rows":[[`);
    expect(text.slice(text.indexOf('"rows":[[') + 9, text.indexOf(']],"row_count"'))).toBe(json);
  });

  test('write every 64-bit integer as a string when that is asked for', async () => {
    const text =
      'SELECT toInt64(1) AS a, [toUInt64(2)] AS b, toInt32(3) AS c, toIntervalDay(4) AS d';
    const request = sql(text);
    const { rows } = await run(read, request, 'read', { numbersAsStrings: true });
    expect(rows).toEqual([{ a: '1', b: ['2'], c: 3, d: '4' }]);
  });

  test('keep columns of the same name as arrays, and the last of them as objects', async () => {
    const query = 'SELECT 1 AS a, 2 AS b, t.a FROM (SELECT 3 AS a) AS t';
    const array = await run(read, sql(query, {}, { row_format: 'array' }), 'read');
    expect([array.columns.length, array.rows]).toEqual([3, [[1, 2, expect.any(Number)]]]);
  });

  test('tell what the statement cost', async () => {
    const { statistics } = await run(read, sql('SELECT sum(number) FROM numbers(1000)'), 'read');
    expect(statistics).toEqual({
      elapsed: expect.any(Number),
      rows_read: 1000,
      bytes_read: expect.any(Number),
    });
  });
});

/** A parameter's type, its value as JSON text, and what the server makes of it. */
const IN: readonly (readonly [type: string, json: string, text: string])[] = [
  ['UInt64', '18446744073709551615', '18446744073709551615'],
  ['Int256', `-${BIG}`, `-${BIG}`],
  ['Int256', `"${BIG}"`, BIG],
  ['Decimal(76, 10)', `${BIG}.5`, `${BIG}.5`],
  ['Float64', '"NaN"', 'nan'],
  ['Float64', '"-Infinity"', '-inf'],
  ['Bool', 'true', 'true'],
  [
    'String',
    JSON.stringify("tab\t new\n back\\ quote' null\0 é🐫"),
    "tab\t new\n back\\ quote' null\0 é🐫",
  ],
  ['String', '"\\\\N"', '\\N'],
  ['Nullable(String)', 'null', 'NULL'],
  ['Nullable(UInt8)', '7', '7'],
  ['Date', '"2026-01-31"', '2026-01-31'],
  ["DateTime('UTC')", '"2026-01-31T12:34:56Z"', '2026-01-31 12:34:56'],
  ["DateTime64(9, 'UTC')", '"2026-01-31T12:34:56.123456789Z"', '2026-01-31 12:34:56.123456789'],
  ["DateTime('UTC')", '"1970-01-01T00:00:01Z"', '1970-01-01 00:00:01'],
  ["DateTime64(3, 'UTC')", '"1990-01-31T12:34:56.789+02:00"', '1990-01-31 10:34:56.789'],
  ["DateTime64(3, 'UTC')", '"1969-12-31T23:59:59.999Z"', '1969-12-31 23:59:59.999'],
  ["DateTime64(9, 'UTC')", '"1900-01-01T00:00:00.000000001Z"', '1900-01-01 00:00:00.000000001'],
  ["DateTime64(3, 'Asia/Tokyo')", '"1900-01-01T00:00:00.000Z"', '1900-01-01 09:00:00.000'],
  ["DateTime64(3, 'Asia/Tokyo')", '"1990-01-31T12:34:56.789Z"', '1990-01-31 21:34:56.789'],
  ["DateTime('Asia/Tokyo')", '"1970-01-01T00:00:01Z"', '1970-01-01 09:00:01'],
  ["Array(DateTime('Asia/Tokyo'))", '["1970-01-01T00:00:01Z"]', "['1970-01-01T00:00:01Z']"],
  ['UUID', '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
  ['IPv4', '"192.0.2.1"', '192.0.2.1'],
  ['IPv6', '"2001:db8::1"', '2001:db8::1'],
  ["Enum8('a' = 1, 'b' = 2)", '"b"', 'b'],
  ['LowCardinality(String)', '"x"', 'x'],
  ['Array(String)', `["a'b","c\\\\d",""]`, "['a\\'b','c\\\\d','']"],
  ['Array(Int64)', '[1,"9007199254740993",-5]', '[1,9007199254740993,-5]'],
  ['Array(Nullable(String))', '["NULL",null]', "['NULL',NULL]"],
  ['Array(Array(UInt8))', '[[1],[]]', '[[1],[]]'],
  ['Array(Date)', '["2026-01-31"]', "['2026-01-31']"],
  ['Map(String, UInt64)', `{"k'":18446744073709551615}`, "{'k\\'':18446744073709551615}"],
  ['Map(UInt64, Array(String))', '{"7":["x"]}', "{7:['x']}"],
  ['Tuple(UInt8, String)', '[1,"x"]', "(1,'x')"],
  ['Tuple(a UInt8, b String)', '{"b":"x","a":1}', "(1,'x')"],
  ['Point', '[1.5,2]', '(1.5,2)'],
  ['Identifier', '"number"', '0'],
];

describe('parameters', () => {
  test.each(IN)('{p:%s} takes %s', async (type, json, text) => {
    const params = { p: parseJson(json) };
    const from = type === 'Identifier' ? ' FROM numbers(1)' : '';
    const request = sql(`SELECT ifNull(toString({p:${type}}), 'NULL') AS t${from}`, params);
    expect((await run(read, request, 'read')).rows).toEqual([{ t: text }]);
  });

  test.each(['2026-02-30T00:00:00Z', '1969-12-31T23:59:59.999Z'])(
    'no time is taken for another one: %s',
    async (p) => {
      const request = sql("SELECT {p:DateTime64(3, 'Asia/Tokyo')}", { p });
      await expect(read.run(request, callOf('read'))).rejects.toMatchObject({
        code: 'REQUEST_FAILED',
        details: [{ code: '457' }],
      });
    },
  );

  test.each([
    ['Float64', '1e400'],
    ['Float64', '9'.repeat(310)],
    ['Float32', '1e39'],
    ['Int64', '12345678901234567890'],
    ['Int64', '"9223372036854775808"'],
    ['Int64', '-9223372036854775809'],
    ['BIGINT', '9223372036854775808'],
    ['Nullable(UInt64)', '18446744073709551616'],
    ['UInt8', '-1'],
    ['UInt8', '256'],
    ['Array(Int8)', '[128]'],
    ['Map(String, Int8)', '{"a":"-129"}'],
    ['Int128', '170141183460469231731687303715884105728'],
    ['UInt256', '1e78'],
    ['BFloat16', '-1e39'],
    ['Array(Nullable(Float64))', '[1,-1e400]'],
    ['Tuple(String, Float32)', '["a",1e39]'],
    ['Map(String, Float64)', '{"a":1e400}'],
  ])('{p:%s} takes no other number for %s', async (type, json) => {
    const request = sql(`SELECT {p:${type}}`, { p: parseJson(json) });
    await expect(read.run(request, callOf('read'))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/^params\.p.*: is outside the range of /),
    });
  });

  test('take documents and bytes', async () => {
    const params: { [name: string]: Json } = {
      j: parseJson('{"a":{"b":"it\'s \\\\ \\"quoted\\"","n":9007199254740993}}'),
      b: { $bytes: '/wD+' },
    };
    const request = sql('SELECT {j:JSON} AS j, {b:String} AS b, hex({b:String}) AS h', params);
    expect((await run(read, request, 'read')).rows).toEqual([
      {
        j: { a: { b: 'it\'s \\ "quoted"', n: '9007199254740993' } },
        b: { $bytes: '/wD+' },
        h: 'FF00FE',
      },
    ]);
  });

  test('are taken as a list of names and values, too', async () => {
    const params = [
      { name: 'a', value: 7 },
      { name: '__proto__', value: 'x' },
    ];
    const request = sql('SELECT {a:UInt8} AS a, {__proto__:String} AS b', params);
    expect((await run(read, request, 'read')).rows).toEqual([{ a: 7, b: 'x' }]);
  });

  test.each([
    [
      [
        { name: 'p', value: 1 },
        { name: 'p', value: 2 },
      ],
      'params.1.name: is there twice',
    ],
    [{ p: 'a\ud800' }, 'params.p: holds half of a surrogate pair'],
    [{ p: null }, 'params.p: is null, and UInt8 takes none: Nullable(UInt8) does'],
    [{ p: { $bytes: '====' } }, 'params.p: has $bytes that are not base64'],
    [{}, 'params.p: is required: the statement has {p:UInt8}'],
    [{ p: 1, q: 2 }, 'params.q: the statement has no parameter of this name'],
  ])('%o is refused: %s', async (params, message) => {
    await expect(read.run(sql('SELECT {p:UInt8}', params), callOf('read'))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message,
    });
  });

  test('cannot leave their place', async () => {
    const params = { p: "x', (SELECT 1)) -- \\" };
    const request = sql('SELECT {p:String} AS a, [{p:String}] AS b', params);
    expect((await run(read, request, 'read')).rows).toEqual([{ a: params.p, b: [params.p] }]);
    const refused = sql('SELECT {p:Array(UInt8)}', { p: ['1] OR 1=1 --'] });
    await expect(read.run(refused, callOf('read'))).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
    });
  });
});

test.each([
  ['Int8', '-128'],
  ['Int64', '9223372036854775807'],
  ['Int64', '"-9223372036854775808"'],
  ['UInt64', '18446744073709551615'],
  ['UInt8', '"+0255"'],
  ['Int128', '1e38'],
  ['UInt256', String((1n << 256n) - 1n)],
])('a parameter of %s takes its last number, %s', async (type, text) => {
  const { rows } = await run(
    read,
    sql(`SELECT toString({p:${type}}) AS v`, { p: parseJson(text) }),
    'read',
  );
  expect(BigInt(String(rows[0]?.v))).toBe(
    BigInt(text.replaceAll('"', '').replace('1e38', `1${'0'.repeat(38)}`)),
  );
});
