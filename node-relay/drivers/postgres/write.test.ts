/** Writes: what is kept, what is undone, and what the caller is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { Carrier } from '../../../test/servers/carrier.ts';
import { after, failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let session: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE items (id serial PRIMARY KEY, name text UNIQUE, size int CHECK (size > 0));
    CREATE TABLE parts (item int REFERENCES items DEFERRABLE INITIALLY DEFERRED, note text);`);
  session = await database.open('write', { connections: 1 });
});
beforeEach(() => database.outside.query('TRUNCATE items RESTART IDENTITY CASCADE'));
afterAll(() => database.drop());

async function names(): Promise<unknown> {
  return (await database.outside.query('SELECT name FROM items ORDER BY id')).rows.map(
    ({ name }) => name,
  );
}
const insert = (name: string, members = {}) =>
  sql('INSERT INTO items (name) VALUES ($1) RETURNING id', [name], members);
const fail = (request: PostgresRequest, bounds: Partial<Call> = {}) =>
  failureOf(session.run(request, callOf('write', bounds)));

describe('a write', () => {
  test('answers rows and how many it changed', async () => {
    expect(await run(session, insert('a'), 'write')).toEqual({
      columns: [{ name: 'id', type: 'integer' }],
      rows: [{ id: 1 }],
      row_count: 1,
      rows_affected: 1,
    });
    expect(
      await run(session, sql('UPDATE items SET size = 1', [], { type: 'execute' }), 'write'),
    ).toEqual({
      columns: [],
      rows: [],
      row_count: 0,
      rows_affected: 1,
    });
  });

  test.each([
    {
      what: 'is too large',
      request: () => insert('x'.repeat(9_000), {}),
      bounds: { resultMaxBytes: 40 },
      code: 'RESULT_TOO_LARGE',
    },
    {
      what: 'has two rows where one is asked for',
      request: () =>
        sql("INSERT INTO items (name) VALUES ('a'), ('b') RETURNING id", [], { type: 'query_one' }),
      bounds: {},
      code: 'REQUEST_FAILED',
    },
    {
      what: 'has no row where one is asked for',
      request: () =>
        sql("WITH i AS (INSERT INTO items (name) VALUES ('a')) SELECT 1 WHERE false", [], {
          type: 'query_one',
        }),
      bounds: {},
      code: 'REQUEST_FAILED',
    },
    {
      what: 'can have no row where one is asked for',
      request: () => sql("INSERT INTO items (name) VALUES ('a')", [], { type: 'query_one' }),
      bounds: {},
      code: 'REQUEST_FAILED',
    },
    {
      what: 'has two rows where at most one is',
      request: () =>
        sql("INSERT INTO items (name) VALUES ('a'), ('b') RETURNING id", [], { type: 'query_opt' }),
      bounds: {},
      code: 'REQUEST_FAILED',
    },
  ])('whose result $what is undone', async ({ request, bounds, code }) => {
    expect(await fail(request(), bounds)).toMatchObject({ code });
    expect(await names()).toEqual([]);
  });

  test('whose error names an address tells the rest of it', async () => {
    const text = 'no route to 10.0.0.7:5432 by postgres://ann:pass@db/app';
    const message = 'invalid input syntax for type integer: "no route to (address) by (address)"';
    const request = sql('SELECT $1::text::integer', [text]);
    expect(await fail(request)).toMatchObject({ message, details: [{ message }] });
  });

  test('that cannot be undone says that it was applied', async () => {
    await database.outside.query(`CREATE OR REPLACE PROCEDURE keep(INOUT name text, INOUT note text)
      LANGUAGE sql AS $$ INSERT INTO items (name) VALUES ($1); SELECT $1, repeat('x', 60) $$`);
    expect(await fail(sql("CALL keep('kept', '')"), { resultMaxBytes: 60 })).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      details: [{ applied: true }],
    });
    const request = sql(
      `EXPLAIN (ANALYZE, FORMAT json) INSERT INTO items (name) VALUES ('undone')`,
    );
    expect(await fail(request, { resultMaxBytes: 60 })).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      details: [],
    });
    expect(await names()).toEqual(['kept']);
  });

  test.each([
    {
      what: 'a duplicate',
      query: "INSERT INTO items (name) VALUES ('a'), ('a')",
      sqlstate: '23505',
      constraint: 'items_name_key',
    },
    {
      what: 'a failed check',
      query: 'INSERT INTO items (size) VALUES (0)',
      sqlstate: '23514',
      constraint: 'items_size_check',
    },
    {
      what: 'a missing parent, told at commit',
      query: 'INSERT INTO parts VALUES (999)',
      sqlstate: '23503',
      constraint: 'parts_item_fkey',
    },
    {
      what: 'a missing parent, told at commit after rows',
      query: 'INSERT INTO parts VALUES (999) RETURNING item',
      sqlstate: '23503',
      constraint: 'parts_item_fkey',
    },
  ])('violates a constraint: $what', async ({ query, sqlstate, constraint }) => {
    expect(await fail(sql(query))).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
      details: [{ source: 'postgres', code: sqlstate, constraint }],
    });
    expect((await database.outside.query('SELECT * FROM parts')).rows).toEqual([]);
  });

  test.each([
    'VACUUM items',
    'CREATE INDEX CONCURRENTLY ON items (size)',
    'REINDEX TABLE CONCURRENTLY items',
    'ANALYZE items',
  ])('may be one that takes no transaction: %s', async (query) => {
    expect(await run(session, sql(query), 'write')).toMatchObject({ row_count: 0 });
  });

  test('that is stopped at its deadline is undone and says so', async () => {
    const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
    const request = sql("INSERT INTO items (name) SELECT 'late' FROM pg_sleep(20)");
    expect(await fail(request, { signal: after(150, reason) })).toBe(reason);
    const { rows } = await database.outside.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'INSERT INTO items%' AND state = 'active'",
    );
    expect(rows).toEqual([{ n: 0 }]);
    expect(await names()).toEqual([]);
  });
});

test('takes parameters where the server calls its encoding by another name', async () => {
  const carrier = await Carrier.open(database.url, (client, server) => {
    client.on('data', (bytes: Buffer) => server.write(bytes));
    server.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf('client_encoding\0UTF8');
      if (at >= 0) bytes.write('client_encoding\0utf8', at);
      client.write(bytes);
    });
  });
  onTestFinished(() => carrier.close());
  const other = await database.open('write', {}, carrier.url);
  expect(await run(other, sql('SELECT $1 AS a', ['é']), 'write')).toMatchObject({
    rows: [{ a: 'é' }],
  });
});

describe('the result of a statement that changes the encoding itself', () => {
  const message =
    'client_encoding must be UTF8: this statement has changed it, so its result cannot be told';

  test.each([
    ['for its transaction', 'true'],
    ['for the session', 'false'],
  ])('%s is not told, and nothing of it is kept', async (_, isLocal) => {
    for (const text of [
      `SELECT set_config('client_encoding', 'EUC_JP', ${isLocal}) AS a, '表' AS b`,
      `WITH c AS (SELECT set_config('client_encoding', 'EUC_JP', ${isLocal}) AS a)
        INSERT INTO items (name) SELECT '表' FROM c WHERE a <> '' RETURNING name`,
    ]) {
      expect(await fail(sql(text))).toMatchObject({ code: 'BAD_REQUEST', message, details: [] });
    }
    expect(await names()).toEqual([]);
  });

  test('nor by a function of the database', async () => {
    await database.outside.query(`CREATE OR REPLACE FUNCTION in_japanese() RETURNS text LANGUAGE sql
      AS $$ SELECT set_config('client_encoding', 'EUC_JP', true) $$`);
    expect(await fail(sql("SELECT in_japanese() AS a, '表' AS b"))).toMatchObject({ message });
    expect(await run(session, sql("SELECT '表' AS b"), 'write')).toMatchObject({
      rows: [{ b: '表' }],
    });
  });
});

describe('several statements', () => {
  test('are kept together', async () => {
    const request = sql(
      "INSERT INTO items (name) VALUES ('a'); SELECT name FROM items; LOCK items; DELETE FROM items",
      [],
      { type: 'simple' },
    );
    expect(await run(session, request, 'write')).toMatchObject({
      results: [
        { rows_affected: 1 },
        { rows: [{ name: 'a' }] },
        { row_count: 0 },
        { rows_affected: 1 },
      ],
    });
  });

  test('are undone together where one changes the encoding of those behind it', async () => {
    const text =
      "INSERT INTO items (name) VALUES ('a'); SET client_encoding = 'LATIN1'; SELECT 'é'";
    expect(await fail(sql(text, [], { type: 'simple' }))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'client_encoding must be UTF8: a statement before this one has changed it',
    });
    expect(await names()).toEqual([]);
  });

  test('are undone together', async () => {
    const request = sql("INSERT INTO items (name) VALUES ('a'); SELECT 1 / 0", [], {
      type: 'batch_execute',
    });
    expect(await fail(request)).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '22012' }],
    });
    expect(await names()).toEqual([]);
  });
});

describe('COPY', () => {
  test('takes and gives text', async () => {
    const into = sql('COPY items (name, size) FROM STDIN', [], {
      type: 'copy_in',
      value: 'a\t1\nb\t\\N\n',
    });
    expect(await run(session, into, 'write')).toEqual({ rows_affected: 2 });
    const out = sql('COPY (SELECT name, size FROM items ORDER BY id) TO STDOUT (FORMAT csv)', [], {
      type: 'copy_out',
    });
    expect(await run(session, out, 'write')).toEqual({ value: 'a,1\nb,\n' });
  });

  test('that fails takes nothing, and the connection goes on', async () => {
    const into = sql('COPY items (name, size) FROM STDIN', [], {
      type: 'copy_in',
      value: 'a\t1\nb\tx\n',
    });
    expect(await fail(into)).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '22P02' }],
    });
    expect(await names()).toEqual([]);
  });

  test('into a table that is not there is refused at once', async () => {
    const into = sql('COPY missing FROM STDIN', [], { type: 'copy_in', value: 'a\n' });
    expect(await fail(into)).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '42P01' }],
    });
  });
});
