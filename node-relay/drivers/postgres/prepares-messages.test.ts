/** How many messages a share takes, and what it comes to when one of them fails halfway. Spec: transactions.md §3. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { describeLost } from '../contract-lost-shares.ts';
import { beginning, share, shareName } from '../contract-shares.ts';
import { type CuttingProxy, cuttingProxy } from '../test/cutting-proxy.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let proxy: CuttingProxy;
beforeAll(async () => {
  database = await TestDatabase.create(`CREATE TABLE t (name text);
    CREATE TABLE u (a int UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO u VALUES (1);`);
  proxy = await cuttingProxy(database.url);
});
afterAll(async () => {
  proxy.close();
  await database.drop();
});

const add = (name: string) => sql('INSERT INTO t VALUES ($1)', [name]);
async function counted(name: string): Promise<number> {
  const found = await database.outside.query('SELECT FROM t WHERE name = $1', [name]);
  return found.rowCount ?? 0;
}
async function prepared(name: string): Promise<number> {
  const text = 'SELECT FROM pg_prepared_xacts WHERE gid = $1';
  return (await database.outside.query(text, [name])).rowCount ?? 0;
}
/** One by the proxy, on whose only connection a share has ended. */
async function warmClient(): Promise<PostgresClient> {
  const client = await database.open('write', { connections: 1 }, proxy.url);
  const name = shareName();
  const { recovery } = await client.prepare(beginning(name), share([add(name)]), callOf('write'));
  await client.commit(name, recovery, callOf('write'));
  return client;
}
async function piecesOf(work: () => Promise<unknown>): Promise<number> {
  const before = proxy.pieces;
  await work();
  return proxy.pieces - before;
}

test.each([
  ['a change', (name: string) => [add(name)], 1],
  ['three changes', (name: string) => [add(name), add(name), add(name)], 3],
  [
    'a change that answers rows, which may be too large',
    (name: string) => [sql('INSERT INTO t VALUES ($1) RETURNING name', [name])],
    2,
  ],
])('%s is begun, run and prepared in as few messages as it can be', async (_, requests, pieces) => {
  const client = await warmClient();
  const name = shareName();
  const prepare = () => client.prepare(beginning(name), share(requests(name)), callOf('write'));
  // What the server tells once of a statement.
  await prepare();
  await client.commit(name, '', callOf('write'));
  expect(await piecesOf(prepare)).toBe(pieces);
  expect(await piecesOf(() => client.commit(name, '', callOf('write')))).toBe(1);
});

describe('in one message', () => {
  test('a statement that fails leaves nothing prepared, and its connection serves on', async () => {
    const client = await warmClient();
    const name = shareName();
    const fails = share([add(name), sql('INSERT INTO t VALUES ($1::int)', ['1/0'])]);
    expect(await failureOf(client.prepare(beginning(name), fails, callOf('write')))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ operation: 1, code: '22P02' }],
    });
    expect([await prepared(name), await counted(name)]).toEqual([0, 0]);
    await client.run(add(name), callOf('write'));
    expect(await counted(name)).toBe(1);
  });

  test('what fails only when it is prepared is no failure of its operation', async () => {
    const client = await warmClient();
    const name = shareName();
    const fails = share([add(name), sql('INSERT INTO u VALUES (1)')]);
    const failure = await failureOf(client.prepare(beginning(name), fails, callOf('write')));
    expect(failure).toMatchObject({ code: 'CONSTRAINT_VIOLATED', details: [{ code: '23505' }] });
    expect(failure).not.toMatchObject({ details: [{ operation: 1 }] });
    expect([await prepared(name), await counted(name)]).toEqual([0, 0]);
  });

  test('a result without room is refused, and what was prepared is undone', async () => {
    const client = await warmClient();
    const name = shareName();
    const call = callOf('write', { resultMaxBytes: 3 });
    const refused = client.prepare(beginning(name), share([add(name)]), call);
    expect(await failureOf(refused)).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect([await prepared(name), await counted(name)]).toEqual([0, 0]);
  });

  describeLost({
    prepares: 'PREPARE TRANSACTION',
    proxy: () => proxy,
    warmClient,
    add,
    left: async (name) => [await prepared(name), await counted(name)],
  });

  test('a statement that is stopped leaves nothing once it is ended by name', async () => {
    const client = await warmClient();
    const other = await database.open('write');
    const name = shareName();
    await database.outside.query('BEGIN; LOCK TABLE t');
    const leaving = new AbortController();
    const call = callOf('write', { signal: leaving.signal });
    const stopped = failureOf(client.prepare(beginning(name), share([add(name)]), call));
    await expect.poll(async () => (await waiting()).length).toBe(1);
    leaving.abort(new Error('left'));
    await database.outside.query('COMMIT');
    await stopped;
    await other.rollback(name, '', callOf('write'));
    expect([await prepared(name), await counted(name)]).toEqual([0, 0]);
  });
});

async function waiting(): Promise<readonly unknown[]> {
  const text = 'SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
  return (await database.outside.query(text, ['t'])).rows;
}
