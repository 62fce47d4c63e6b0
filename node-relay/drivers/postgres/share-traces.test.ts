/** What a share leaves on its connection for the next caller: nothing; a reset is spared where that is known. Contract §6. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginning, share, shareName } from '../contract-shares.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: PostgresClient;
beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE t (name text); CREATE TABLE counted (id serial, name text)',
  );
  client = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

const add = sql("INSERT INTO t VALUES ('x')");
const set = (value: string) => sql(`SELECT set_config('app.told', '${value}', false)`);
async function prepared(...requests: ReturnType<typeof sql>[]): Promise<void> {
  const name = shareName();
  const call = callOf('write');
  const { prepared: isPrepared, recovery } = await client.prepare(
    beginning(name),
    share([add, ...requests]),
    call,
  );
  expect(isPrepared).toBe(true);
  await client.commit(name, recovery, call);
}
async function only(query: string): Promise<unknown> {
  const { rows } = await run(client, sql(query), 'write');
  return Object.values(rows[0] ?? {})[0];
}

test('a share of statements that are known to leave nothing is followed by no reset', async () => {
  await prepared();
  const pid = await only('SELECT pg_backend_pid()');
  const name = shareName();
  await client.prepare(beginning(name), share([add]), callOf('write'));
  // A reset would come now.
  await sleep(100);
  const { rows } = await database.outside.query(
    'SELECT query FROM pg_stat_activity WHERE pid = $1',
    [pid],
  );
  await client.rollback(name, '', callOf('write'));
  expect(rows).toEqual([{ query: expect.stringMatching(/^PREPARE TRANSACTION/) }]);
});

test.each([
  ['alone', [set('left')]],
  ['before a statement that leaves nothing', [set('left'), add]],
  ['after one', [add, set('left')]],
])('a setting of a share is gone for the next caller: %s', async (_, requests) => {
  for (const _round of [1, 2]) {
    await prepared(...requests);
    expect(await only("SELECT coalesce(current_setting('app.told', true), '')")).toBe('');
  }
});

test("the next caller does not see a share's place in a sequence", async () => {
  for (const _round of [1, 2]) {
    await prepared(sql("INSERT INTO counted (name) VALUES ('a')"), add);
    await expect(client.run(sql('SELECT lastval()'), callOf('write'))).rejects.toMatchObject({
      details: [{ code: '55000' }],
    });
  }
});

test('what the driver sets for a share ends with it', async () => {
  await prepared();
  expect(await only("SELECT current_setting('application_name')")).not.toMatch(/^causeway_/);
  expect(await only("SELECT current_setting('idle_in_transaction_session_timeout')")).toBe('0');
});
