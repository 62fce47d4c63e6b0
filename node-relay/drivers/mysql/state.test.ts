/** Nothing that one caller sets on a connection is there for the next; transactions, leases and failures leave none of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import type { Lease } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let write: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, v int UNIQUE);
    CREATE TABLE watched (v int);
    CREATE SEQUENCE counter;
    CREATE TABLE counted (v int, n bigint DEFAULT nextval(counter));
    CREATE TRIGGER leaving BEFORE INSERT ON watched FOR EACH ROW SET @left = NEW.v;
    CREATE PROCEDURE sets() SET @left = 1;
    CREATE PROCEDURE begins() START TRANSACTION`);
  write = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

async function one(query: string): Promise<unknown> {
  return (await run(write, sql(query), 'write')).rows[0];
}

describe('on the only connection of a pool', () => {
  test.each([
    'SET @left = 1',
    'SELECT @left := 1',
    'SELECT 1 INTO @left',
    'CALL sets()',
    'INSERT INTO watched VALUES (1)',
  ])('forgets a variable: %s', async (query) => {
    await write.run(sql(query), callOf('write'));
    expect(await one('SELECT @left AS v')).toEqual({ v: null });
  });

  test.each([
    ['SET SESSION sort_buffer_size = 100000', '@@sort_buffer_size', '@@GLOBAL.sort_buffer_size'],
    ["SET sql_mode = 'ANSI_QUOTES'", "@@sql_mode LIKE '%ANSI_QUOTES%'", '0'],
    ["SELECT get_lock('mine', 0)", "is_used_lock('mine') IS NULL", '1'],
    ['INSERT INTO t (v) VALUES (NULL)', 'last_insert_id()', '0'],
    ['CALL begins()', '@@in_transaction', '0'],
    ['SELECT SQL_CALC_FOUND_ROWS 1 UNION SELECT 2 LIMIT 1', 'found_rows() < 2', '1'],
    ['SET SESSION TRANSACTION READ ONLY', '@@tx_read_only', '0'],
    ['SET autocommit = 0', '@@autocommit', '1'],
    ['SELECT NEXT VALUE FOR counter', 'PREVIOUS VALUE FOR counter IS NULL', '1'],
    ['INSERT INTO counted (v) VALUES (1)', 'lastval(counter) IS NULL', '1'],
  ])('forgets %s', async (query, left, usual) => {
    await write.run(sql(query), callOf('write'));
    expect(await one(`SELECT ${left} = ${usual} AS usual`)).toEqual({ usual: 1 });
  });

  test('forgets what its statements were', async () => {
    const profiled = sql("SET profiling = 1; SELECT 'mine'", undefined, { type: 'simple' });
    await write.run(profiled, callOf('write'));
    expect((await run(write, sql('SHOW PROFILES'), 'write')).rows).toEqual([]);
    const count = 'SELECT count(*) AS n FROM information_schema.PROFILING';
    expect(await one(count)).toEqual({ n: 0 });
  });

  test.each(['FLUSH TABLES WITH READ LOCK', 'FLUSH TABLES t WITH READ LOCK'])(
    'forgets the locks of %s, and that there were any',
    async (query) => {
      await write.run(sql(query), callOf('write'));
      const read = sql('SELECT 1 AS a', undefined, { type: 'query_read_only' });
      expect((await run(write, read, 'write')).rows).toEqual([{ a: 1 }]);
    },
  );

  test('forgets a temporary table', async () => {
    await write.run(sql('CREATE TEMPORARY TABLE mine (a int)'), callOf('write'));
    const failure = await failureOf(write.run(sql('SELECT * FROM mine'), callOf('write')));
    expect(failure).toMatchObject({ details: [{ code: '1146' }] });
  });

  test('keeps its connection over plain statements', async () => {
    const id = () => one('SELECT connection_id() AS id');
    const before = await id();
    await write.run(sql('INSERT INTO t (v) VALUES (?)', [77]), callOf('write'));
    await write.run(sql('UPDATE t SET v = 78 WHERE v = 77'), callOf('write'));
    expect(await id()).toEqual(before);
  });

  test.each([
    'BEGIN',
    'USE mysql',
    'LOCK TABLES t WRITE',
    'COMMIT',
    'SAVEPOINT a',
    "PREPARE p FROM 'SELECT 1'",
  ])('says that %s needs a session', async (query) => {
    const failure = await failureOf(write.run(sql(query), callOf('write')));
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('session'),
    });
  });

  test.each([
    'SET NAMES latin1',
    "SET time_zone = '+05:00'",
    'SET SESSION character_set_results = NULL',
  ])('keeps utf8mb4 and UTC: %s', async (query) => {
    expect(await failureOf(write.run(sql(query), callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
    });
  });
});

describe('a transaction', () => {
  const transact = (...requests: MysqlRequest[]) => write.transact(requests, callOf('write'));

  test('takes results of earlier operations', async () => {
    const result = jsonOf(
      await transact(
        sql('INSERT INTO t (v) VALUES (:v)', { v: 1001 }),
        sql('SELECT v FROM t WHERE id = ?', [{ $result: '[0].insert_id' }]),
        sql('SELECT :x AS x', { x: { $literal: { $result: '[0]' } } }),
      ),
    );
    expect(result).toMatchObject([
      { rows_affected: 1 },
      { rows: [{ v: 1001 }] },
      { rows: [{ x: '{"$result":"[0]"}' }] },
    ]);
  });

  test.each([
    'CREATE TABLE made (a int)',
    'TRUNCATE t',
    'COMMIT',
    'SET autocommit = 1',
    '/*! COMMIT */',
    'LOCK TABLES t READ',
  ])('refuses %s, which would commit, and keeps nothing', async (query) => {
    const failure = await failureOf(transact(sql('INSERT INTO t (v) VALUES (2002)'), sql(query)));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ operation: 1 }] });
    expect(await one('SELECT count(*) AS n FROM t WHERE v = 2002')).toEqual({ n: 0 });
  });

  test('keeps nothing when an operation violates a constraint', async () => {
    const failure = await failureOf(
      transact(sql('INSERT INTO t (v) VALUES (3003)'), sql('INSERT INTO t (v) VALUES (3003)')),
    );
    expect(failure).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
      details: [{ code: '1062', operation: 1 }],
    });
    expect(await one('SELECT count(*) AS n FROM t WHERE v = 3003')).toEqual({ n: 0 });
  });
});

