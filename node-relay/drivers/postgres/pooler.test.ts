/** Behind PgBouncer, in each of its modes: nothing that one caller sets is there for another. Contract §6. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backend } from '../../../test/servers/backends.ts';
import {
  type PgbouncerOptions,
  type PgbouncerServer,
  startPgbouncer,
} from '../../../test/servers/pgbouncer-server.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const NOT_SUPPORTED = {
  code: 'NOT_SUPPORTED',
  message: expect.stringContaining('behind a pooler in transaction mode, such as PgBouncer'),
};

let database: TestDatabase;
let folder: string;
const poolers: PgbouncerServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-poolers-'));
  database = await TestDatabase.create(`
    CREATE TABLE items (id serial PRIMARY KEY, name text);
    CREATE TABLE numbered (id int GENERATED ALWAYS AS IDENTITY, name text);
    CREATE FUNCTION sets(text) RETURNS text LANGUAGE sql AS $$ SELECT set_config('my.mark', $1, false) $$;
    CREATE FUNCTION on_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM sets('left'); RETURN NEW; END $$;
    CREATE TABLE triggered (id int);
    CREATE TRIGGER marks BEFORE INSERT ON triggered FOR EACH ROW EXECUTE FUNCTION on_insert();
    CREATE VIEW setting AS SELECT sets('left');
    CREATE VIEW last AS SELECT lastval();
    CREATE PROCEDURE marking() LANGUAGE sql AS $$ SELECT sets('left') $$;`);
});
afterAll(async () => {
  await database.drop();
  await Promise.all(poolers.map((pooler) => pooler.stop()));
  await rm(folder, { recursive: true, force: true });
});

/** A pooler of one connection to the server, and the database's URL by way of it. */
async function pooled(options: Omit<PgbouncerOptions, 'folder' | 'url'> = {}): Promise<string> {
  const { url } = await backend('postgres');
  const pooler = await startPgbouncer({
    folder: join(folder, String(poolers.length)),
    url,
    poolSize: 1,
    ...options,
  });
  poolers.push(pooler);
  const way = new URL(database.url);
  way.host = `127.0.0.1:${pooler.port}`;
  return way.href;
}

/** All that a session carries from one transaction to the next. */
const STATE = `SELECT current_setting('my.mark', true) AS mark, current_setting('work_mem') AS work_mem,
  current_user::text AS role, session_user::text AS login, current_setting('search_path') AS path,
  current_setting('statement_timeout') AS timeout, current_setting('default_transaction_read_only') AS read_only,
  (SELECT count(*)::int FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE l.locktype = 'advisory' AND d.datname = current_database()) AS locks,
  (SELECT count(*)::int FROM pg_class WHERE relpersistence = 't') AS temporary,
  (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS prepared,
  (SELECT count(*)::int FROM pg_cursors WHERE name <> '') AS cursors`;

