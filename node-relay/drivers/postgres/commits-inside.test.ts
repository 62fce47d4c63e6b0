/** What a write that was stopped says of its effect: procedures and DO may have committed a part of it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseText } from '../../../kinds/postgres/dialect/statement.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
import { callOf, toTheEnd } from '../test/host.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE kept (name text);
    CREATE PROCEDURE p (name text) LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO kept VALUES (name); COMMIT; PERFORM pg_sleep(20); END $$`);
});
afterAll(() => database.drop());

const REASON = new GatewayError('TIMED_OUT', 'The deadline passed');
const doing = (name: string) =>
  `DO $$ BEGIN INSERT INTO kept VALUES ('${name}'); COMMIT; PERFORM pg_sleep(20); END $$`;
const isKept = async (name: string) =>
  (await database.outside.query('SELECT 1 FROM kept WHERE name = $1', [name])).rows.length;

test.each(['a DO', 'a procedure', 'a procedure in lines'])(
  'the outcome of %s that has committed and is stopped is unknown',
  async (what) => {
    const session = await database.open('write', { connections: 1 });
    const request = sql(what === 'a DO' ? doing(what) : `CALL p('${what}')`);
    const call = callOf('write', { signal: after(400, REASON) });
    const run = what.endsWith('lines')
      ? toTheEnd(session.stream(request, call))
      : session.run(request, call);
    expect(await failureOf(run)).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: 'The deadline passed after the request was sent: it may have taken effect',
    });
    expect(await isKept(what)).toBe(1);
  },
);

test.each([
  ['pg_cancel_backend', 'The database stopped the request: a part of it may have taken effect'],
  [
    'pg_terminate_backend',
    'The connection was lost after the request was sent: it may have taken effect',
  ],
])('and so it is where %s ends it', async (by, message) => {
  const session = await database.open('write', { connections: 1 });
  const failing = failureOf(session.run(sql(doing(by)), callOf('write')));
  await expect.poll(() => isKept(by)).toBe(1);
  await database.outside.query(
    `SELECT ${by}(pid) FROM pg_stat_activity WHERE query LIKE 'DO %''${by}''%' AND pid <> pg_backend_pid()`,
  );
  expect(await failing).toMatchObject({ code: 'OUTCOME_UNKNOWN', message });
});

test('nothing was changed by a statement that is all or nothing', async () => {
  const session = await database.open('write', { connections: 1 });
  const request = sql("INSERT INTO kept SELECT 'undone' FROM pg_sleep(20)");
  const call = callOf('write', { signal: after(400, REASON) });
  expect(await failureOf(session.run(request, call))).toBe(REASON);
  expect(await isKept('undone')).toBe(0);
});

test.each([
  ['VACUUM kept', true],
  ['CREATE INDEX CONCURRENTLY i ON kept (name)', true],
  ['DROP INDEX CONCURRENTLY i', true],
  ['REINDEX TABLE CONCURRENTLY kept', true],
  ['ALTER TABLE parent DETACH PARTITION child CONCURRENTLY', true],
  ['CREATE DATABASE d', true],
  ['CREATE INDEX i ON kept (name)', false],
  ['ALTER TABLE parent DETACH PARTITION child', false],
  ['DROP TABLE kept', false],
  ['WITH gone AS (DELETE FROM kept RETURNING *) SELECT * FROM gone', false],
])('%s may commit inside: %s', (text, expected) => {
  const parsed = parseText(text);
  expect('statements' in parsed && parsed.statements.map((each) => each.commitsInside)).toEqual([
    expected,
  ]);
});
