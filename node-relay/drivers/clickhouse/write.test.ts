/** Writes: inserts of rows and texts, definitions, and what they answer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClickhouseRequest, clickhouse as kind } from '../../../kinds/clickhouse/index.ts';
import { type Json, parseJson } from '../../../proto/json.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { ClickhouseClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let write: ClickhouseClient;

beforeAll(async () => {
  database = await TestDatabase.create(
    "CREATE TABLE wide (id UInt64, big Int256, at DateTime64(3, 'UTC'), m Map(String, Array(Nullable(Int64))), j JSON, b String) ENGINE = MergeTree ORDER BY id",
    'CREATE TABLE `odd ``\\\\ name` (`a b` UInt8) ENGINE = Memory',
    'CREATE TABLE checked (a Int8, CONSTRAINT positive CHECK a > 0) ENGINE = Memory',
  );
  write = await database.open('write');
});
afterAll(() => database.drop());

function insert(members: { readonly [member: string]: Json }): ClickhouseRequest {
  return { type: 'insert', ...members } as ClickhouseRequest; // Shaped as its type asks.
}

describe('insert', () => {
  test('keeps every digit, byte and time of rows', async () => {
    const row = parseJson(
      '{"id":18446744073709551615,"big":-123456789012345678901234567890123456789,"at":"2026-01-31T12:34:56.789Z","m":{"k":[9007199254740993,null]},"j":{"a":{"b":9007199254740993}},"b":{"$bytes":"/wBcIv4="}}',
    );
    const result = await run(write, insert({ table: 'wide', rows: [row] }), 'write');
    expect(result).toEqual({
      columns: [],
      rows: [],
      row_count: 0,
      rows_affected: 1,
      statistics: {
        elapsed: expect.any(Number),
        rows_read: expect.any(Number),
        bytes_read: expect.any(Number),
      },
    });
    const back = await run(write, sql('SELECT * FROM wide WHERE id > 1000'), 'write');
    expect(back.rows).toEqual([
      {
        id: '18446744073709551615',
        big: '-123456789012345678901234567890123456789',
        at: '2026-01-31T12:34:56.789Z',
        m: { k: ['9007199254740993', null] },
        j: { a: { b: '9007199254740993' } },
        b: { $bytes: '/wBcIv4=' },
      },
    ]);
  });

  test.each<[string, { readonly [member: string]: Json }]>([
    ['values: holds half of a surrogate pair', { values: '{"id":1,"b":"a\ud800"}' }],
    ['rows: has $bytes that are not base64', { rows: [{ id: 1, b: { $bytes: '====' } }] }],
    ['rows: has $bytes that are not base64', { rows: [{ id: 1, m: { k: { $bytes: 7 } } }] }],
  ])('%s: nothing else is stored in its place', async (message, members) => {
    const request = insert({ table: 'wide', ...members });
    await expect(write.run(request, callOf('write'))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message,
    });
  });

  test.each(['{"id":1e400}', '{"m":{"k":[-1e309]}}', `{"big":${'9'.repeat(310)}}`])(
    'a number that no type holds makes no infinity: %s',
    async (row) => {
      const rows = [parseJson('{"id":1}'), parseJson(row)];
      const refused = run(write, insert({ table: 'wide', rows }), 'write');
      await expect(refused).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        details: [{ path: 'rows' }],
      });
    },
  );

  test.each<[string, { [member: string]: Json }, number]>([
    [
      'arrays with columns',
      {
        columns: ['id', 'b'],
        rows: [
          [1, 'x'],
          [2, 'y'],
        ],
      },
      2,
    ],
    ['NDJSON', { values: '{"id":3}\n{"id":"4","b":"z"}\n' }, 2],
    ['CSV with names', { values: 'id,b\n5,"a,b"\n', format: 'CSVWithNames' }, 1],
    ['no rows', { rows: [] }, 0],
    ['a batch', { rows: Array.from({ length: 5_000 }, (_, at) => ({ id: 10_000 + at })) }, 5_000],
  ])('takes %s', async (_, members, rows) => {
    const result = await run(write, insert({ table: 'wide', ...members }), 'write');
    expect(result.rows_affected).toBe(rows);
  });

  test('quotes names, so that a name is never more than one', async () => {
    const request = insert({
      table: 'odd `\\ name',
      database: database.name,
      rows: [{ 'a b': 7 }],
    });
    await run(write, request, 'write');
    expect(await database.outside('SELECT * FROM `odd ``\\\\ name`')).toEqual([['7']]);
    for (const table of ['wide` (id) VALUES (1) --', 'FUNCTION file', "wide'; DROP TABLE wide"]) {
      const failure = await failureOf(write.run(insert({ table, rows: [{}] }), callOf('write')));
      expect(failure).toMatchObject({ code: 'REQUEST_FAILED', details: [{ code: '60' }] });
    }
  });

  test('refuses what is no row, unknown columns and values of another type', async () => {
    const told = async (members: { [member: string]: Json }) =>
      failureOf(write.run(insert({ table: 'wide', ...members }), callOf('write')));
    expect(await told({ rows: [{ id: 1 }, [1]] })).toMatchObject({
      message: 'rows: must be all objects or all arrays',
    });
    expect(await told({ rows: [{ id: 1 }, 5] })).toMatchObject({
      message: 'rows.1: must be an object or an array',
    });
    expect(await told({ rows: [{ unknown: 1 }] })).toMatchObject({ details: [{ code: '117' }] });
    expect(await told({ rows: [{ id: 'x' }] })).toMatchObject({ code: 'REQUEST_FAILED' });
  });

  test('a violated constraint is a conflict', async () => {
    const request = insert({ table: 'checked', rows: [{ a: -1 }] });
    expect(await failureOf(write.run(request, callOf('write')))).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
      details: [{ source: 'clickhouse', code: '469' }],
    });
  });
});

describe('other writes', () => {
  test('ddl takes a definition and nothing else', async () => {
    const ddl = (query: string) => sql(query, {}, { type: 'ddl' });
    const made = await run(write, ddl('CREATE TABLE made (a UInt8) ENGINE = Memory'), 'write');
    expect(made).toMatchObject({ columns: [], rows: [], row_count: 0 });
    await run(write, ddl('DROP TABLE made'), 'write');
    expect(await failureOf(write.run(ddl('SELECT 1'), callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
    });
    const dropping = kind.request.safeParse({ type: 'ddl', table: 'wide' });
    expect(dropping.success).toBe(false);
  });

  test('INSERT … VALUES and INSERT … SELECT tell the rows they wrote', async () => {
    const query = 'INSERT INTO checked VALUES (1), (2), ({a:Int8})';
    expect((await run(write, sql(query, { a: 3 }), 'write')).rows_affected).toBe(3);
    const select = sql(
      'INSERT INTO checked SELECT number + 1 FROM numbers(4)',
      {},
      { type: 'execute' },
    );
    expect((await run(write, select, 'write')).rows_affected).toBe(4);
  });

  test('nothing that one call sets is there for the next', async () => {
    const one = await database.open('write', {}, 1);
    const asked = sql(
      "SELECT getSetting('max_threads') AS t",
      {},
      { settings: { max_threads: 3 } },
    );
    expect((await run(one, asked, 'write')).rows).toEqual([{ t: 3 }]);
    const next = await run(one, sql("SELECT getSetting('max_threads') = 3 AS same"), 'write');
    expect(next.rows).toEqual([{ same: 0 }]);
    for (const query of ['SET max_threads = 3', 'USE system', 'BEGIN TRANSACTION']) {
      expect(await failureOf(one.run(sql(query), callOf('write')))).toMatchObject({
        code: 'BAD_REQUEST',
        details: [{ rule: 'session_statement' }],
      });
    }
  });

  test.each([
    ['readonly', 0],
    ['allow_ddl', 1],
    ['max_result_bytes', 1],
    ['output_format_json_quote_denormals', 0],
    ['date_time_output_format', 'simple'],
    ['query_id', 'x'],
    ['default_format', 'CSV'],
    ['x&readonly', 0],
  ])('the setting %s cannot be set', (name, value) => {
    const request = { type: 'query', query: 'SELECT 1', settings: { [name]: value } };
    expect(kind.request.safeParse(request).error?.issues).toMatchObject([
      { path: ['settings', name] },
    ]);
  });

  test('types that answer one row are strict about it', async () => {
    const ask = (type: string, rows: number) =>
      run(write, sql(`SELECT 1 AS a FROM numbers(${rows})`, {}, { type }), 'write');
    expect((await ask('fetch_one', 1)).rows).toEqual([{ a: 1 }]);
    expect((await ask('fetch_optional', 0)).rows).toEqual([]);
    for (const [type, rows] of [
      ['fetch_one', 0],
      ['fetch_one', 2],
      ['fetch_optional', 2],
    ] as const) {
      expect(await failureOf(ask(type, rows))).toMatchObject({ code: 'REQUEST_FAILED' });
    }
  });

  test('fetch_bytes answers a text, or base64 where it is none', async () => {
    const ask = (format: string) =>
      run(write, sql("SELECT 1 AS a, 'x' AS b", {}, { type: 'fetch_bytes', format }), 'write');
    expect(await ask('CSVWithNames')).toEqual({ value: '"a","b"\n1,"x"\n', encoding: 'utf8' });
    expect(await ask('RowBinary')).toEqual({
      value: Buffer.from('\x01\x01x').toString(),
      encoding: 'utf8',
    });
    expect(await ask('Parquet')).toMatchObject({
      encoding: 'base64',
      value: expect.stringMatching(/^UEFSM/),
    });
    expect(await failureOf(ask('NoSuchFormat'))).toMatchObject({ details: [{ code: '73' }] });
  });
});
