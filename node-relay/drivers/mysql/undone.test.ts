/** What a write that was stopped says of its effect: tables of some engines, and procedures, keep what was done. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
import { cuttingProxy } from '../test/cutting-proxy.ts';
import { callOf, toTheEnd } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

/** One with a table without transactions, and one whose tables all have them. */
let mixed: TestDatabase;
let plain: TestDatabase;
beforeAll(async () => {
  mixed = await TestDatabase.create(`
    CREATE TABLE flat (v varchar(20) UNIQUE, s int) ENGINE = MyISAM;
    CREATE TABLE t (v varchar(20), s int)`);
  plain = await TestDatabase.create('CREATE TABLE t (v varchar(20), s int)');
  await plain.outside.query(`CREATE VIEW seen AS SELECT * FROM ${mixed.name}.flat;
    CREATE TABLE triggering (v varchar(20), s int);
    CREATE TRIGGER tr AFTER INSERT ON triggering FOR EACH ROW INSERT INTO ${mixed.name}.flat VALUES (NEW.v, 0);
    CREATE FUNCTION f (name varchar(20)) RETURNS int BEGIN INSERT INTO ${mixed.name}.flat VALUES (name, 0); RETURN SLEEP(8); END`);
  await plain.outside.query(
    'CREATE PROCEDURE p (name varchar(20)) BEGIN INSERT INTO t VALUES (name, 0); COMMIT; INSERT INTO t SELECT name, SLEEP(8); END',
  );
});
afterAll(() => Promise.all([mixed?.drop(), plain?.drop()]));

const REASON = new GatewayError('TIMED_OUT', 'The deadline passed');
const UNKNOWN = {
  code: 'OUTCOME_UNKNOWN',
  message: 'The deadline passed after the request was sent: it may have taken effect',
};

/** Of a write that takes longer than it may. */
async function stopped(
  database: TestDatabase,
  work: (session: MysqlClient, call: Call) => Promise<unknown>,
): Promise<unknown> {
  const session = await database.open('write', { connections: 1 });
  return failureOf(work(session, callOf('write', { signal: after(400, REASON) })));
}

const rows = (database: TestDatabase, table: string, v: string) =>
  database.look(`SELECT count(*) AS n FROM ${table} WHERE v = '${v}'`);

