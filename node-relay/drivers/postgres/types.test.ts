/** Values of every type travel in as parameters and out as results without losing anything. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';
import { OWN_TYPES, TYPE_ROWS } from './test/type-rows.ts';

let database: TestDatabase;
let session: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(OWN_TYPES);
  session = await database.open('write');
});
afterAll(() => database.drop());

/** The JSON text of one value that was sent as a parameter of that type. */
async function echoed(type: string, value: Json): Promise<{ name: string; text: string }> {
  const result = await session.run(sql(`SELECT $1::${type} AS v`, [value]), callOf('write'));
  const [, name = '', text = ''] =
    /^\{"columns":\[\{"name":"v","type":"(.*?)"\}\],"rows":\[\{"v":([\s\S]*)\}\],"row_count":1\}$/.exec(
      Buffer.from(result).toString(),
    ) ?? [];
  return { name: JSON.parse(`"${name}"`), text };
}

describe('a parameter and a result of type', () => {
  test.each(TYPE_ROWS)('$type: $sent', async ({ type, sent, received, named }) => {
    expect(await echoed(type, sent)).toEqual({
      name: named ?? type,
      text: received ?? JSON.stringify(sent),
    });
  });
});

describe('whatever the value', () => {
  const cases: {
    type: string;
    values: fc.Arbitrary<Json>;
    same: (sent: Json, got: Json) => boolean;
  }[] = [
    {
      type: 'text',
      values: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
      same: Object.is,
    },
    {
      type: 'float8',
      values: fc.double({ noNaN: true, noDefaultInfinity: true }),
      same: Object.is,
    },
    {
      type: 'jsonb',
      values: fc
        .dictionary(fc.string(), fc.oneof(fc.integer(), fc.string(), fc.constant(null)))
        .map(withoutNul),
      same: equal,
    },
    {
      type: 'int8[]',
      values: fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
      same: (sent, got) => equal(sent, (got as Json[]).map(String)),
    },
    {
      type: 'text[]',
      values: fc.array(fc.option(fc.string().map((text) => text.replaceAll('\0', '')))),
      same: equal,
    },
    {
      type: 'bytea',
      values: fc.uint8Array().map((bytes) => ({ $bytes: Buffer.from(bytes).toString('base64') })),
      same: (sent, got) => (sent as { $bytes: string }).$bytes === got,
    },
    {
      type: 'numeric',
      values: fc.tuple(fc.bigInt({ min: 1n }), fc.nat()).map(([a, b]) => `${a}.${b}1`),
      same: Object.is,
    },
  ];
  test.each(cases)('$type comes back as it went', async ({ type, values, same }) => {
    await fc.assert(
      fc.asyncProperty(values, async (value) =>
        same(value, JSON.parse((await echoed(type, value)).text)),
      ),
      { numRuns: 60 },
    );
  });
});

