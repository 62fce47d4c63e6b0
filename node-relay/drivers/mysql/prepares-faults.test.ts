/** What a share comes to when its connection, its server or its user fails it. Spec: transactions.md §2, §3. */
import mysqlClient from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsOf } from '../../../kinds/mysql/dialect/settings.ts';
import { type StartedBackend, startBackend } from '../../../test/servers/backends.ts';
import { failureOf } from '../contract.ts';
import { beginning, share, shareName, transactionPrefix } from '../contract-shares.ts';
import { type CuttingProxy, cuttingProxy } from '../test/cutting-proxy.ts';
import { callOf, jsonOf, testHost } from '../test/host.ts';
import { connect } from './connection.ts';
import type { MysqlClient } from './index.ts';
import { lackOfVersion } from './lacks.ts';
import { type Rows, sql, TestDatabase } from './test/database.ts';
import { preparedWarnings } from './warnings.ts';

let server: StartedBackend;
let database: TestDatabase;
let proxy: CuttingProxy;
beforeAll(async () => {
  // Levels and prepared transactions are a whole server's.
  server = await startBackend('mysql');
  database = await TestDatabase.create(
    `CREATE TABLE t (name varchar(200));
     CREATE TABLE plain (a int) ENGINE = MyISAM;
     CREATE TABLE telling (a int);
     CREATE TRIGGER tell BEFORE INSERT ON telling FOR EACH ROW INSERT INTO plain VALUES (1);
     CREATE VIEW seen AS SELECT a FROM plain;
     CREATE PROCEDURE adds() INSERT INTO plain VALUES (1);`,
    server,
  );
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
const prepare = (client: MysqlClient, name: string, ...queries: string[]) =>
  client.prepare(
    beginning(name),
    share([add(name), ...queries.map((query) => sql(query))]),
    callOf('write'),
  );

describe('a connection that is lost', () => {
  test.each([
    ['before XA PREPARE reaches the server', 'before', false],
    ['after it, before its answer arrives', 'after', true],
  ] as const)('%s leaves what a rollback by name ends', async (_, when, found) => {
    const client = await database.open('write', {}, proxy.url);
    const name = shareName();
    proxy.cutAt('XA PREPARE', when);
    expect(await failureOf(prepare(client, name))).toMatchObject({ code: 'CONNECTION_FAILED' });
    const outcome = await client.rollback(name, '', callOf('write'));
    expect(outcome).toEqual(
      found ? { found, status: 'rolled_back' } : { found, status: 'unknown' },
    );
    expect(await counted(name)).toBe(0);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('%s a commit in one phase leaves its outcome unknown', async (when, entries) => {
    const client = await database.open('write', {}, proxy.url);
    const name = shareName();
    const participant = await client.join(beginning(name), callOf('write'));
    const done = share([add(name)], { recoverable: true });
    const { recovery } = await participant.perform(done, callOf('write'));
    proxy.cutAt('ONE PHASE', when);
    expect(await failureOf(participant.commit(callOf('write')))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
    await participant.close();
    await expect.poll(() => client.settle(recovery, callOf('write'))).toBe('unknown');
    expect(await counted(name)).toBe(entries);
  });
});

describe('a connection that prepared and does not end', () => {
  async function attached(name: string, shows: boolean): Promise<mysqlClient.Connection> {
    const other = await mysqlClient.createConnection({ uri: database.url });
    if (shows) await other.query(`SELECT GET_LOCK('${name}', 0)`);
    await other.query(`XA START '${name}'`);
    await other.query(`INSERT INTO t VALUES ('${name}')`);
    await other.query(`XA END '${name}'`);
    await other.query(`XA PREPARE '${name}'`);
    other.on('error', () => {});
    return other;
  }

  test('is ended by a commit, where it shows what it works on', async () => {
    const name = shareName();
    const other = await attached(name, true);
    const client = await database.open('write');
    expect(await client.commit(name, '', callOf('write'))).toEqual({
      found: true,
      status: 'committed',
    });
    expect(await counted(name)).toBe(1);
    other.destroy();
  });

  test('is no reason to take a commit for done, where it does not', async () => {
    const name = shareName();
    const other = await attached(name, false);
    const client = await database.open('write');
    expect(await failureOf(client.commit(name, '', callOf('write')))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await counted(name)).toBe(0);
    await other.end();
    expect(await client.commit(name, '', callOf('write'))).toMatchObject({ found: true });
    expect(await counted(name)).toBe(1);
  });
});

describe('a table whose engine has no transactions', () => {
  test.each([
    ['by itself', 'INSERT INTO plain VALUES (1)'],
    ['by a trigger', 'INSERT INTO telling VALUES (1)'],
    ['by a view', 'UPDATE seen SET a = 2'],
    ['by a procedure', 'CALL adds()'],
  ])('is found %s before anything is changed there', async (_, query) => {
    const client = await database.open('write');
    const name = shareName();
    const { name: schema } = database;
    expect(await failureOf(prepare(client, name, query))).toMatchObject({
      code: 'BAD_REQUEST',
      message: `Table ${schema}.plain has the engine MyISAM, which has no transactions: what is changed there cannot be prepared or undone`,
      details: [{ rule: 'lacks', lack: 'engine', operation: 1 }],
    });
    expect([await counted(name), await database.look('SELECT * FROM plain')]).toEqual([0, []]);
  });

  test('is found behind a trigger of another schema, that names it without', async () => {
    const there = await TestDatabase.create(
      `CREATE TABLE apart (a int) ENGINE = MyISAM;
      CREATE TABLE noted (a int);
      CREATE TRIGGER note AFTER INSERT ON noted FOR EACH ROW INSERT INTO apart VALUES (NEW.a)`,
      server,
    );
    const client = await database.open('write');
    const asked = prepare(client, shareName(), `INSERT INTO ${there.name}.noted VALUES (1)`);
    expect(await failureOf(asked)).toMatchObject({ details: [{ rule: 'lacks', lack: 'engine' }] });
    expect(await there.look('SELECT * FROM apart')).toEqual([]);
    await there.drop();
  });

  test('may be read', async () => {
    const client = await database.open('write');
    const name = shareName();
    const prepared = await prepare(client, name, 'SELECT * FROM plain');
    expect(prepared.prepared).toBe(true);
    await client.rollback(name, '', callOf('write'));
  });
});

test('what is prepared commits on its own connection, and the next call that waits has it', async () => {
  const client = await database.open('write', { connections: 1 });
  const name = shareName();
  const which = sql('SELECT connection_id() AS id');
  const slow = share([add(name), sql('SELECT sleep(0.1)'), which]);
  const preparing = client.prepare(beginning(name), slow, callOf('write'));
  const waiting = client.run(which, callOf('write'));
  const { results, recovery } = await preparing;
  expect(await client.commit(name, recovery, callOf('write'))).toMatchObject({ found: true });
  const own = (jsonOf(results) as Rows[])[2]?.rows[0]?.id;
  expect((jsonOf(await waiting) as Rows).rows).toEqual([{ id: own }]);
  expect(await counted(name)).toBe(1);
});

test('a share that began for one phase is not prepared, and undone', async () => {
  const client = await database.open('write');
  const name = shareName();
  const participant = await client.join({ ...beginning(name), onePhase: true }, callOf('write'));
  await participant.perform(share([add(name)]), callOf('write'));
  expect(await failureOf(participant.prepare(callOf('write')))).toMatchObject({
    code: 'BAD_REQUEST',
  });
  await participant.close();
  expect(await counted(name)).toBe(0);
});

test('without a level a share sees nothing that is not committed, whatever the server begins with', async () => {
  const [row] = await database.look('SELECT @@GLOBAL.tx_isolation AS level');
  await database.outside.query("SET GLOBAL tx_isolation = 'READ-UNCOMMITTED'");
  try {
    const client = await database.open('write');
    const name = shareName();
    await database.outside.query('START TRANSACTION');
    await database.outside.query(`INSERT INTO t VALUES ('${name}')`);
    const participant = await client.join(beginning(shareName()), callOf('write'));
    const look = sql('SELECT count(*) AS n FROM t WHERE name = ?', [name]);
    const { results } = await participant.perform(share([look]), callOf('write'));
    await participant.close();
    expect((jsonOf(results) as Rows[])[0]?.rows).toEqual([{ n: 0 }]);
  } finally {
    await database.outside.query('ROLLBACK');
    await database.outside.query(`SET GLOBAL tx_isolation = '${(row as { level: string }).level}'`);
  }
});

test('a user without PROCESS prepares, and is not shown who waits', async () => {
  const { outside, name: schema } = database;
  await outside.query("CREATE USER 'poor'@'127.0.0.1' IDENTIFIED BY 'of a poor one'");
  await outside.query(`GRANT SELECT, INSERT ON ${schema}.* TO 'poor'@'127.0.0.1'`);
  const way = new URL(database.url);
  [way.username, way.password] = ['poor', 'of a poor one'];
  const client = await database.open('write', {}, way.href);
  expect(await client.lacks(callOf('write'))).toEqual([]);
  const name = shareName();
  await prepare(client, name);
  expect(await client.waits(transactionPrefix(), callOf('write'))).toEqual({
    shown: false,
    waits: [],
  });
  expect(await client.warnings(callOf('write'))).toEqual([]);
  expect(await client.commit(name, '', callOf('write'))).toMatchObject({ found: true });
});

test('a prepared transaction is warned of once it is old, with the statement that ends it', async () => {
  const client = await database.open('write');
  await prepare(client, shareName());
  // Its connection ends with the pool.
  await client.close();
  const recipe = { host: testHost(), settings: settingsOf({ url: database.url }), route: {} };
  const connection = await connect({ ...recipe, mode: 'write' }, callOf('write').signal);
  const warned = async () => (await preparedWarnings(connection, -1)).map(({ code }) => code);
  await expect.poll(warned).toEqual(['PREPARED_TRANSACTIONS_OLD']);
  expect(await preparedWarnings(connection)).toEqual([]);
  const [warning] = await preparedWarnings(connection, -1);
  const [statement = ''] = /XA ROLLBACK '[^']+';/.exec(warning?.message ?? '') ?? [];
  await database.outside.query(statement);
  await expect.poll(warned).toEqual([]);
  await connection.close();
});

test.each([
  ['10.11.19-MariaDB-0+deb12u1', true],
  ['10.5.0-MariaDB', true],
  ['10.4.34-MariaDB', false],
  ['11.4.2-MariaDB-log', true],
  ['5.5.5-10.4.34-MariaDB', false],
  ['5.5.5-10.6.1-MariaDB', true],
  ['8.0.36', true],
  ['8.4.0-commercial', true],
  ['5.7.7', true],
  ['5.7.6', false],
  ['5.6.51-log', false],
])('version %s keeps prepared transactions: %s', (version, keeps) => {
  expect(lackOfVersion(version) === undefined).toBe(keeps);
});
