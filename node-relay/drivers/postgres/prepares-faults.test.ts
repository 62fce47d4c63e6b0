/** What a share comes to when its connection, its server or its user fails it. Spec: transactions.md §2, §3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryArrayConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preparedWarnings } from '../../../kinds/postgres/dialect/prepared.ts';
import { type PostgresServer, startPostgres } from '../../../server/postgres-server.ts';
import { backend } from '../../../test/servers/backends.ts';
import { failureOf } from '../contract.ts';
import { beginning, share, shareName, transactionPrefix } from '../contract-shares.ts';
import { type CuttingProxy, cuttingProxy } from '../test/cutting-proxy.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { type PostgresClient, postgres } from './index.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let proxy: CuttingProxy;
beforeAll(async () => {
  database = await TestDatabase.create(`CREATE TABLE t (name text);
    CREATE TABLE telling (a int);
    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NOTIFY news; RETURN NEW; END';
    CREATE TRIGGER tell BEFORE INSERT ON telling FOR EACH ROW EXECUTE FUNCTION tell();
    CREATE FUNCTION search(text) RETURNS text LANGUAGE sql AS $$ SELECT set_config('search_path', $1, true) $$;`);
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
const prepare = (client: PostgresClient, name: string, ...queries: string[]) =>
  client.prepare(
    beginning(name),
    share([add(name), ...queries.map((query) => sql(query))]),
    callOf('write'),
  );

describe('a connection that is lost', () => {
  test.each([
    ['before PREPARE reaches the server', 'before', false],
    ['after it, before its answer arrives', 'after', true],
  ] as const)('%s leaves what a rollback by name ends', async (_, when, found) => {
    const client = await database.open('write', {}, proxy.url);
    const name = shareName();
    proxy.cutAt('PREPARE TRANSACTION', when);
    expect(await failureOf(prepare(client, name))).toMatchObject({
      code: 'CONNECTION_FAILED',
      message:
        'Unable to connect to database: the connection to the database was lost while it prepared',
    });
    const outcome = await client.rollback(name, '', callOf('write'));
    expect(outcome).toEqual(
      found ? { found, status: 'rolled_back' } : { found, status: 'unknown' },
    );
    expect(await counted(name)).toBe(0);
  });

  test.each([
    ['before', 'rolled_back'],
    ['after', 'committed'],
  ] as const)('%s a commit in one phase leaves what its number tells', async (when, status) => {
    const client = await database.open('write', {}, proxy.url);
    const name = shareName();
    const participant = await client.join(beginning(name), callOf('write'));
    const done = share([add(name)], { recoverable: true });
    const { recovery } = await participant.perform(done, callOf('write'));
    proxy.cutAt('COMMIT', when);
    expect(await failureOf(participant.commit(callOf('write')))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
    await participant.close();
    await expect.poll(() => client.settle(recovery, callOf('write'))).toBe(status);
    expect(await counted(name)).toBe(status === 'committed' ? 1 : 0);
  });

  test('while it commits by name leaves what a repeat tells', async () => {
    const client = await database.open('write', {}, proxy.url);
    const name = shareName();
    const { recovery } = await prepare(client, name);
    proxy.cutAt('COMMIT PREPARED', 'after');
    // It is sent again at once.
    expect(await client.commit(name, recovery, callOf('write'))).toEqual({
      found: false,
      status: 'committed',
    });
    expect(await counted(name)).toBe(1);
  });
});

describe('a share that its server cannot prepare', () => {
  test.each([
    ['temporary tables', 'CREATE TEMP TABLE t2 (a int)', 'operated on temporary objects'],
    [
      'NOTIFY by a trigger',
      'INSERT INTO telling VALUES (1)',
      'executed LISTEN, UNLISTEN, or NOTIFY',
    ],
    ['LISTEN', 'LISTEN news', 'executed LISTEN, UNLISTEN, or NOTIFY'],
    ['a cursor WITH HOLD', 'DECLARE c CURSOR WITH HOLD FOR SELECT 1', 'created a cursor WITH HOLD'],
  ])('after %s is told with the reason', async (_, query, reason) => {
    const client = await database.open('write');
    const name = shareName();
    expect(await failureOf(prepare(client, name, query))).toMatchObject({
      code: 'REQUEST_FAILED',
      message: expect.stringContaining(reason),
      details: [{ source: 'postgres', code: expect.stringMatching(/^(?:0A000|55000)$/) }],
    });
    expect(await counted(name)).toBe(0);
  });

  test('of a deferred constraint is a conflict', async () => {
    await database.outside.query('CREATE TABLE u (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)');
    const client = await database.open('write');
    const name = shareName();
    const twice = 'INSERT INTO u VALUES (1), (1)';
    expect(await failureOf(prepare(client, name, twice))).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
    });
    expect(await counted(name)).toBe(0);
  });
});

describe('reads in a share', () => {
  test('are asked about next to it, so that it can still be prepared', async () => {
    const client = await database.open('write');
    const name = shareName();
    const returning = sql('INSERT INTO t VALUES ($1) RETURNING name', [name]);
    const participant = await client.join(beginning(name), callOf('write'));
    await participant.perform(share([returning]), callOf('write'));
    const look = sql('SELECT count(*)::int AS n FROM t WHERE name = $1', [name]);
    const seen = await participant.perform(
      share([look], { mode: 'read', earlier: [null] }),
      callOf('write'),
    );
    expect((jsonOf(seen.results) as Rows[])[0]?.rows).toEqual([{ n: 1 }]);
    expect(await participant.prepare(callOf('write'))).toMatchObject({ prepared: true });
    await client.rollback(name, '', callOf('write'));
  });

  test('are not taken once names mean something else', async () => {
    const client = await database.open('write');
    const participant = await client.join(beginning(shareName()), callOf('write'));
    await participant.perform(share([sql("SELECT search('elsewhere')")]), callOf('write'));
    const read = share([sql('SELECT 1')], { mode: 'read', earlier: [null] });
    expect(await failureOf(participant.perform(read, callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('search_path'),
    });
    await participant.close();
  });
});

describe('another user', () => {
  const role = `other_${crypto.randomUUID().slice(0, 8)}`;
  afterAll(() => database.outside.query(`DROP ROLE IF EXISTS ${role}`));

  test('may not finish what this one prepared, and is told so', async () => {
    await database.outside.query(`CREATE ROLE ${role} LOGIN PASSWORD 'of another'`);
    const way = new URL(database.url);
    [way.username, way.password] = [role, 'of another'];
    const [owner, other] = [
      await database.open('write'),
      await database.open('write', {}, way.href),
    ];
    const name = shareName();
    const { recovery } = await prepare(owner, name);
    const [listed] = await other.recover(name, callOf('write'));
    expect(listed).toMatchObject({ name, owner: 'postgres' });
    for (const how of ['commit', 'rollback'] as const) {
      expect(await failureOf(other[how](name, recovery, callOf('write')))).toMatchObject({
        code: 'REQUEST_FAILED',
        details: [{ source: 'postgres', code: '42501' }],
      });
    }
    expect(await owner.commit(name, recovery, callOf('write'))).toMatchObject({ found: true });
  });
});

test('a number that the server has not come to is unknown', async () => {
  const client = await database.open('write');
  expect(await client.settle('9000000000000', callOf('write'))).toBe('unknown');
  expect(await client.settle('', callOf('write'))).toBe('unknown');
});

test('a pooler in transaction mode keeps the server from preparing', async () => {
  const way = new URL(database.url);
  way.host = new URL((await backend('postgres-pgbouncer')).url).host;
  const client = await database.open('write', {}, way.href);
  expect(await client.lacks(callOf('write'))).toMatchObject([{ code: 'pooler' }]);
  expect(await failureOf(prepare(client, shareName()))).toMatchObject({ code: 'NOT_SUPPORTED' });
});

test('a prepared transaction is warned of once it is old, with the statement that ends it', async () => {
  const client = await database.open('write');
  const transaction = transactionPrefix();
  const name = shareName(transaction);
  await prepare(client, name);
  const ask = async ({ text, values = [] }: { text: string; values?: readonly unknown[] }) => {
    const query: QueryArrayConfig = { text, values: [...values], rowMode: 'array' };
    return (await database.outside.query<string[]>(query)).rows;
  };
  const warned = async (olderThanS?: number) => await preparedWarnings(ask, olderThanS);
  expect(await warned()).toEqual([]);
  const [warning] = await warned(0);
  expect(warning?.code).toBe('PREPARED_TRANSACTIONS_OLD');
  const [statement = ''] = /ROLLBACK PREPARED '[^']+';/.exec(warning?.message ?? '') ?? [];
  await database.outside.query(statement);
  expect(await warned(0)).toEqual([]);
  expect(await client.recover(transaction, callOf('write'))).toEqual([]);
});

describe('a server without prepared transactions', () => {
  let folder: string;
  let server: PostgresServer;
  let client: PostgresClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-unprepared-'));
    server = await startPostgres({
      folder: join(folder, 'data'),
      password: 'of a server of its own',
      settings: { max_prepared_transactions: 0 },
    });
    client = await openClient(postgres, { connection: { url: server.url }, mode: 'write' });
    await client.run(sql('CREATE TABLE t (name text)'), callOf('write'));
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('says so before anything begins, and commits in one phase all the same', async () => {
    expect(await client.lacks(callOf('write'))).toEqual([
      {
        code: 'prepared_transactions_off',
        message:
          'prepared transactions: max_prepared_transactions is 0 (ALTER SYSTEM SET max_prepared_transactions = 100, then restart the server)',
      },
    ]);
    const name = shareName();
    expect(await failureOf(prepare(client, name))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '55000' }],
    });
    const alone = { ...beginning(name), onePhase: true };
    const participant = await client.join(alone, callOf('write'));
    await participant.perform(share([add(name)]), callOf('write'));
    await participant.commit(callOf('write'));
    await participant.close();
    const rows = jsonOf(await client.run(sql('SELECT name FROM t'), callOf('write')));
    expect((rows as Rows).rows).toEqual([{ name }]);
  });
});
