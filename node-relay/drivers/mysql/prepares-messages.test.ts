/** In how many pieces a share is sent, and what it comes to when a command of one of them fails. Spec: transactions.md §3. */
import mysqlClient from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedBackend, startBackend } from '../../../test/servers/backends.ts';
import { failureOf } from '../contract.ts';
import { describeLost } from '../contract-lost-shares.ts';
import { beginning, share, shareName } from '../contract-shares.ts';
import { type CuttingProxy, cuttingProxy } from '../test/cutting-proxy.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

let server: StartedBackend;
let database: TestDatabase;
let proxy: CuttingProxy;
beforeAll(async () => {
  // Prepared transactions are a whole server's.
  server = await startBackend('mysql');
  const setup = 'CREATE TABLE t (name varchar(200)); CREATE TABLE u (name varchar(200) UNIQUE);';
  database = await TestDatabase.create(setup, server);
  proxy = await cuttingProxy(database.url);
});
afterAll(async () => {
  proxy.close();
  await database.drop();
  await server.stop();
});

const add = (name: string) => sql('INSERT INTO t VALUES (?)', [name]);
async function counted(name: string): Promise<number> {
  return (await database.look(`SELECT 1 FROM t WHERE name = '${name}'`)).length;
}
async function prepared(name: string): Promise<number> {
  const rows = await database.look('XA RECOVER');
  return rows.filter((row) => (row as { data: string }).data === name).length;
}
/** One by the proxy, on whose only connection a share has ended. */
async function warmClient(): Promise<MysqlClient> {
  const client = await database.open('write', { connections: 1 }, proxy.url);
  const name = shareName();
  await client.prepare(beginning(name), share([add(name)]), callOf('write'));
  await client.commit(name, '', callOf('write'));
  // What the share has set is taken back after its commit.
  await client.ping(callOf('write'));
  return client;
}
async function piecesOf(work: () => Promise<unknown>): Promise<number> {
  const before = proxy.pieces;
  await work();
  return proxy.pieces - before;
}

test.each([
  ['a change', 1, 1],
  ['three changes', 3, 3],
])('%s is begun, run and prepared in as few pieces as it can be', async (_, changes, pieces) => {
  const client = await warmClient();
  const name = shareName();
  const requests = Array.from({ length: changes }, () => add(name));
  const prepare = () => client.prepare(beginning(name), share(requests), callOf('write'));
  // What the server tells once of tables.
  for (let again = 0; again < 2; again += 1) {
    await prepare();
    await client.rollback(name, '', callOf('write'));
    await client.ping(callOf('write'));
  }
  const sent = await piecesOf(prepare);
  await client.commit(name, '', callOf('write'));
  expect([sent, await counted(name)]).toEqual([pieces, changes]);
});

describe('in one piece', () => {
  test('a statement that fails leaves nothing prepared', async () => {
    const client = await warmClient();
    const name = shareName();
    const first = sql('INSERT INTO u VALUES (?)', [name]);
    const fails = share([add(name), first, first]);
    expect(await failureOf(client.prepare(beginning(name), fails, callOf('write')))).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
      details: [{ operation: 2 }],
    });
    expect([await prepared(name), await counted(name)]).toEqual([0, 0]);
  });

  test('a statement behind a beginning that fails is not kept', async () => {
    const client = await warmClient();
    const name = shareName();
    const other = await mysqlClient.createConnection({ uri: database.url });
    // A name that is taken cannot begin.
    await other.query(`XA START '${name}'`);
    const refused = client.prepare(beginning(name), share([add(name)]), callOf('write'));
    expect(await failureOf(refused)).toMatchObject({
      code: 'REQUEST_FAILED',
      message: expect.stringContaining('XAER_DUPID'),
    });
    expect(await counted(name)).toBe(0);
    other.destroy();
    await client.run(add(name), callOf('write'));
    expect(await counted(name)).toBe(1);
  });

  test('what a share has set is gone for the next call on its connection', async () => {
    const client = await warmClient();
    const session = sql(
      'SELECT @@autocommit AS auto, @@wait_timeout = @@GLOBAL.wait_timeout AS usual, connection_id() AS id',
    );
    const look = async () => (jsonOf(await client.run(session, callOf('write'))) as Rows).rows[0];
    const before = await look();
    expect(before).toMatchObject({ auto: 1, usual: 1 });
    for (const how of ['commit', 'rollback'] as const) {
      const name = shareName();
      await client.prepare(beginning(name), share([add(name)]), callOf('write'));
      await client[how](name, '', callOf('write'));
      expect(await look()).toEqual(before);
    }
    const onlyReads = share([sql('SELECT 1')]);
    await client.prepare(beginning(shareName()), onlyReads, callOf('write'));
    expect(await look()).toEqual(before);
  });

  describeLost({
    prepares: 'XA PREPARE',
    proxy: () => proxy,
    warmClient,
    add,
    left: async (name) => [await prepared(name), await counted(name)],
  });

  test('a statement that is stopped leaves nothing once it is ended by name', async () => {
    const client = await warmClient();
    const other = await database.open('write');
    const name = shareName();
    await database.outside.query('LOCK TABLES t WRITE');
    const leaving = new AbortController();
    const call = callOf('write', { signal: leaving.signal });
    const stopped = failureOf(client.prepare(beginning(name), share([add(name)]), call));
    const state =
      "SELECT 1 FROM information_schema.processlist WHERE state LIKE 'Waiting for table%'";
    const waiting = await mysqlClient.createConnection({ uri: database.url });
    await expect
      .poll(async () => ((await waiting.query(state))[0] as readonly unknown[]).length)
      .toBe(1);
    leaving.abort(new Error('left'));
    await database.outside.query('UNLOCK TABLES');
    await stopped;
    await other.rollback(name, '', callOf('write'));
    expect([await prepared(name), await counted(name)]).toEqual([0, 0]);
    await waiting.end();
  });
});
