/** What callers are told of texts that the guard's parser refuses is what the server itself answers. */
import { DatabaseError } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: PostgresClient;
beforeAll(async () => {
  database = await TestDatabase.create();
  read = await database.open('read');
});
afterAll(() => database.drop());

test.each([
  String.raw`SELECT U&'\00zz'`,
  String.raw`SELECT U&'\d800'`,
  String.raw`SELECT U&'\0000'`,
  String.raw`SELECT U&'\+110000'`,
  String.raw`SELECT U&"x\00zz"`,
  "SELECT U&'x' UESCAPE '+'",
  String.raw`SELECT E'\u00'`,
  String.raw`SELECT E'é\ud800'`,
  String.raw`SELECT E'\u0000'`,
  String.raw`SELECT E'\U00110000'`,
  String.raw`SELECT E'\xff'`,
  String.raw`SELECT E'\0'`,
  'SELEC 1',
  'SELECT $$a',
  "SELECT 'a",
  'SELECT 1e',
  'SELECT ""',
  'SELECT /* a',
  'SELECT 1 LIMIT 1, 2',
  'SELECT 1::float(0)',
  'SELECT 1::float(60)',
  'SELECT sum(1) OVER (ROWS UNBOUNDED FOLLOWING)',
  'SELECT sum(1) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING)',
  'SELECT $99999999999',
  'SELECT JSON_OBJECT(RETURNING text FORMAT JSON ENCODING UTF9)',
  'CREATE ASSERTION a CHECK (true)',
  'CREATE TABLE t (a int, CHECK (true) DEFERRABLE)',
  'CREATE ROLE "none"',
  "ALTER ROLE a UNENCRYPTED PASSWORD 'x'",
])('%s', async (query) => {
  const told = await failureOf(read.run(sql(query), callOf('read')));
  const { code, message, position } = await database.outside.query(query).then(
    () => ({ code: undefined, message: undefined, position: undefined }),
    (error: unknown) => {
      if (error instanceof DatabaseError) return error;
      throw error;
    },
  );
  expect(told).toMatchObject({ code: 'REQUEST_FAILED' });
  expect((told as { details?: unknown }).details).toEqual([
    {
      source: 'postgres',
      code,
      message,
      ...(position === undefined ? {} : { position: Number(position) }),
    },
  ]);
});

/** More comments in each other than the parser takes; the server takes them. */
const UNREADABLE = '/*'.repeat(300) + '*/'.repeat(300);

test.each([
  'COMMIT AND CHAIN',
  'COMMIT',
  ';ROLLBACK',
  "-- a\nPREPARE TRANSACTION 'evil'",
  "COMMIT PREPARED 'evil'",
  "ROLLBACK PREPARED 'evil'",
])('what cannot be read and begins as %j is not sent', async (statement) => {
  const write = await database.open('write', { connections: 1 });
  const query = `${UNREADABLE}${statement}`;
  const refusal = { code: 'REQUEST_FAILED', details: [{ source: 'postgres' }] };
  expect(await failureOf(write.run(sql(query), callOf('write')))).toMatchObject(refusal);
  await database.outside.query('CREATE TABLE IF NOT EXISTS kept (a int)');
  const operations = [sql('INSERT INTO kept VALUES (1)'), sql(query), sql('SELECT nothing')];
  expect(await failureOf(write.transact(operations, callOf('write')))).toMatchObject({
    code: 'REQUEST_FAILED',
    details: [{ source: 'postgres', operation: 1 }],
  });
  expect((await database.outside.query('SELECT FROM kept')).rowCount).toBe(0);
});

test('what cannot be read and begins otherwise runs, on a connection that nobody gets after it', async () => {
  const write = await database.open('write', { connections: 1 });
  const process = 'SELECT pg_backend_pid() AS process';
  const of = async (query: string) => jsonOf(await write.run(sql(query), callOf('write')));
  const first = await of(process);
  expect(await of(process)).toEqual(first);
  expect(await of(UNREADABLE + process)).toEqual(first);
  expect(await of(process)).not.toEqual(first);
});

test('a transaction does not begin by a text that is too long to be read', async () => {
  const write = await database.open('write', { connections: 1 });
  const begin = sql(`BEGIN ${' '.repeat(270_000)}`);
  expect(await failureOf(write.run(begin, callOf('write')))).toMatchObject({
    code: 'REQUEST_FAILED',
    message: 'the statement is too long to be checked',
  });
  const idle = sql('SELECT pg_current_xact_id_if_assigned() IS NULL AS idle');
  expect(jsonOf(await write.run(idle, callOf('write')))).toMatchObject({ rows: [{ idle: true }] });
});
