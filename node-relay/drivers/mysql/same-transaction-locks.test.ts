/** What a procedure kept before a deadlock, or a lock that it waited for too long, is told; and where the server has undone all, nothing is. */
import mysqlClient from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GatewayError } from '../../../proto/errors.ts';
import { failureOf } from '../contract.ts';
import { beginning, share, shareName } from '../contract-shares.ts';
import { callOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

/** The second row is another's, who will want the first. */
const MEETS = 'UPDATE r SET v = 1 WHERE id = 1; UPDATE r SET v = 1 WHERE id = 2';
const WAITS = 'UPDATE r SET v = 1 WHERE id = 2';
const RESTARTS = 'COMMIT; START TRANSACTION';

const DEADLOCKS = {
  restarts: `${RESTARTS}; ${MEETS}`,
  chains: `EXECUTE IMMEDIATE 'COMMIT AND CHAIN'; ${MEETS}`,
  defines: `CREATE OR REPLACE TABLE made (v int); START TRANSACTION; ${MEETS}`,
  toggles: `SET autocommit = 0; SET autocommit = 1; START TRANSACTION; ${MEETS}`,
};
const UNDONE = {
  meets: MEETS,
  counts: `DECLARE n int DEFAULT 0; SET n = n + 1; SELECT n INTO n; ${MEETS}`,
  drops: `CREATE TEMPORARY TABLE own (v int); DROP TEMPORARY TABLE own; ${MEETS}`,
};
/** What is changed behind a deadlock is kept. */
const GOES_ON = {
  logs: `DECLARE EXIT HANDLER FOR 1213 BEGIN INSERT INTO t VALUES (2); RESIGNAL; END; ${MEETS}`,
  swallows: `DECLARE CONTINUE HANDLER FOR 1213 BEGIN END; ${MEETS}; INSERT INTO t VALUES (2)`,
  retries: `BEGIN DECLARE CONTINUE HANDLER FOR 1213 BEGIN END; ${MEETS}; END; INSERT INTO t VALUES (2);
    EXECUTE IMMEDIATE 'SELECT id INTO @n FROM r WHERE id = 2 FOR UPDATE NOWAIT'`,
  fails: `BEGIN DECLARE CONTINUE HANDLER FOR 1213 BEGIN END; ${MEETS}; END;
    INSERT INTO t VALUES (2); DROP TEMPORARY TABLE none`,
};
const OTHERS = {
  remembers: `SET @n = 1; ${MEETS}`,
  says1205: `${RESTARTS}; SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 1205`,
  says1213: `${RESTARTS}; SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 1213`,
  waited: `${RESTARTS}; SET innodb_lock_wait_timeout = 1; ${WAITS}`,
  waits: `SET innodb_lock_wait_timeout = 1; ${WAITS}`,
};

let database: TestDatabase;
let client: MysqlClient;
let other: mysqlClient.Connection;
beforeAll(async () => {
  database = await TestDatabase.create(`CREATE TABLE t (v int);
    CREATE TABLE r (id int PRIMARY KEY, v int); INSERT INTO r SELECT seq, 0 FROM seq_1_to_100`);
  for (const [name, body] of Object.entries({ ...DEADLOCKS, ...UNDONE, ...GOES_ON, ...OTHERS })) {
    await database.outside.query(`CREATE PROCEDURE ${name}() BEGIN ${body}; END`);
  }
  client = await database.open('write');
  other = await mysqlClient.createConnection({ uri: database.url });
});
afterAll(async () => {
  await other?.end();
  await database.drop();
});
beforeEach(async () => {
  await database.outside.query('TRUNCATE TABLE t');
  await other.query('START TRANSACTION');
  // The one that has changed less is undone.
  await other.query('UPDATE r SET v = v + 2 WHERE id > 1');
});
afterEach(() => other.query('ROLLBACK'));

const ADD = sql('INSERT INTO t VALUES (1)');
const kept = () => database.look('SELECT v FROM t');
const call = (session = {}) => callOf('write', session);

/** The failure of work that meets another in a deadlock. */
async function deadlocked(work: Promise<unknown>): Promise<unknown> {
  const failing = failureOf(work);
  const waiting = `SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE DB = '${database.name}' AND INFO LIKE '${WAITS}%'`;
  await expect.poll(() => database.look(waiting)).toEqual([{ n: 1 }]);
  await other.query('UPDATE r SET v = v + 2 WHERE id = 1');
  return failing;
}

/** In one transaction, and in a share: of one phase, and an XA transaction. */
async function transact(name: string, bounds = {}): Promise<unknown> {
  return client.transact([ADD, sql(`CALL ${name}()`)], callOf('write', bounds));
}

async function perform(name: string, onePhase: boolean): Promise<unknown> {
  const participant = await client.join({ ...beginning(shareName()), onePhase }, call());
  try {
    return await participant.perform(share([ADD, sql(`CALL ${name}()`)]), call());
  } finally {
    await participant.close();
  }
}

const WAYS = [
  { way: 'a transaction', send: (name: string) => transact(name) },
  { way: 'a share', send: (name: string) => perform(name, true) },
];
const APPLIED = { code: 'REQUEST_FAILED', details: [{ code: '1213', applied: true }] };

describe.each(WAYS)('in $way', ({ send }) => {
  test.each(Object.keys(DEADLOCKS))('a deadlock of one that %s first is told', async (name) => {
    expect(await deadlocked(send(name))).toMatchObject(APPLIED);
    expect(await kept()).toEqual([{ v: 1 }]);
  });

  test.each(Object.keys(UNDONE))('a deadlock of one that %s leaves nothing', async (name) => {
    const failure = await deadlocked(send(name));
    expect(failure).toMatchObject({ details: [{ code: '1213', operation: 1 }] });
    expect(failure).not.toMatchObject({ details: [{ applied: true }] });
    expect(await kept()).toEqual([]);
  });

  test.each(Object.keys(GOES_ON))('one that %s behind a deadlock is told', async (name) => {
    expect(await deadlocked(send(name))).toMatchObject({
      details: [{ applied: true, operation: 1 }],
    });
    expect(await kept()).toEqual([{ v: 2 }]);
  });

  test.each(['1205', '1213'])('one that commits and says %s is told', async (code) => {
    expect(await failureOf(send(`says${code}`))).toMatchObject({
      details: [{ code, applied: true, operation: 1 }],
    });
    expect(await kept()).toEqual([{ v: 1 }]);
  });
});

test('a deadlock in an XA transaction leaves nothing, whatever was set', async () => {
  for (const name of ['meets', 'remembers', 'logs', 'swallows', 'fails']) {
    const failure = await deadlocked(perform(name, false));
    expect(failure).toMatchObject({ details: [{ operation: 1 }] });
    expect(failure).not.toMatchObject({ details: [{ applied: true }] });
    await other.query('ROLLBACK');
    await other.query('START TRANSACTION');
    await other.query('UPDATE r SET v = v + 2 WHERE id > 1');
  }
  expect(await kept()).toEqual([]);
});

test('what tells who calls is not what ends a transaction', async () => {
  const session = { settings: [['@who', 'ada']], maySet: true };
  const failure = await deadlocked(transact('meets', { session }));
  expect(failure).not.toMatchObject({ details: [{ applied: true }] });
  expect(await kept()).toEqual([]);
});

test('a variable that is set could be one that commits', async () => {
  expect(await deadlocked(transact('remembers'))).toMatchObject(APPLIED);
  expect(await kept()).toEqual([]);
});

test.each([
  { name: 'waited', says: [true], rows: [{ v: 1 }] },
  { name: 'waits', says: [false], rows: [] },
])('a lock that one that $name for it does not get', async ({ name, says, rows }) => {
  const failure = await failureOf(transact(name));
  expect(failure).toMatchObject({ details: [{ code: '1205', operation: 1 }] });
  const { details } = failure as GatewayError;
  expect(details.map((each) => 'applied' in each && each.applied)).toEqual(says);
  expect(await kept()).toEqual(rows);
});