function withoutNul(value: Json): Json {
  // jsonb has no NUL, and an object with one tag is a tagged value.
  return { ...JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')), plain: 1, object: 2 };
}

function equal(left: Json, right: Json): boolean {
  expect(right).toEqual(left);
  return true;
}

describe('parameters', () => {
  test('name their types when they are typed', async () => {
    const params: Json[] = [
      [5, 'Int8'],
      ['x', 'Varchar'],
      ['text', 'Jsonb'],
      [{ Bytes: [1] }, 'bytea'],
      [null, 'Int4'],
    ];
    const result = await run(
      session,
      sql('SELECT $1 AS a, $2 AS b, $3 AS c, $4 AS d, $5 AS e', params, { type: 'query_typed' }),
      'write',
    );
    expect(result.columns.map(({ type }) => type)).toEqual([
      'bigint',
      'character varying',
      'jsonb',
      'bytea',
      'integer',
    ]);
    expect(result.rows).toEqual([{ a: 5, b: 'x', c: 'text', d: 'AQ==', e: null }]);
  });

  test('may be tagged with any of the tags', async () => {
    const params: Json[] = [
      { Bool: true },
      { Int2: 1 },
      { Int4: 2 },
      { Int8: '3' },
      { Float8: 1.5 },
      { Text: 't' },
      { Null: null },
    ];
    const query =
      'SELECT $1::bool a, $2::int2 b, $3::int4 c, $4::int8 d, $5::float8 e, $6::text f, $7::text g';
    expect((await run(session, sql(query, params), 'write')).rows).toEqual([
      { a: true, b: 1, c: 2, d: 3, e: 1.5, f: 't', g: null },
    ]);
  });

  test('are JSON when they are objects without a tag', async () => {
    const params: Json[] = [{ Int4: 'no number' }, { Int4: 1, Int8: 2 }];
    expect(
      (await run(session, sql('SELECT $1::json a, $2::json b', params), 'write')).rows,
    ).toEqual([{ a: { Int4: 'no number' }, b: { Int4: 1, Int8: 2 } }]);
  });

  test.each([
    [sql('SELECT $1::text', ['a\ud800b'])],
    [sql('SELECT $1::text[]', [['a\ud800b']])],
    [sql('SELECT $1', [['a\ud800b', 'text']], { type: 'query_typed' })],
  ])(
    'are refused with half of a surrogate pair, which would become another text',
    async (request) => {
      expect(await failureOf(session.run(request, callOf('write')))).toMatchObject({
        code: 'BAD_REQUEST',
        message: 'Parameter 1 holds half of a surrogate pair',
      });
    },
  );

  test.each([
    [sql('SELECT $1::bytea', [{ $bytes: '====' }])],
    [sql('SELECT $1::bytea[]', [[{ $bytes: 'a' }]])],
    [sql('SELECT $1', [[{ $bytes: 7 }, 'bytea']], { type: 'query_typed' })],
  ])('are refused with $bytes that are no base64, which are no JSON', async (request) => {
    expect(await failureOf(session.run(request, callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'Parameter 1 has $bytes that are not base64',
    });
  });

  test('fit = ANY, and are refused by the server in a wrong number', async () => {
    const query = 'SELECT i FROM generate_series(1, 5) i WHERE i = ANY ($1) ORDER BY i';
    expect((await run(session, sql(query, [[2, 4]]), 'write')).rows).toEqual([{ i: 2 }, { i: 4 }]);
    await expect(session.run(sql('SELECT $1::int', []), callOf('write'))).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '08P01' }],
    });
  });
});

describe('results', () => {
  test('hold arrays of records, which have no type of their own, as arrays', async () => {
    const query = "SELECT ARRAY[(1, 'a,b'), NULL, (2, 'c')] a, ARRAY[[ROW(1)], [ROW(2)]] b";
    expect(await run(session, sql(query), 'write')).toMatchObject({
      columns: [
        { name: 'a', type: 'record[]' },
        { name: 'b', type: 'record[]' },
      ],
      rows: [{ a: ['(1,"a,b")', null, '(2,c)'], b: [['(1)'], ['(2)']] }],
    });
  });

  test('make every 64-bit column a string when asked to', async () => {
    const query = "SELECT 1::int8 a, 2::int4 b, ARRAY[3::int8] c, '4'::xid8 d";
    const result = await run(session, sql(query), 'write', { numbersAsStrings: true });
    expect(result.rows).toEqual([{ a: '1', b: 2, c: ['3'], d: '4' }]);
  });

  test('keep the last of several columns of a name, or all of them as arrays', async () => {
    const query = 'SELECT 1 AS a, 2 AS b, 3 AS a';
    expect((await run(session, sql(query), 'write')).rows).toEqual([{ b: 2, a: 3 }]);
    expect((await run(session, sql(query, [], { row_format: 'array' }), 'write')).rows).toEqual([
      [1, 2, 3],
    ]);
  });

  test('hold a column called __proto__ and rows without columns', async () => {
    const text = Buffer.from(
      await session.run(sql('SELECT 1 AS "__proto__"'), callOf('write')),
    ).toString();
    expect(text).toContain('{"__proto__":1}');
    expect(await run(session, sql('SELECT FROM generate_series(1, 2)'), 'write')).toEqual({
      columns: [],
      rows: [{}, {}],
      row_count: 2,
    });
  });
});
