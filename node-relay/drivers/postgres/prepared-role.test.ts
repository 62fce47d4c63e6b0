/** Shares in which a statement takes another role: they are prepared as that role's, and end all the same. Spec: transactions.md §3. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginning, share, shareName } from '../contract-shares.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const id = randomUUID().replaceAll('-', '');
const [login, other] = [`app_${id}`, `other_${id}`];
let database: TestDatabase;
let client: PostgresClient;
beforeAll(async () => {
  database = await TestDatabase.create(`CREATE TABLE t (name text);
    CREATE ROLE ${other}; CREATE ROLE ${login} LOGIN PASSWORD 'secret' IN ROLE ${other};
    GRANT ALL ON t TO ${other}, ${login};
    CREATE FUNCTION takes() RETURNS text LANGUAGE sql AS $$SELECT set_config('role', '${other}', false)$$;`);
  const url = new URL(database.url);
  [url.username, url.password] = [login, 'secret'];
  client = await database.open('write', { connections: 1 }, url.href);
});
afterAll(async () => {
  await client.close();
  await database.outside.query(`DROP OWNED BY ${login}, ${other}; DROP ROLE ${login}, ${other}`);
  await database.drop();
});

const roleOf = async (name: string) => {
  const text = 'SELECT owner FROM pg_prepared_xacts WHERE gid = $1';
  return (await database.outside.query(text, [name])).rows.map(({ owner }) => owner);
};
const named = async (name: string) =>
  (await database.outside.query('SELECT name FROM t WHERE name = $1', [name])).rowCount;

test.each([
  `SET ROLE ${other}`,
  `SET LOCAL ROLE ${other}`,
  `SELECT set_config('role', '${other}', false)`,
  `DO $$BEGIN SET ROLE ${other}; END$$`,
  'SELECT takes()',
])('%s', async (takes) => {
  const call = callOf('write');
  for (const [how, rows] of [
    ['commit', 1],
    ['rollback', 0],
  ] as const) {
    const name = shareName();
    const operations = share([sql(takes), sql('INSERT INTO t VALUES ($1)', [name])]);
    const { recovery } = await client.prepare(beginning(name), operations, call);
    expect(await roleOf(name)).toEqual([other]);
    expect(await client[how](name, recovery, call)).toMatchObject({ found: true });
    expect([await roleOf(name), await named(name)]).toEqual([[], rows]);
  }
  const { rows } = await run(client, sql('SELECT current_user AS name'), 'write');
  expect(rows).toEqual([{ name: login }]);
});
