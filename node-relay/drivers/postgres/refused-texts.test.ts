/** What callers are told of texts that the guard's parser refuses is what the server itself answers. */
import { DatabaseError } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
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
