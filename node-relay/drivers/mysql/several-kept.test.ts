/** Several statements of which one ends the transaction that they are in: a failure tells what is kept. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE t (v int); CREATE TABLE u (v int UNIQUE)');
  const bodies = {
    restarts: 'COMMIT; START TRANSACTION',
    ends: 'COMMIT',
    fails: "COMMIT; START TRANSACTION; SIGNAL SQLSTATE '45000'",
    adds: 'INSERT INTO t VALUES (2)',
    answers: 'INSERT INTO t VALUES (2); SELECT 1 AS a; SELECT 2 AS b',
  };
  for (const [name, body] of Object.entries(bodies)) {
    await database.outside.query(`CREATE PROCEDURE ${name}() BEGIN ${body}; END`);
  }
  client = await database.open('write');
});
afterAll(() => database.drop());
beforeEach(() => database.outside.query('TRUNCATE t; DROP TABLE IF EXISTS made'));

const ADD = 'INSERT INTO t VALUES (1)';
const kept = () => database.look('SELECT v FROM t ORDER BY v');
const several = (type: string, ...queries: string[]) =>
  sql(queries.join('; '), undefined, { type });

describe.each(['simple', 'batch_execute'])('of type %s', (type) => {
  const send = (...queries: string[]) =>
    client.run(several(type, ADD, ...queries), callOf('write'));
  const ENDED = { details: [{ code: 'transaction_ended', applied: true }] };

  test.each([
    { queries: ['CALL restarts()', 'SELECT 1'], failure: ENDED },
    { queries: ['CALL restarts()', 'SELECT nope'], failure: ENDED },
    { queries: ['CALL ends()', 'SELECT 1'], failure: ENDED },
    { queries: ['CALL fails()'], failure: { details: [{ code: '1644', applied: true }] } },
  ])('a procedure that ends the transaction is told: $queries', async ({ queries, failure }) => {
    expect(await failureOf(send(...queries))).toMatchObject({ code: 'REQUEST_FAILED', ...failure });
    expect(await kept()).toEqual([{ v: 1 }]);
  });

  test('a procedure that stays within it leaves all or nothing', async () => {
    const failure = await failureOf(send('CALL adds()', 'SELECT nope'));
    expect(failure).toMatchObject({ details: [{ code: '1054' }] });
    expect(failure).not.toMatchObject({ details: [{ applied: true }] });
    expect(await kept()).toEqual([]);
    await send('CALL adds()', 'CALL answers()');
    expect(await kept()).toEqual([{ v: 1 }, { v: 2 }, { v: 2 }]);
  });

  test.each([
    { queries: ['CREATE TABLE made (v int)', 'SELECT nope'], code: '1054' },
    { queries: ['ALTER TABLE u COMMENT "a"', ADD, 'SELECT nope'], code: '1054' },
    { queries: ['SET autocommit = 0', 'SET autocommit = 1', 'SELECT nope'], code: '1054' },
    { queries: ['CREATE TABLE u (v int)'], code: '1050' },
    { queries: ['SELECT 1', 'DROP TABLE made'], code: '1051' },
  ])('what commits by itself keeps what came before: $queries', async ({ queries, code }) => {
    expect(await failureOf(send(...queries))).toMatchObject({ details: [{ code, applied: true }] });
    expect(await kept()).toEqual([{ v: 1 }]);
  });

  test('what violates a constraint behind it is told as that', async () => {
    const twice = 'INSERT INTO u VALUES (1)';
    const failure = await failureOf(send('CREATE TABLE made (v int)', twice, twice));
    expect(failure).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
      details: [{ code: '1062', applied: true }],
    });
    expect(await database.look('SELECT v FROM u')).toEqual([]);
  });

  test.each([
    { queries: ['CREATE TABLE made (v'], code: '1064' },
    { queries: ['SELECT nope', 'CREATE TABLE made (v int)'], code: '1054' },
  ])('what fails before it commits leaves nothing: $queries', async ({ queries, code }) => {
    const failure = await failureOf(send(...queries));
    expect(failure).toMatchObject({ details: [{ code }] });
    expect(failure).not.toMatchObject({ details: [{ applied: true }] });
    expect(await kept()).toEqual([]);
  });
});

test('one that fails as the first has kept nothing', async () => {
  const failing = client.run(several('simple', 'DROP TABLE made', ADD), callOf('write'));
  expect(await failureOf(failing)).not.toMatchObject({ details: [{ applied: true }] });
  expect(await kept()).toEqual([]);
});

test('a text that is executed in a session can end it as a procedure does', async () => {
  const lease = await client.lease(callOf('write'));
  const ending = several('simple', ADD, "EXECUTE IMMEDIATE 'COMMIT AND CHAIN'", 'SELECT nope');
  const failure = await failureOf(lease.run(ending, callOf('write')));
  const staying = several('simple', ADD, "EXECUTE IMMEDIATE 'INSERT INTO t VALUES (2)'");
  await run(lease, staying, 'write');
  await lease.close();
  expect(failure).toMatchObject({ details: [{ code: 'transaction_ended', applied: true }] });
  expect(await kept()).toEqual([{ v: 1 }, { v: 1 }, { v: 2 }]);
});
