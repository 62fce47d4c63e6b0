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

/** Of every sort that the manual's list of commands has; that a thing is not there does not matter. */
const COMMANDS = [
  ...['VACUUM', 'VACUUM kept', 'VACUUM FULL kept', 'ANALYZE kept', 'CLUSTER', 'CLUSTER kept'],
  ...['REINDEX TABLE kept', 'REINDEX TABLE CONCURRENTLY kept', 'REINDEX SCHEMA public'],
  ...['CREATE INDEX CONCURRENTLY i ON kept (name)', 'CREATE INDEX j ON kept (name)'],
  ...['DROP INDEX CONCURRENTLY i', 'DROP INDEX IF EXISTS i', 'DROP TABLE IF EXISTS gone'],
  ...['CREATE DATABASE d', 'DROP DATABASE none', 'ALTER DATABASE none SET TABLESPACE pg_default'],
  ...["CREATE TABLESPACE s LOCATION '/nowhere'", 'DROP TABLESPACE s', 'ALTER SYSTEM RESET ALL'],
  "CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1' PUBLICATION p",
  ...['ALTER SUBSCRIPTION s REFRESH PUBLICATION', 'DROP SUBSCRIPTION IF EXISTS s'],
  ...['ALTER TABLE parent DETACH PARTITION child CONCURRENTLY', 'ALTER TABLE kept ADD a int'],
  ...[
    'ALTER TABLE parent DETACH PARTITION child',
    'TRUNCATE kept',
    'CHECKPOINT',
    'LOCK TABLE kept',
  ],
  ...['CREATE TABLE t (a int)', 'CREATE VIEW v AS SELECT 1', 'REFRESH MATERIALIZED VIEW v'],
  ...[
    "CREATE TYPE mood AS ENUM ('a')",
    'GRANT SELECT ON kept TO public',
    "COMMENT ON TABLE kept IS ''",
  ],
  ...['CREATE EXTENSION none', 'CREATE ROLE r', 'DROP ROLE IF EXISTS r', 'NOTIFY c', 'DISCARD ALL'],
  ...[
    "INSERT INTO kept VALUES ('a')",
    "UPDATE kept SET name = 'b'",
    'DELETE FROM kept',
    'SELECT 1',
  ],
  'WITH gone AS (DELETE FROM kept RETURNING *) SELECT * FROM gone',
];

/** What the server says of it inside of a transaction. */
async function refusalInside(text: string): Promise<unknown> {
  await database.outside.query('BEGIN');
  const code = await database.outside.query(text).then(
    () => undefined,
    (refused: { code?: string }) => refused.code,
  );
  await database.outside.query('ROLLBACK');
  return code;
}

test('what the server takes in no transaction may commit inside', async () => {
  await database.outside.query(`CREATE TABLE parent (a int) PARTITION BY LIST (a);
    CREATE TABLE child PARTITION OF parent FOR VALUES IN (1)`);
  const counts = { refused: 0, taken: 0 };
  for (const text of COMMANDS) {
    const parsed = parseText(text);
    const mayCommit = 'statements' in parsed && parsed.statements[0]?.commitsInside;
    const isRefused = (await refusalInside(text)) === '25001';
    counts[isRefused ? 'refused' : 'taken'] += 1;
    // DISCARD ALL changes nothing that is kept.
    if (isRefused && text !== 'DISCARD ALL') expect([text, mayCommit]).toEqual([text, true]);
  }
  expect(counts.refused).toBeGreaterThan(12);
  expect(counts.taken).toBeGreaterThan(15);
});

test.each([
  "INSERT INTO kept VALUES ('a')",
  'CREATE INDEX i ON kept (name)',
  'ALTER TABLE parent DETACH PARTITION child',
  'DROP TABLE kept',
  'WITH gone AS (DELETE FROM kept RETURNING *) SELECT * FROM gone',
])('%s commits nothing inside', (text) => {
  const parsed = parseText(text);
  expect('statements' in parsed && parsed.statements[0]?.commitsInside).toBe(false);
});
