/** What the guard learns by asking the server, where it cannot ask, and that none of a read stays. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: PostgresClient;
let write: PostgresClient;
const heard: string[] = [];

/** Marks its session and tells the world, while it says about itself that it does neither. */
const MARKING = `$$ BEGIN PERFORM pg_notify('heard', 'x'), set_config('my.mark', 'left', false), pg_advisory_lock(9); RETURN true; END $$`;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE FUNCTION marks(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS ${MARKING};
    CREATE FUNCTION marks_row() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM marks(1); RETURN NULL; END $$;
    CREATE TABLE indexed (a int);
    CREATE INDEX ON indexed ((marks(a)));
    CREATE TABLE partial (a int);
    CREATE INDEX ON partial (a) WHERE marks(a);
    CREATE TABLE checked (a int CHECK (marks(a)));
    CREATE TABLE generated (a int, b boolean GENERATED ALWAYS AS (marks(a)) STORED);
    CREATE DOMAIN marked AS int CHECK (marks(VALUE));
    CREATE TABLE with_domain (a marked);
    CREATE TABLE parent (id int PRIMARY KEY);
    CREATE TABLE child (id int REFERENCES parent ON DELETE CASCADE);
    CREATE TRIGGER marking AFTER DELETE ON child FOR EACH ROW EXECUTE FUNCTION marks_row();
    CREATE FUNCTION compares(int, int) RETURNS int LANGUAGE plpgsql VOLATILE AS
      $$ BEGIN PERFORM marks(1); RETURN btint4cmp($1, $2); END $$;
    CREATE OPERATOR CLASS marking FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=,
      OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 compares(int, int);
    CREATE TABLE classed (a int);
    CREATE INDEX ON classed (a marking);
    CREATE FUNCTION before(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT true $$;
    CREATE OPERATOR <<< (LEFTARG = int, RIGHTARG = int, FUNCTION = before);
    CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = before);
    CREATE OPERATOR >>> (LEFTARG = int, RIGHTARG = int, FUNCTION = before);
    CREATE OPERATOR <<== (LEFTARG = int, RIGHTARG = int, FUNCTION = before);
    CREATE OPERATOR >>== (LEFTARG = int, RIGHTARG = int, FUNCTION = before);
    CREATE OPERATOR CLASS cutting FOR TYPE int USING btree AS OPERATOR 1 <<<, OPERATOR 2 <<==,
      OPERATOR 3 ===, OPERATOR 4 >>==, OPERATOR 5 >>>, FUNCTION 1 lo_truncate(int, int);
    CREATE TABLE cut (a int);
    CREATE INDEX ON cut (a cutting);
    CREATE FUNCTION picked(int) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'number' $$;
    CREATE FUNCTION picked(text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT 'text' $$;
    CREATE SCHEMA other;
    CREATE FUNCTION other.named() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT 1 $$;
    CREATE FUNCTION named() RETURNS int LANGUAGE sql STABLE AS $$ SELECT 1 $$;
    CREATE TABLE seen (a int);
    INSERT INTO seen VALUES (1);`);
  database.outside.on('notification', ({ channel }) => heard.push(channel));
  await database.outside.query('LISTEN heard');
  read = await database.open('read', { connections: 1 });
  write = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

const STATE = sql(`SELECT coalesce(current_setting('my.mark', true), '') AS mark,
  (SELECT count(*)::int FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE l.locktype = 'advisory' AND d.datname = current_database()) AS locks,
  (SELECT count(*)::int FROM pg_class WHERE relpersistence = 't') AS temporary,
  (SELECT count(*)::int FROM pg_proc WHERE proname LIKE 'causeway%') AS asked`);
const CLEAN = [{ mark: '', locks: 0, temporary: 0, asked: 0 }];

describe('none of it is there for the next caller:', () => {
  test.each([
    'SELECT marks(1)',
    'SELECT (1).marks',
    'SELECT * FROM indexed WHERE marks(a)',
    'SELECT * FROM indexed',
    'SELECT * FROM partial WHERE a = 1',
    'SELECT 1::marked',
    "SELECT '{1}'::marked[]",
    'EXPLAIN SELECT * FROM seen WHERE marks(1)',
  ])('a read, %s', async (query) => {
    heard.length = 0;
    for (let time = 0; time < 2; time++) {
      await run(read, sql(query), 'read');
      expect((await run(read, STATE, 'read')).rows).toEqual(CLEAN);
      for await (const _ of read.stream(sql(query), callOf('read')));
      expect((await run(read, STATE, 'read')).rows).toEqual(CLEAN);
      await run(read, sql(`${query}; SELECT 1`, [], { type: 'simple_read_only' }), 'read');
      expect((await run(read, STATE, 'read')).rows).toEqual(CLEAN);
    }
    await database.outside.query('SELECT 1');
    expect(heard).toEqual([]);
  });

  test.each([
    'INSERT INTO indexed VALUES (1)',
    'INSERT INTO partial VALUES (1)',
    'INSERT INTO checked VALUES (1)',
    'INSERT INTO generated VALUES (1)',
    'INSERT INTO with_domain VALUES (1)',
    'INSERT INTO classed VALUES (1), (2)',
    "SELECT '{1}'::marked[]",
    'WITH made AS (INSERT INTO parent VALUES (1) RETURNING id), gone AS (SELECT 1) SELECT * FROM made',
    'INSERT INTO child VALUES (1)',
    'DELETE FROM parent',
    'INSERT INTO parent SELECT 1',
    'INSERT INTO child SELECT 1',
    'DELETE FROM parent',
  ])('a write, %s', async (query) => {
    await run(write, sql(query), 'write');
    expect((await run(write, STATE, 'write')).rows).toEqual(CLEAN);
    await run(write, sql(query), 'write').catch(() => {});
    expect((await run(write, STATE, 'write')).rows).toEqual(CLEAN);
  });
});

describe('a read', () => {
  test('of an index whose operator class is VOLATILE is refused', async () => {
    await database.outside.query('SET enable_seqscan = off');
    const failure = await failureOf(
      read.run(sql('SELECT * FROM classed WHERE a = 77'), callOf('read')),
    );
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ rule: 'read_volatile_function', function: 'public.compares' }],
    });
  });

  test('of an index whose operator class calls a function of the server is refused for it', async () => {
    for (const query of [
      'SELECT * FROM cut WHERE a === 1',
      'SELECT a FROM seen ORDER BY a USING <<<',
    ]) {
      expect(await failureOf(read.run(sql(query), callOf('read')))).toMatchObject({
        details: [{ rule: 'read_function', function: 'lo_truncate' }],
      });
    }
  });

  test('is judged with the types of its parameters', async () => {
    const typed = (type: string) =>
      sql('SELECT picked($1) AS a', [], { type: 'query_typed', params: [['1', type]] });
    expect((await run(read, typed('int4'), 'read')).rows).toEqual([{ a: 'number' }]);
    expect(await failureOf(read.run(typed('text'), callOf('read')))).toMatchObject({
      details: [{ rule: 'read_volatile_function', function: 'public.picked' }],
    });
    expect((await run(read, typed('int4'), 'read')).rows).toEqual([{ a: 'number' }]);
  });

  test('takes more parameters than functions have', async () => {
    const places = Array.from({ length: 150 }, (_, at) => `$${at + 1}`);
    const values = places.map((_, at) => at);
    const query = `SELECT a FROM seen WHERE a IN (${places.join(', ')})`;
    expect((await run(read, sql(query, values), 'read')).rows).toEqual([{ a: 1 }]);
  });

  test('goes on after a column has another type', async () => {
    const query = sql('SELECT a FROM seen WHERE a = $1', ['1']);
    expect((await run(read, query, 'read')).rows).toEqual([{ a: 1 }]);
    await database.outside.query('ALTER TABLE seen ALTER a TYPE text');
    await read.run(query, callOf('read')).catch(() => {});
    expect((await run(read, query, 'read')).rows).toEqual([{ a: '1' }]);
    await database.outside.query('ALTER TABLE seen ALTER a TYPE int USING a::int');
  });
});

describe('in a session', () => {
  test('temporary objects named as the catalog’s answer nothing', async () => {
    const lease = await write.lease(callOf('write'));
    for (const name of ['pg_proc', 'pg_class', 'pg_type', 'pg_namespace'])
      await run(
        lease,
        sql(`CREATE TEMP TABLE ${name} AS TABLE pg_catalog.${name} WITH NO DATA`),
        'write',
      );
    expect(
      await failureOf(lease.run(sql('SELECT (5::bigint).pg_advisory_lock'), callOf('read'))),
    ).toMatchObject({
      details: [{ rule: 'read_function' }],
    });
    await lease.close();
  });

  test('a name means what it means there', async () => {
    const lease = await write.lease(callOf('write'));
    const query = sql('SELECT named() AS a');
    expect((await run(lease, query, 'read')).rows).toEqual([{ a: 1 }]);
    await run(lease, sql('SET search_path = other, public'), 'write');
    expect(await failureOf(lease.run(query, callOf('read')))).toMatchObject({
      details: [{ function: 'other.named' }],
    });
    await run(lease, sql('RESET search_path'), 'write');
    expect((await run(lease, query, 'read')).rows).toEqual([{ a: 1 }]);
    await lease.close();
  });

  test('a read in a read-only transaction is judged by its names', async () => {
    const lease = await write.lease(callOf('write'));
    await run(lease, sql('BEGIN READ ONLY'), 'write');
    expect((await run(lease, sql('SELECT count(*)::int AS n FROM seen'), 'read')).rows).toEqual([
      { n: 1 },
    ]);
    expect(
      await failureOf(lease.run(sql('SELECT (1::bigint).pg_advisory_lock'), callOf('read'))),
    ).toMatchObject({ details: [{ rule: 'read_function' }] });
    await run(lease, sql('SELECT marks(1)'), 'read');
    expect(
      (
        await run(
          lease,
          sql("SELECT coalesce(current_setting('my.mark', true), '') AS mark"),
          'read',
        )
      ).rows,
    ).toEqual([{ mark: '' }]);
    await run(lease, sql('COMMIT'), 'write');
    await lease.close();
  });
});

test('words of a later grammar are functions to servers of earlier versions', async () => {
  await database.outside.query(`
    CREATE FUNCTION "json_value"(text, text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT 'x' $$;
    CREATE FUNCTION "merge_action"() RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT 'x' $$`);
  const { rows } = await database.outside.query(
    "SELECT current_setting('server_version_num')::int AS number",
  );
  const answer = await read
    .run(sql("SELECT json_value('1', '$')"), callOf('read'))
    .then(() => 'passed')
    .catch(({ code }: { code: string }) => code);
  expect(answer).toBe(rows[0].number < 160_000 ? 'BAD_REQUEST' : 'passed');
  expect(await failureOf(read.run(sql('SELECT merge_action()'), callOf('read')))).toMatchObject({
    code: 'BAD_REQUEST',
  });
});

test('an event trigger does not run', async () => {
  heard.length = 0;
  await database.outside.query(`
    CREATE TABLE fired (tag text);
    CREATE FUNCTION fires() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_notify('heard', TG_TAG); END $$;
    CREATE EVENT TRIGGER fires ON ddl_command_start WHEN TAG IN ('CREATE FUNCTION') EXECUTE FUNCTION fires()`);
  const failure = await failureOf(read.run(sql('SELECT other.named() AS fresh'), callOf('read')));
  expect(failure).toMatchObject({ message: expect.stringContaining('event trigger') });
  expect((await run(read, sql('SELECT a AS fresh FROM seen'), 'read')).rows).toEqual([
    { fresh: 1 },
  ]);
  await database.outside.query('DROP EVENT TRIGGER fires');
  expect(heard).toEqual([]);
});
