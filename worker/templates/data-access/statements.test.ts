/** Statements: placeholders become bound parameters of every kind that has them. Contract §8. */
import { describe, expect, test } from 'vitest';
import type { Kind } from '../../../kinds/index.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { compiled, faultsOf, filled, sentBy } from './test/trial.ts';

type Row = readonly [Kind, JsonObject, JsonObject, JsonObject];
const big = JSON.rawJSON('12345678901234567890.5');

const BOUND: readonly Row[] = [
  [
    'postgres',
    { request: { query: 'SELECT {{a}}' } },
    { a: '1; DROP TABLE t' },
    { query: 'SELECT $1', params: ['1; DROP TABLE t'] },
  ],
  [
    'postgres',
    { query: 'SELECT * FROM t WHERE a = {{a}} AND b = {{b: Number}} OR a = {{a}}' },
    { a: "x' OR 1=1", b: 5 },
    {
      query: 'SELECT * FROM t WHERE a = $1 AND b = $2 OR a = $3',
      params: ["x' OR 1=1", 5, "x' OR 1=1"],
    },
  ],
  [
    'postgres',
    { query: 'SELECT $2, {{a}}, $1', params: ['own', '{{b}}'] },
    { a: true, b: null },
    { query: 'SELECT $2, $3, $1', params: ['own', null, true] },
  ],
  [
    'postgres',
    { query: "SELECT '{{a}}', '?', \"?\", b ? 'c' -- {{}}\n" },
    { a: 7 },
    { query: "SELECT $1, '?', \"?\", b ? 'c' -- {{}}\n", params: ['7'] },
  ],
  [
    'postgres',
    { query: 'INSERT INTO t VALUES ({{o: Object}}, {{l: Array}}, {{n: Number}})' },
    { o: { Int4: 1 }, l: [{ Text: 'x' }], n: big },
    {
      query: 'INSERT INTO t VALUES ($1, $2, $3)',
      params: [{ Json: { Int4: 1 } }, { Json: [{ Text: 'x' }] }, big],
    },
  ],
  [
    'mysql',
    { query: 'SELECT ?, {{a}}, ? FROM `x?` WHERE "?" <> ? # ?\n', params: [1, '{{b}}', 3] },
    { a: 'A', b: 'B' },
    { query: 'SELECT ?, ?, ? FROM `x?` WHERE "?" <> ? # ?\n', params: [1, 'A', 'B', 3] },
  ],
  [
    'mysql',
    { sql: 'SELECT :own, {{a: Object}}, {{l: Array}}', params: { own: '{{b}}' } },
    { a: { $bytes: 'AAAA' }, l: [1], b: '?' },
    {
      sql: 'SELECT :own, :placeholder_0, :placeholder_1',
      params: { own: '?', placeholder_0: '{"$bytes":"AAAA"}', placeholder_1: '[1]' },
    },
  ],
  [
    'mysql',
    { query: 'SELECT * FROM t WHERE token = \'{{t}}\' AND d = "{{d}}"' },
    { t: 0, d: true },
    { query: 'SELECT * FROM t WHERE token = ? AND d = ?', params: ['0', 'true'] },
  ],
  [
    'mysql',
    { query: 'SELECT /*!50000 ?, */ {{a}}', params: [1] },
    { a: 2 },
    { query: 'SELECT /*!50000 ?, */ ?', params: [1, 2] },
  ],
  [
    'cassandra',
    { query: 'UPDATE t SET a = {{a: Object}} WHERE k = ? AND c = {{c}}', params: ['k'] },
    { a: { $unset: true }, c: 'c' },
    {
      query: 'UPDATE t SET a = ? WHERE k = ? AND c = ?',
      params: [[['$unset', true]], 'k', 'c'],
    },
  ],
  [
    'cassandra',
    {
      type: 'batch',
      queries: [
        "INSERT INTO t (a) VALUES ('{{a}}')",
        { query: 'INSERT INTO t (a, b) VALUES (?, {{b}})', params: ['{{a}}'] },
        'DELETE FROM t WHERE a = 1',
      ],
    },
    { a: 'A', b: 2 },
    {
      type: 'batch',
      queries: [
        { query: 'INSERT INTO t (a) VALUES (?)', params: ['A'] },
        { query: 'INSERT INTO t (a, b) VALUES (?, ?)', params: ['A', 2] },
        'DELETE FROM t WHERE a = 1',
      ],
    },
  ],
  [
    'clickhouse',
    { query: 'SELECT {own:String}, {{a}}, {{b}}, {{c}}', params: { own: '{{o}}' } },
    { a: "it's", b: 1, c: null, o: 'x' },
    {
      query:
        'SELECT {own:String}, {placeholder_0:String}, {placeholder_1:Int64}, {placeholder_2:Nullable(String)}',
      params: { own: 'x', placeholder_0: "it's", placeholder_1: 1, placeholder_2: null },
    },
  ],
];
test.each(BOUND)('binds in %s: %o', async (kind, request, input, expected) => {
  expect(await filled(kind, request, input)).toEqual(expected);
});

