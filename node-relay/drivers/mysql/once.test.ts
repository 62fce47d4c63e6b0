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