describe('several statements', () => {
  test('take effect together or not at all', async () => {
    const failing = sql(
      "INSERT INTO t (v) VALUES (4004); SELECT ';' ; INSERT INTO t (v) VALUES (4004)",
      undefined,
      { type: 'simple' },
    );
    expect(await failureOf(write.run(failing, callOf('write')))).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
    });
    expect(await one('SELECT count(*) AS n FROM t WHERE v = 4004')).toEqual({ n: 0 });
    const passing = sql("INSERT INTO t (v) VALUES (4005); SELECT ';' AS s;", undefined, {
      type: 'batch_execute',
    });
    expect(await run(write, passing, 'write')).toMatchObject({
      results: [{ rows_affected: 1 }, { rows: [{ s: ';' }] }],
    });
  });
});

test('several statements after one that commits by itself are together, too', async () => {
  const query =
    'INSERT INTO t (v) VALUES (4006); CREATE TABLE later (v int UNIQUE); INSERT INTO later VALUES (1); INSERT INTO later VALUES (1)';
  const failing = sql(query, undefined, { type: 'simple' });
  expect(await failureOf(write.run(failing, callOf('write')))).toMatchObject({
    code: 'CONSTRAINT_VIOLATED',
  });
  expect(await one('SELECT count(*) AS n FROM later')).toEqual({ n: 0 });
  expect(await one('SELECT count(*) AS n FROM t WHERE v = 4006')).toEqual({ n: 1 });
});

test('undoes a change whose count of rows is wrong', async () => {
  const request = sql('DELETE FROM t RETURNING id', undefined, { type: 'query_one' });
  await write.run(sql('INSERT INTO t (v) VALUES (5001), (5002)'), callOf('write'));
  expect(await failureOf(write.run(request, callOf('write')))).toMatchObject({
    code: 'REQUEST_FAILED',
    details: [{ code: '1172' }],
  });
  expect(await one('SELECT count(*) AS n FROM t WHERE v > 5000')).toEqual({ n: 2 });
});

