/** Writes that MariaDB keeps once: what is lost where, and what commits by itself. Spec: transactions.md §7. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OnceMark } from '../../../proto/once.ts';
import { failureOf } from '../contract.ts';
import { digestOf } from '../contract-once.ts';
import { type CuttingProxy, cuttingProxy } from '../test/cutting-proxy.ts';
import { callOf, jsonOf, openClient } from '../test/host.ts';
import { type MysqlClient, mysql } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let proxy: CuttingProxy;
let client: MysqlClient;

beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE orders (name text)');
  proxy = await cuttingProxy(database.url);
  client = await openClient(mysql, { connection: { url: proxy.url }, mode: 'write' });
});
afterAll(async () => {
  await client.close();
  proxy.close();
  await database.drop();
});

let last = 0;

function mark(): OnceMark {
  last += 1;
  const [key, body, secret] = [
    digestOf(`key ${last}`),
    digestOf('body'),
    digestOf(`secret ${last}`),
  ];
  return { key, body, place: 'causeway_once', secret };
}

function add(name: string) {
  return { request: sql('INSERT INTO orders VALUES (?)', [name]) };
}

describe('a connection that is lost', () => {
  test.each([
    { at: 'START TRANSACTION', when: 'before' },
    { at: 'START TRANSACTION', when: 'after' },
    { at: 'INSERT INTO orders', when: 'before' },
    { at: 'INSERT INTO orders', when: 'after' },
    { at: 'COMMIT', when: 'before' },
    { at: 'COMMIT', when: 'after' },
  ] as const)('$when the server has $at leaves nothing in doubt', async ({ at, when }) => {
    const name = `${at} ${when}`;
    await client.once(add('opens'), mark(), callOf('write'));
    proxy.cutAt(at, when);
    const own = mark();
    const { result } = await client.once(add(name), own, callOf('write'));
    const again = await client.once(add(name), own, callOf('write'));
    expect([jsonOf(again.result), again.isReplay]).toEqual([jsonOf(result), true]);
    const found = await database.look(`SELECT name FROM orders WHERE name = '${name}'`);
    expect(found).toHaveLength(1);
  });
});

test.each([
  'CREATE TABLE other (a int)',
  'TRUNCATE TABLE orders',
  'SET STATEMENT max_statement_time = 60 FOR CREATE TABLE other (a int)',
])('a statement that commits by itself has no key: %s', async (query) => {
  const request = sql(query, [], { type: 'execute' });
  expect(await failureOf(client.once({ request }, mark(), callOf('write')))).toMatchObject({
    code: 'BAD_REQUEST',
  });
});

test('what a table without transactions would keep has no key', async () => {
  await database.outside.query(`CREATE TABLE flat (name text) ENGINE = MyISAM;
    CREATE TRIGGER noting AFTER DELETE ON orders FOR EACH ROW INSERT INTO flat VALUES (OLD.name)`);
  for (const request of [sql("INSERT INTO flat VALUES ('a')"), sql('DELETE FROM orders')]) {
    for (const work of [{ request }, { operations: [request] }]) {
      expect(await failureOf(client.once(work, mark(), callOf('write')))).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/flat has the engine MyISAM.*without the key/),
      });
    }
  }
  await client.once({ request: sql('SELECT * FROM flat') }, mark(), callOf('write'));
  expect(await database.look('SELECT * FROM flat')).toEqual([]);
  await database.outside.query('DROP TRIGGER noting');
});

test('a mark that is older than 7 days stands no more', async () => {
  const own = mark();
  await client.once(add('aged'), own, callOf('write'));
  const age = (days: number) =>
    database.outside.query(`UPDATE causeway_once SET made_at = made_at - INTERVAL ${days} DAY`);
  await age(6);
  expect(await client.once(add('aged'), own, callOf('write'))).toMatchObject({ isReplay: true });
  await age(2);
  expect(await client.once(add('aged'), own, callOf('write'))).toMatchObject({ isReplay: false });
});

describe('a table that cannot keep marks', () => {
  const COLUMNS =
    'id CHAR(64) PRIMARY KEY, body CHAR(64) NOT NULL, reply VARBINARY(500), made_at DATETIME(6) NOT NULL';
  const table = (columns = COLUMNS, engine = 'InnoDB') =>
    `CREATE TABLE # (${columns}) ENGINE = ${engine}`;

  test.each([
    { what: 'MyISAM', making: table(COLUMNS, 'MyISAM'), why: 'the engine MyISAM' },
    { what: 'Aria', making: table(COLUMNS, 'Aria'), why: 'the engine Aria' },
    { what: 'MEMORY', making: table(COLUMNS, 'MEMORY'), why: 'the engine MEMORY' },
    { what: 'no key', making: table(COLUMNS.replace(' PRIMARY KEY', '')), why: 'no primary key' },
    {
      what: 'a key of two',
      making: table(`${COLUMNS.replace(' PRIMARY KEY', '')}, PRIMARY KEY (id, body)`),
      why: 'no primary key',
    },
    {
      what: 'no reply',
      making: table(COLUMNS.replace('reply VARBINARY(500), ', '')),
      why: 'reply',
    },
    { what: 'other columns', making: table('x int'), why: 'id' },
    { what: 'a view', making: 'CREATE VIEW # AS SELECT * FROM causeway_once', why: 'no table' },
    { what: 'a view of nothing', making: 'CREATE VIEW # AS SELECT 1 AS id', why: 'body' },
    { what: 'short ids', making: table(COLUMNS.replace('64', '10')), why: 'too long' },
  ])('is refused with the statement that makes it: $what', async ({ what, making, why }) => {
    await client.once(add('opens'), mark(), callOf('write'));
    const place = `${database.name}.unfit_${last}`;
    await database.outside.query(making.replace('#', place));
    expect(
      await failureOf(client.once(add(what), { ...mark(), place }, callOf('write'))),
    ).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(
        `config.once needs table .*${why}.*Make it with: CREATE TABLE`,
      ),
    });
    expect(await database.look(`SELECT name FROM orders WHERE name = '${what}'`)).toEqual([]);
  });

  test('which was one before is refused by the reply that it cannot keep', async () => {
    const place = 'short_replies';
    await database.outside.query(
      `CREATE TABLE ${place} (${COLUMNS.replace('VARBINARY(500)', 'VARBINARY(5)')})`,
    );
    expect(
      await failureOf(client.once(add('reply'), { ...mark(), place }, callOf('write'))),
    ).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching('Make it with'),
    });
    expect(await database.look("SELECT name FROM orders WHERE name = 'reply'")).toEqual([]);
  });
});

test('a table that was removed meanwhile is made again', async () => {
  await client.once(add('first'), mark(), callOf('write'));
  await database.outside.query('DROP TABLE causeway_once');
  const own = mark();
  expect(await client.once(add('anew'), own, callOf('write'))).toMatchObject({ isReplay: false });
  expect(await client.once(add('anew'), own, callOf('write'))).toMatchObject({ isReplay: true });
  expect(await database.look("SELECT name FROM orders WHERE name = 'anew'")).toHaveLength(1);
});
