/** What a share leaves on its connection for the next caller: nothing; a reset is spared where that is known. Contract §6. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginning, share, shareName } from '../contract-shares.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE t (name varchar(200)); CREATE TABLE counted (id int AUTO_INCREMENT PRIMARY KEY, name text)',
  );
  client = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

const ADD = "INSERT INTO t VALUES ('x')";
/** Prepares and commits a share; answers its name. */
async function committed(...queries: string[]): Promise<string> {
  const name = shareName();
  const call = callOf('write');
  const operations = share([ADD, ...queries].map((query) => sql(query)));
  const done = await client.prepare(beginning(name), operations, call);
  expect(done.prepared).toBe(true);
  expect(await client.commit(name, '', call)).toEqual({ found: true, status: 'committed' });
  return name;
}
async function only(query: string): Promise<unknown> {
  const { rows } = jsonOf(await client.run(sql(query), callOf('write'))) as Rows;
  return Object.values(rows[0] ?? {})[0];
}
const resets = () =>
  only(
    "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'COM_XA_COMMIT'",
  );

test('a share of statements that are known to leave nothing is followed by no reset', async () => {
  await committed();
  const before = await resets();
  await committed();
  // A reset makes the counters of the session new.
  expect(Number(await resets())).toBe(Number(before) + 1);
});

test('what the driver sets for a share is taken back', async () => {
  const timeout = await only('SELECT @@GLOBAL.wait_timeout');
  const thread = await only('SELECT CONNECTION_ID()');
  for (const _round of [1, 2]) {
    const name = await committed();
    expect(await only('SELECT @@SESSION.wait_timeout')).toEqual(timeout);
    expect(await only(`SELECT IS_FREE_LOCK('${name}')`)).toEqual(1);
  }
  expect(await only('SELECT CONNECTION_ID()')).toEqual(thread);
});

test.each([
  ['a variable', "SET @told = 'left'"],
  ['a setting', "SET SESSION sql_mode = 'ANSI'"],
  ['a lock', "SELECT GET_LOCK('mine', 0)"],
])('%s of a share is gone for the next caller', async (_, query) => {
  for (const _round of [1, 2]) {
    await committed(query, ADD);
    expect(await only('SELECT @told')).toBeNull();
    expect(await only('SELECT @@SESSION.sql_mode')).not.toMatch(/ANSI/);
    expect(await only("SELECT IS_FREE_LOCK('mine')")).toEqual(1);
  }
});

test.each([
  ['of a share before it', () => committed("INSERT INTO counted (name) VALUES ('a')")],
  [
    'of a write before it',
    () => client.run(sql("INSERT INTO counted (name) VALUES ('a')"), callOf('write')),
  ],
])('a share does not see the last id %s', async (_, add) => {
  await add();
  const name = shareName();
  const call = callOf('write');
  const done = await client.prepare(
    beginning(name),
    share([sql('SELECT LAST_INSERT_ID() AS id'), sql(ADD)]),
    call,
  );
  await client.rollback(name, '', call);
  expect((jsonOf(done.results) as Rows[])[0]?.rows).toEqual([{ id: 0 }]);
});
