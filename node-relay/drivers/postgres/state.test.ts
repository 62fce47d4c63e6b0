/** Nothing that one caller sets on a connection is there for the next: on a pool of one connection. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let session: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE items (id serial, name text);
    CREATE SEQUENCE counter;
    CREATE FUNCTION sets() RETURNS text LANGUAGE sql AS $$ SELECT set_config('my.mark', 'left', false) $$;
    CREATE FUNCTION on_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM sets(); RETURN NEW; END $$;
    CREATE TABLE triggered (id int);
    CREATE TRIGGER marks BEFORE INSERT ON triggered FOR EACH ROW EXECUTE FUNCTION on_insert();
    CREATE PROCEDURE marking() LANGUAGE sql AS $$ SELECT sets() $$;`);
  session = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

/** All that a connection can carry from one call to the next. */
const STATE = `SELECT current_setting('my.mark', true) AS mark, current_setting('work_mem') AS work_mem,
  current_user::text AS role, current_setting('search_path') AS path,
  (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
  (SELECT count(*)::int FROM pg_class WHERE relpersistence = 't') AS temporary,
  (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS prepared,
  (SELECT count(*)::int FROM pg_cursors WHERE name <> '') AS cursors,
  (SELECT count(*)::int FROM pg_listening_channels()) AS channels`;

const NEW = {
  mark: null,
  work_mem: '4MB',
  role: 'postgres',
  path: '"$user", public',
  locks: 0,
  temporary: 0,
  prepared: 0,
  cursors: 0,
  channels: 0,
};

async function state(): Promise<unknown> {
  const { mark, ...rest } = (await run(session, sql(STATE), 'write')).rows[0] ?? {};
  // A custom setting that was reset reads as empty.
  return { mark: mark || null, ...rest };
}

describe('the next caller does not see', () => {
  test.each([
    { what: 'a setting', query: "SET work_mem = '64MB'" },
    { what: 'a setting made by a function', query: "SELECT set_config('my.mark', 'left', false)" },
    { what: "a setting made inside a user's function", query: 'SELECT sets()' },
    { what: 'a setting made by a trigger', query: 'INSERT INTO triggered VALUES (1)' },
    { what: 'a setting made by a procedure', query: 'CALL marking()' },
    {
      what: 'a setting made by a block',
      query: "DO $$ BEGIN PERFORM set_config('my.mark', 'left', false); END $$",
    },
    { what: 'a search path', query: 'SET search_path = pg_catalog' },
    { what: 'a role', query: 'SET ROLE pg_monitor' },
    { what: 'a session authorization', query: 'SET SESSION AUTHORIZATION pg_monitor' },
    { what: 'an advisory lock', query: 'SELECT pg_advisory_lock(1)' },
    {
      what: 'an advisory lock taken by a change',
      query: 'UPDATE items SET id = id WHERE pg_try_advisory_lock(2)',
    },
    { what: 'a temporary table', query: 'CREATE TEMP TABLE left_behind (id int)' },
    { what: 'a temporary table made by a query', query: 'SELECT 1 AS a INTO TEMP left_behind' },
    { what: 'a subscription', query: 'LISTEN news', type: 'simple' },
    { what: 'a prepared statement', query: 'PREPARE p AS SELECT 1', type: 'simple' },
    { what: 'a cursor', query: 'DECLARE c CURSOR WITH HOLD FOR SELECT 1', type: 'simple' },
    {
      what: 'what several statements set',
      query: "SELECT 1; SET work_mem = '1GB'",
      type: 'batch_execute',
    },
    {
      what: 'what a statement set that this parser cannot read',
      query: `SET my.mark = ${'-'.repeat(0)}'left' ${' '.repeat(270_000)}`,
    },
  ])('$what', async ({ query, type = 'query' }) => {
    expect(await state()).toEqual(NEW);
    await session.run(sql(query, [], { type }), callOf('write'));
    expect(await state()).toEqual(NEW);
    // And not when the text is known by now.
    await session.run(sql(query, [], { type }), callOf('write'));
    expect(await state()).toEqual(NEW);
  });

  test('what a transaction set', async () => {
    await session.transact(
      [sql("SET work_mem = '64MB'"), sql('SELECT pg_advisory_lock(3)')],
      callOf('write'),
    );
    expect(await state()).toEqual(NEW);
  });

  test('what a failed call left', async () => {
    await expect(session.run(sql('SELECT sets(), 1 / 0'), callOf('write'))).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
    });
    expect(await state()).toEqual(NEW);
  });
});

describe('a connection', () => {
  const pid = async () =>
    (await run(session, sql('SELECT pg_backend_pid() AS pid'), 'write')).rows[0]?.pid;

  test.each([
    "INSERT INTO items (name) VALUES ('x')",
    "SELECT * FROM items WHERE lower(name) = 'x'",
    "SET work_mem = '64MB'",
    'SELECT sets()',
  ])('is used again after: %s', async (query) => {
    const before = await pid();
    await session.run(sql(query), callOf('write'));
    expect(await pid()).toBe(before);
  });

  test.each(['DO $$ BEGIN END $$', "LOAD 'auto_explain'"])('is ended after: %s', async (query) => {
    const before = await pid();
    await session.run(sql(query), callOf('write'));
    expect(await pid()).not.toBe(before);
  });

  test('keeps its settings through a reset', async () => {
    await session.run(
      sql("SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'German'", [], { type: 'simple' }),
      callOf('write'),
    );
    expect(
      await run(session, sql("SELECT '2024-01-02T03:04:05Z'::timestamptz AS t"), 'write'),
    ).toMatchObject({
      rows: [{ t: '2024-01-02T03:04:05Z' }],
    });
  });
});

describe('statements that need a session', () => {
  test.each([
    'BEGIN',
    'COMMIT',
    'ROLLBACK',
    'SAVEPOINT a',
    'START TRANSACTION',
    'END',
    'ABORT',
    'RELEASE a',
    'ROLLBACK TO a',
    'LISTEN x',
    'FETCH 1 FROM c',
    'DECLARE c CURSOR FOR SELECT 1',
    'PREPARE p AS SELECT 1',
    'EXECUTE p',
    'DEALLOCATE p',
  ])('%s says so', async (query) => {
    await expect(session.run(sql(query), callOf('write'))).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('needs a session'),
    });
  });

  test.each(['SELECT 1; COMMIT; SELECT 2', 'BEGIN; SELECT 1'])(
    '%s is not taken among several',
    async (query) => {
      await expect(
        session.run(sql(query, [], { type: 'simple' }), callOf('write')),
      ).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    },
  );
});