describe('its outcome is unknown', () => {
  test('where a table without transactions has a part of it', async () => {
    const request = sql("INSERT INTO flat VALUES ('part', 0), ('next', SLEEP(8))");
    const failure = await stopped(mixed, (session, call) => session.run(request, call));
    expect(failure).toMatchObject(UNKNOWN);
    expect(await rows(mixed, 'flat', 'part')).toEqual([{ n: 1 }]);
  });

  test('where an earlier statement of its transaction wrote to one', async () => {
    const requests = [sql("INSERT INTO flat VALUES ('earlier', 0)"), sql('SELECT SLEEP(8)')];
    const failure = await stopped(mixed, (session, call) => session.transact(requests, call));
    expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await rows(mixed, 'flat', 'earlier')).toEqual([{ n: 1 }]);
  });

  test('where one is in another schema that it names', async () => {
    const request = sql(
      `INSERT INTO \`${mixed.name}\`.flat VALUES ('apart', 0), ('late', SLEEP(8))`,
    );
    const failure = await stopped(plain, (session, call) => session.run(request, call));
    expect(failure).toMatchObject(UNKNOWN);
    expect(await rows(mixed, 'flat', 'apart')).toEqual([{ n: 1 }]);
  });

  test.each([
    ['a view', "INSERT INTO seen VALUES ('a view', 0), ('late', SLEEP(8))"],
    ['a trigger', "INSERT INTO triggering VALUES ('a trigger', 0), ('late', SLEEP(8))"],
    ['a function', "SELECT f('a function')"],
  ])('where %s writes to one in another schema', async (what, text) => {
    expect(await stopped(plain, (session, call) => session.run(sql(text), call))).toMatchObject(
      UNKNOWN,
    );
    expect(await rows(mixed, 'flat', what)).toEqual([{ n: 1 }]);
  });

  test('where one is in the schema that a session has chosen', async () => {
    const lease = await (await plain.open('write')).lease(callOf('write'));
    await lease.run(sql(`USE ${mixed.name}`), callOf('write'));
    const request = sql("INSERT INTO flat VALUES ('chosen', 0), ('later', SLEEP(8))");
    const call = callOf('write', { signal: after(400, REASON) });
    expect(await failureOf(lease.run(request, call))).toMatchObject(UNKNOWN);
    expect(await rows(mixed, 'flat', 'chosen')).toEqual([{ n: 1 }]);
    await lease.close();
  });

  test('where a setting among several statements has committed', async () => {
    const query =
      "SET autocommit = 0; INSERT INTO t VALUES ('set', 0); SET autocommit = 1; SELECT SLEEP(8)";
    const failure = await stopped(plain, (session, call) =>
      session.run({ type: 'simple', query }, call),
    );
    expect(failure).toMatchObject(UNKNOWN);
    expect(await rows(plain, 't', 'set')).toEqual([{ n: 1 }]);
  });

  test('of a procedure with settings of its own', async () => {
    const request = sql("SET STATEMENT max_statement_time = 60 FOR CALL p('settings')");
    expect(await stopped(plain, (session, call) => session.run(request, call))).toMatchObject(
      UNKNOWN,
    );
    expect(await rows(plain, 't', 'settings')).toEqual([{ n: 1 }]);
  });

  test.each(['whole', 'in lines'])('of a procedure that commits, %s', async (how) => {
    const request = sql(`CALL p('${how}')`);
    const ask = (session: MysqlClient, call: Call) =>
      how === 'whole' ? session.run(request, call) : toTheEnd(session.stream(request, call));
    expect(await stopped(plain, ask)).toMatchObject(UNKNOWN);
    expect(await rows(plain, 't', how)).toEqual([{ n: 1 }]);
  });

  test('where somebody else stops it', async () => {
    const session = await mixed.open('write', { connections: 1 });
    const { rows: found } = JSON.parse(
      String(await session.run(sql('SELECT connection_id() AS id'), callOf('read'))),
    ) as { rows: { id: number }[] };
    const request = sql("INSERT INTO flat VALUES ('killed', 0), ('never', SLEEP(8))");
    const failing = failureOf(session.run(request, callOf('write')));
    const running = `SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE INFO LIKE '%flat%killed%' AND STATE = 'User sleep'`;
    await expect.poll(() => mixed.look(running)).toEqual([{ n: 1 }]);
    await mixed.outside.query(`KILL QUERY ${found[0]?.id}`);
    expect(await failing).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: 'The database stopped the request: a part of it may have taken effect',
    });
  });
});

test.each(['INSERT', 'SET STATEMENT max_statement_time = 60 FOR INSERT'])(
  'nothing was changed where all tables have transactions: %s',
  async (inserting) => {
    const request = sql(`${inserting} INTO t VALUES ('undone', 0), ('undone', SLEEP(8))`);
    expect(await stopped(plain, (session, call) => session.run(request, call))).toBe(REASON);
    expect(await rows(plain, 't', 'undone')).toEqual([{ n: 0 }]);
  },
);

test('nothing was changed by a read, whatever the tables', async () => {
  const request = { type: 'query_read_only', query: 'SELECT SLEEP(8)' } as const;
  expect(await stopped(mixed, (session, call) => session.run(request, call))).toBe(REASON);
});

test('nothing was changed where the connection is lost before the statement is prepared', async () => {
  const proxy = await cuttingProxy(plain.url);
  const session = await plain.open('write', { connections: 1 }, proxy.url);
  await session.run(sql('SELECT 1'), callOf('write'));
  proxy.cutAt("CALL p('unsent')", 'before');
  const failure = await failureOf(session.run(sql("CALL p('unsent')"), callOf('write')));
  expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
  expect(await rows(plain, 't', 'unsent')).toEqual([{ n: 0 }]);
  proxy.close();
});