describe('in transaction mode', () => {
  let mine: PostgresClient;
  let theirs: PostgresClient;

  beforeAll(async () => {
    const url = await pooled();
    mine = await database.open('write', {}, url);
    theirs = await database.open('write', {}, url);
  });

  const state = async (session: PostgresClient) => (await run(session, sql(STATE), 'write')).rows;

  test.each([
    { query: "SET work_mem = '64MB'" },
    { query: "SET LOCAL work_mem = '64MB'" },
    { query: 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY' },
    { query: 'SET ROLE pg_monitor' },
    { query: 'SET SESSION AUTHORIZATION pg_monitor' },
    { query: "SELECT set_config('my.mark', 'left', false)" },
    { query: "SELECT set_config('my.mark', 'left', true)" },
    { query: "UPDATE items SET name = set_config('my.mark', 'left', false)" },
    { query: "SELECT sets('left')" },
    { query: 'INSERT INTO triggered VALUES (1)' },
    { query: 'SELECT * FROM setting' },
    { query: 'CALL marking()' },
    { query: "DO $$ BEGIN PERFORM set_config('my.mark', 'left', false); END $$" },
    { query: 'SELECT setseed(0.5)' },
    { query: 'SELECT pg_advisory_lock(1)' },
    { query: 'SELECT pg_advisory_xact_lock(1)' },
    { query: 'CREATE TEMP TABLE left_behind (id int)' },
    { query: 'SELECT 1 AS a INTO TEMP left_behind' },
    { query: 'DISCARD ALL' },
    { query: 'RESET ALL' },
    { query: "SELECT nextval('items_id_seq')" },
    { query: 'SELECT lastval()' },
    { query: 'SELECT * FROM last' },
    { query: "SELECT currval('items_id_seq')" },
    { query: 'LISTEN news', type: 'simple' },
    { query: 'PREPARE p AS SELECT 1', type: 'simple' },
    { query: 'DECLARE c CURSOR WITH HOLD FOR SELECT 1', type: 'simple' },
    { query: "SELECT 1; SET work_mem = '1GB'", type: 'batch_execute' },
    { query: 'COPY items (name) FROM STDIN', type: 'copy_in', value: 'x\n' },
    { query: `SELECT sets('left') -- ${'x'.repeat(270_000)}` },
  ])('one caller cannot, and the other does not see: $query', async ({ query, ...members }) => {
    const before = await state(theirs);
    const request = sql(query, [], members);
    await expect(mine.run(request, callOf('write'))).rejects.toMatchObject(NOT_SUPPORTED);
    expect(await state(theirs)).toEqual(before);
    if ('type' in members) return;
    await expect(mine.transact([request], callOf('write'))).rejects.toMatchObject(NOT_SUPPORTED);
    const lines = mine.stream(request, callOf('write'))[Symbol.asyncIterator]();
    await expect(lines?.next()).rejects.toMatchObject(NOT_SUPPORTED);
    expect(await state(theirs)).toEqual(before);
  });

  test('plain statements run, and transactions of them', async () => {
    const add = sql('INSERT INTO items (name) VALUES ($1) RETURNING id', ['a']);
    const { rows } = await run(mine, add, 'write');
    expect(rows).toEqual([{ id: expect.any(Number) }]);
    await mine.transact(
      [add, sql('INSERT INTO numbered (name) VALUES ($1)', ['b'])],
      callOf('write'),
    );
    expect(await run(theirs, sql('SELECT count(*) AS n FROM items'), 'write')).toMatchObject({
      rows: [{ n: 2 }],
    });
    // What the sequence gave stays in the session, and nobody is told of it.
    await expect(theirs.run(sql('SELECT lastval()'), callOf('write'))).rejects.toMatchObject(
      NOT_SUPPORTED,
    );
  });

  test('the pooler is warned of', async () => {
    const warnings = await mine.warnings(callOf('read'));
    expect(warnings?.map(({ code }) => code)).toEqual([
      'CREDENTIAL_SUPERUSER',
      'POOLER_TRANSACTION_MODE',
    ]);
  });

  test('there are no sessions', async () => {
    await expect(mine.lease(callOf('write'))).rejects.toMatchObject(NOT_SUPPORTED);
    // And the connection was given back.
    for (let round = 0; round < 5; round += 1) await state(mine);
  });

  test('reads are read-only transactions with settings of their own', async () => {
    const url = await pooled();
    const read = await database.open(
      'read',
      {},
      `${url}?options=-c%20work_mem%3D7MB%20-c%20default_transaction_read_only%3Doff`,
    );
    const write = await database.open('write', {}, url);
    const query =
      "SELECT current_setting('transaction_read_only') AS r, current_setting('work_mem') AS w, current_setting('lock_timeout') AS t";
    for (let round = 0; round < 2; round += 1) {
      expect((await run(read, sql(query), 'read')).rows).toEqual([
        { r: 'on', w: '7MB', t: '305s' },
      ]);
      expect((await run(write, sql(query), 'write')).rows).toEqual([
        { r: 'off', w: '4MB', t: '0' },
      ]);
    }
  });

  test('a pooler that drops settings at startup without a word is found as well', async () => {
    const url = await pooled({ settings: { ignore_startup_parameters: 'options' } });
    const read = await database.open('read', {}, `${url}?options=-c%20work_mem%3D7MB`);
    const query =
      "SELECT current_setting('transaction_read_only') AS r, current_setting('work_mem') AS w";
    expect((await run(read, sql(query), 'read')).rows).toEqual([{ r: 'on', w: '7MB' }]);
  });
});

describe('in session mode', () => {
  test('it is taken for one in transaction mode, because nothing tells them apart', async () => {
    const url = await pooled({ mode: 'session' });
    const write = await database.open('write', { connections: 1 }, url);
    expect(await run(write, sql('SELECT 1 AS a'), 'write')).toMatchObject({ rows: [{ a: 1 }] });
    await expect(write.run(sql("SET work_mem = '64MB'"), callOf('write'))).rejects.toMatchObject(
      NOT_SUPPORTED,
    );
  });
});

describe('in statement mode', () => {
  test('single statements run, and transactions say that they cannot', async () => {
    const url = await pooled({ mode: 'statement' });
    const write = await database.open('write', {}, url);
    const read = await database.open('read', {}, url);
    const add = sql('INSERT INTO numbered (name) VALUES ($1) RETURNING name', ['c']);
    expect((await run(write, add, 'write')).rows).toEqual([{ name: 'c' }]);
    expect(await run(read, sql('SELECT 1 AS a'), 'read')).toMatchObject({ rows: [{ a: 1 }] });
    await expect(write.transact([add], callOf('write'))).rejects.toMatchObject({
      code: 'NOT_SUPPORTED',
    });
    expect((await run(write, add, 'write')).rows).toEqual([{ name: 'c' }]);
  });
});