test.each<readonly [Json, string, Json?]>([
  [true, 'Bool'],
  [-1, 'Int64'],
  [1.5, 'Float64'],
  [JSON.rawJSON('18446744073709551615'), 'UInt64'],
  [JSON.rawJSON('-18446744073709551615'), 'Int256'],
  [JSON.rawJSON('0.12345678901234567'), 'Decimal(76, 17)'],
  [JSON.rawJSON('1'.repeat(90)), 'String', '1'.repeat(90)],
  [[], 'Array(String)'],
  [[1, 2.5], 'Array(Float64)'],
  [[1, null], 'Array(Nullable(Int64))'],
  [[1, 'a', false], 'Array(String)', ['1', 'a', 'false']],
  [[[1], [], [2]], 'Array(Array(Int64))'],
  [[[1], 2], 'Array(String)', ['[1]', '2']],
  [{ $bytes: 'AAAA' }, 'String', '{"$bytes":"AAAA"}'],
  [[{ a: 1 }], 'Array(String)', ['{"a":1}']],
])('ClickHouse takes %j as %s', async (value, type, bound) => {
  const types = { object: 'Object', boolean: 'Boolean', number: 'Number' } as const;
  const isList = Array.isArray(value);
  const declared = isList
    ? 'Array'
    : JSON.isRawJSON(value)
      ? 'Number'
      : types[typeof value as 'object'];
  const sent = await filled(
    'clickhouse',
    { query: `SELECT {{v: ${declared}}}` },
    { v: value ?? null },
  );
  expect(sent).toEqual({
    query: `SELECT {placeholder_0:${type}}`,
    params: { placeholder_0: bound ?? value },
  });
});

test.each<readonly [Kind, string]>([
  ['postgres', 'SELECT 1 FROM t WHERE a IS NOT DISTINCT FROM {{x}}'],
  ['postgres', 'SELECT extract(year FROM {{x}}), (SELECT 1 FROM t), trim(both FROM {{x}})'],
  ['postgres', 'SELECT substring((SELECT a FROM t) FROM {{x}})'],
  ['clickhouse', 'SELECT a FROM t ARRAY JOIN {{x}} AS a'],
  ['mysql', "INSERT INTO t VALUES ('into', {{x}})"],
])('a value behind FROM and its kin is no table: in %s, %s', (kind, query) => {
  expect(faultsOf(kind, { query })).toEqual([]);
});

test('in a transaction no value is a reference to a result, nor a tag', async () => {
  const reference = { $result: '[0].rows[0].id' };
  const operations = [
    {
      query: 'INSERT INTO t VALUES ({{o: Object}}, {{l: Array}}, $1, $2)',
      params: [{ kept: '{{o: Object}}' }, { $result: '[0].rows[0].id' }],
    },
  ];
  const input = { o: reference, l: [reference] };
  const of = async (kind: Kind) => sentBy(compiled(kind, { operations }, 'Transaction'), input);
  expect(await of('postgres')).toEqual({
    operations: [
      {
        query: 'INSERT INTO t VALUES ($3, $4, $1, $2)',
        params: [
          { kept: { $literal: reference } },
          reference,
          { $literal: { Json: reference } },
          { $literal: { Json: [reference] } },
        ],
      },
    ],
  });
  operations[0] = {
    query: 'INSERT INTO t VALUES ({{o: Object}}, ?)',
    params: operations[0]?.params.slice(0, 1) ?? [],
  };
  expect(await of('mysql')).toEqual({
    operations: [
      {
        query: 'INSERT INTO t VALUES (?, ?)',
        params: [JSON.stringify(reference), { kept: { $literal: reference } }],
      },
    ],
  });
});

const TABLE =
  'has {{x}} where the name of a table stands, which cannot be a placeholder: only values';