describe('a lease', () => {
  async function lease(): Promise<Lease<MysqlRequest>> {
    const made = await write.lease(callOf('write'));
    if (!made) throw new Error('no lease');
    return made;
  }

  test('keeps a transaction, tables and variables, and rolls back at its end', async () => {
    const held = await lease();
    const rows = async (query: string) => (await run(held, sql(query), 'write')).rows;
    await rows('BEGIN');
    await rows('INSERT INTO t (v) VALUES (6001)');
    await rows('CREATE TEMPORARY TABLE mine AS SELECT 5 AS a');
    await rows('SET @kept = (SELECT a FROM mine)');
    expect(await rows('SELECT @kept AS k')).toEqual([{ k: 5 }]);
    await held.close();
    expect(await one('SELECT count(*) AS n FROM t WHERE v = 6001')).toEqual({ n: 0 });
  });

  test('takes no read inside an open write transaction or with locked tables, and reads otherwise', async () => {
    const held = await lease();
    const read = () => run(held, sql('SELECT 1 AS a'), 'read');
    expect((await read()).rows).toEqual([{ a: 1 }]);
    await run(held, sql('BEGIN'), 'write');
    await run(held, sql('INSERT INTO t (v) VALUES (7001)'), 'write');
    expect(await failureOf(read())).toMatchObject({ code: 'TRANSACTION_OPEN' });
    await run(held, sql('ROLLBACK'), 'write');
    await run(held, sql('LOCK TABLES t WRITE'), 'write');
    expect(await failureOf(read())).toMatchObject({ code: 'TRANSACTION_OPEN' });
    await run(held, sql('UNLOCK TABLES'), 'write');
    await run(held, sql('START TRANSACTION READ ONLY'), 'write');
    expect((await read()).rows).toEqual([{ a: 1 }]);
    await run(held, sql("SET sql_mode = 'ANSI_QUOTES'"), 'write');
    expect(await failureOf(read())).toMatchObject({ code: 'BAD_REQUEST' });
    await held.close();
  });

  test('ends when a call on it is stopped', async () => {
    const held = await lease();
    const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
    const call = callOf('write', { signal: after(100, reason) });
    expect(await failureOf(held.run(sql('SELECT sleep(20)'), call))).toBe(reason);
    expect(await failureOf(held.run(sql('SELECT 1'), callOf('write')))).toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await held.close();
  });
});

test('answers all results of a procedure in a list, and tells why not otherwise', async () => {
  await database.outside.query(
    'CREATE PROCEDURE two() BEGIN SELECT 1 AS a; SELECT 2 AS b, 3 AS c; END',
  );
  const listed = await run(write, sql('CALL two()', undefined, { type: 'simple' }), 'write');
  expect(listed).toMatchObject({ results: [{ rows: [{ a: 1 }] }, { rows: [{ b: 2, c: 3 }] }] });
  const failure = await failureOf(write.run(sql('CALL two()'), callOf('write')));
  expect(failure).toMatchObject({ code: 'REQUEST_FAILED', details: [{ applied: true }] });
});

test('tells that a change is applied when its result is too large, or undoes it', async () => {
  await database.outside.query(`CREATE TABLE big (v int);
    CREATE PROCEDURE grow() BEGIN INSERT INTO big VALUES (1); SELECT repeat('x', 9000) AS x; END`);
  const small = callOf('write', { resultMaxBytes: 2_000 });
  const grown = await failureOf(write.run(sql('CALL grow()'), small));
  expect(grown).toMatchObject({ code: 'RESULT_TOO_LARGE', details: [{ applied: true }] });
  const returned = sql("INSERT INTO big SELECT 2 FROM big RETURNING repeat('x', 9000)");
  expect(await failureOf(write.run(returned, small))).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  expect(await database.look('SELECT v FROM big')).toEqual([{ v: 1 }]);
});
