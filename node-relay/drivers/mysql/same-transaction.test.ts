/** A procedure that ends a transaction and begins another is noticed: what it kept is told. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { beginning, share, shareName } from '../contract-shares.ts';
import { callOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE t (v int)');
  for (const [name, body] of Object.entries(BODIES)) {
    await database.outside.query(`CREATE PROCEDURE ${name}() BEGIN ${body}; END`);
  }
  client = await database.open('write');
});
afterAll(() => database.drop());
beforeEach(() => database.outside.query('TRUNCATE TABLE t'));

const ENDING = {
  restarts: 'COMMIT; START TRANSACTION',
  chains: 'COMMIT AND CHAIN',
  defines: 'CREATE OR REPLACE TABLE made (v int); START TRANSACTION',
  toggles: 'SET autocommit = 0; SET autocommit = 1; SET autocommit = 0; INSERT INTO t VALUES (9)',
  says: "EXECUTE IMMEDIATE 'COMMIT AND CHAIN'",
};
const FAILING = {
  fails: "COMMIT; START TRANSACTION; SIGNAL SQLSTATE '45000'",
  answers: 'COMMIT; START TRANSACTION; SELECT 1 UNION SELECT 2',
  recounts: 'COMMIT; START TRANSACTION; SELECT 1; SELECT 2',
};
const WITHIN = {
  lists: 'INSERT INTO t VALUES (4); SELECT 1 AS a; SELECT 2 AS b',
  adds: 'INSERT INTO t VALUES (2)',
  parts: 'SAVEPOINT a; INSERT INTO t VALUES (3); ROLLBACK TO a',
  stops: "SIGNAL SQLSTATE '45000'",
};
const BODIES = { ...ENDING, ...FAILING, ...WITHIN };

const ADD = sql('INSERT INTO t VALUES (1)');
const kept = () => database.look('SELECT v FROM t WHERE v = 1');

/** In one transaction, and in a share that is committed in one phase. */
const WAYS = [
  {
    way: 'a transaction',
    send: (...queries: string[]) =>
      client.transact([ADD, ...queries.map((query) => sql(query))], callOf('write')),
  },
  {
    way: 'a share',
    async send(...queries: string[]) {
      const call = callOf('write');
      const participant = await client.join({ ...beginning(shareName()), onePhase: true }, call);
      try {
        await participant.perform(share([ADD, ...queries.map((query) => sql(query))]), call);
        await participant.commit(call);
      } finally {
        await participant.close();
      }
    },
  },
] as const;

describe.each(WAYS)('in $way', ({ send }) => {
  test.each(Object.keys(ENDING))('one that %s is told', async (name) => {
    expect(await failureOf(send(`CALL ${name}()`))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: 'transaction_ended', applied: true, operation: 1 }],
    });
    expect(await kept()).toHaveLength(1);
  });

  test('one that commits and fails is told by its own error', async () => {
    expect(await failureOf(send('CALL fails()'))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '1644', applied: true, operation: 1 }],
    });
    expect(await kept()).toHaveLength(1);
  });

  test('one that stays within it leaves all or nothing', async () => {
    const failure = await failureOf(send('CALL adds()', 'CALL parts()', 'CALL stops()'));
    expect(failure).toMatchObject({ details: [{ code: '1644', operation: 3 }] });
    expect(failure).not.toMatchObject({ details: [{ applied: true }] });
    expect(await kept()).toEqual([]);
    await send('CALL adds()', 'CALL parts()');
    expect(await database.look('SELECT v FROM t ORDER BY v')).toEqual([{ v: 1 }, { v: 2 }]);
  });
});

test.each(['query', 'execute'])('as type %s, one of several results is undone', async (type) => {
  const send = (name: string) =>
    failureOf(client.transact([ADD, sql(`CALL ${name}()`, [], { type })], callOf('write')));
  const failure = await send('lists');
  expect(failure).toMatchObject({ details: [{ code: 'several_results', operation: 1 }] });
  expect(failure).not.toMatchObject({ details: [{ applied: true }] });
  expect(await database.look('SELECT v FROM t')).toEqual([]);
  expect(await send('recounts')).toMatchObject({
    details: [{ code: 'several_results', applied: true }],
  });
  expect(await kept()).toHaveLength(1);
});

test('one that ends a share by its name and begins it again is told', async () => {
  const name = shareName();
  await database.outside.query(`CREATE PROCEDURE escapes() BEGIN
    EXECUTE IMMEDIATE 'XA END ''${name}'''; EXECUTE IMMEDIATE 'XA COMMIT ''${name}'' ONE PHASE';
    EXECUTE IMMEDIATE 'XA START ''${name}'''; END`);
  const operations = share([ADD, sql('CALL escapes()')]);
  const failure = await failureOf(client.prepare(beginning(name), operations, callOf('write')));
  expect(failure).toMatchObject({ details: [{ code: 'transaction_ended', applied: true }] });
  expect(await kept()).toHaveLength(1);
});

test('one that commits and answers too many rows is told to have kept a part', async () => {
  const request = sql('CALL answers()', undefined, { type: 'query_one' });
  const failure = await failureOf(client.transact([ADD, request], callOf('write')));
  expect(failure).toMatchObject({ details: [{ code: '1172', applied: true, operation: 1 }] });
});
