/** What a write that was stopped says of its effect: tables of some engines, and procedures, keep what was done. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
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

test('nothing was changed where all tables have transactions', async () => {
  const request = sql("INSERT INTO t VALUES ('undone', 0), ('undone', SLEEP(8))");
  expect(await stopped(plain, (session, call) => session.run(request, call))).toBe(REASON);
  expect(await rows(plain, 't', 'undone')).toEqual([{ n: 0 }]);
});