describe('an author is told', () => {
  const BAD: readonly (readonly [Kind, JsonObject, string])[] = [
    ['postgres', { query: '{{x}}' }, 'the statement its caller chooses'],
    ['postgres', { query: "SELECT 'a {{x}}'" }, 'inside a text'],
    ['postgres', { query: 'SELECT * FROM {{x}}' }, TABLE],
    ['postgres', { query: 'SELECT (SELECT a FROM {{x}})' }, TABLE],
    ['postgres', { query: 'SELECT a FROM t JOIN {{x}} ON true' }, TABLE],
    ['postgres', { query: "INSERT INTO '{{x}}' VALUES (1)" }, TABLE],
    ['mysql', { query: 'update {{x}} set a = 1' }, TABLE],
    ['clickhouse', { query: 'TRUNCATE TABLE {{x}}' }, TABLE],
    ['postgres', { query: 'SELECT "{{x}}"' }, 'inside a quoted name'],
    ['postgres', { query: 'SELECT 1 -- {{x}}' }, 'inside a comment'],
    ['postgres', { query: 'SELECT 1 /* /* */ {{x}} */' }, 'inside a comment'],
    ['postgres', { query: 'SELECT $$ {{x}} $$' }, 'inside a text'],
    ['postgres', { query: 'SELECT $a$ $$ {{x}} $a$' }, 'inside a text'],
    ['postgres', { query: "SELECT e'\\'{{x}}'" }, 'inside a text'],
    ['postgres', { query: 'SELECT * FROM t_{{x}}' }, 'within a word'],
    ['postgres', { query: "SELECT DATE '{{x}}'" }, 'a literal of a type'],
    ['postgres', { query: 'SELECT {{x}}, $1' }, 'has $1, and params has 0 values'],
    ['postgres', { query: 'SELECT {{x}}', params: '{{p: Array}}' }, 'params is one as a whole'],
    ['postgres', { type: 'simple', query: 'SELECT {{x}}' }, 'is fixed'],
    [
      'postgres',
      { type: 'copy_in', query: 'COPY t FROM STDIN', value: 'a {{x}}' },
      'reads as code',
    ],
    [
      'postgres',
      { type: 'query_typed', query: 'SELECT $1', params: [['{{x}}', '{{t}}']] },
      'template.params.0.1 has a placeholder, and is fixed',
    ],
    ['postgres', { type: '{{x}}', query: 'SELECT 1' }, 'is fixed'],
    ['postgres', { query: 'SELECT {{x: Date}}' }, 'types are string, number'],
    ['postgres', { query: 'SELECT {{x = 5}}' }, 'write {{?x = …}}'],
    ['postgres', { query: 'SELECT {{?x: Number = five}}' }, 'a default that is no number'],
    ['postgres', { query: 'SELECT {{1x}}' }, 'has no placeholder {{1x}}'],
    ['postgres', { query: 'SELECT {{x: Number}}, {{x: String}}' }, 'as number and as string'],
    ['postgres', { query: 'SELECT {{x}}', nonsense: 1 }, 'nonsense'],
    ['mysql', { query: "SELECT '\\'{{x}}'" }, 'inside a text'],
    ['mysql', { query: 'SELECT `{{x}}`' }, 'inside a quoted name'],
    ['mysql', { query: 'SELECT {{x}}, ?' }, 'has 1 ? of its own, and params has 0 values'],
    ['mysql', { query: 'SELECT {{x}} # ?', params: [1] }, 'has 0 ? of its own'],
    ['cassandra', { query: 'SELECT {{x}}, ?', params: { a: 1 } }, 'write :name'],
    ['cassandra', { query: 'SELECT * FROM t // {{x}}' }, 'inside a comment'],
    ['clickhouse', { query: 'SELECT {{x}}', params: '{{p: Object}}' }, 'params is one as a whole'],
    ['clickhouse', { type: 'insert', table: '{{t}}', rows: [] }, 'is fixed'],
    ['clickhouse', { type: 'insert', table: 't', values: '{"a":"{{x}}"}' }, 'reads as code'],
    ['clickhouse', { type: 'ddl', query: 'DROP TABLE {{x}}' }, 'is fixed'],
  ];
  test.each(BAD)('%s %j', (kind, request, message) => {
    expect(faultsOf(kind, request)).toContainEqual(expect.stringContaining(message));
  });
});
