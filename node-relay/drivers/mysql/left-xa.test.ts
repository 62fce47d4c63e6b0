/** A connection on which a program has left an XA transaction serves no other caller. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, toTheEnd } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE t (v varchar(100));
    CREATE TABLE flat (v int) ENGINE = MEMORY;
    CREATE PROCEDURE xa(name varchar(50), steps int, fails int) BEGIN
      EXECUTE IMMEDIATE CONCAT('XA START ''', name, '''');
      INSERT INTO t VALUES (name);
      IF steps > 1 THEN EXECUTE IMMEDIATE CONCAT('XA END ''', name, ''''); END IF;
      IF steps > 2 THEN EXECUTE IMMEDIATE CONCAT('XA PREPARE ''', name, ''''); END IF;
      IF fails THEN SIGNAL SQLSTATE '45000'; END IF;
    END`);
  client = await database.open('write', { connections: 1 });
});
afterAll(async () => {
  const [rows] = await database.outside.query('XA RECOVER');
  for (const { data } of rows as { data: Buffer }[]) {
    if (String(data).startsWith('left')) await database.outside.query(`XA ROLLBACK '${data}'`);
  }
  await database.drop();
});

let last = 0;
const name = () => `left${database.name}${++last}`;
const thread = async () =>
  (await run(client, sql('SELECT CONNECTION_ID() AS id'), 'write')).rows[0];

const program = (xid: string) => `BEGIN NOT ATOMIC
  EXECUTE IMMEDIATE 'XA START ''${xid}'''; INSERT INTO t VALUES ('p');
  EXECUTE IMMEDIATE 'XA END ''${xid}'''; EXECUTE IMMEDIATE 'XA PREPARE ''${xid}'''; END`;

const WAYS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a program', () => client.run(sql(program(name())), callOf('write'))],
  ...[1, 2, 3].flatMap((steps) =>
    [0, 1].map(
      (fails) =>
        [
          `a procedure in ${steps} steps ${fails ? 'that fails' : ''}`,
          () => client.run(sql(`CALL xa('${name()}', ${steps}, ${fails})`), callOf('write')),
        ] as const,
    ),
  ),
  ['a stream', () => toTheEnd(client.stream(sql(`CALL xa('${name()}', 3, 1)`), callOf('write')))],
];

describe('left by', () => {
  test.each(WAYS)('%s', async (_, leave) => {
    const before = await thread();
    await leave().catch(() => {});
    for (const _round of [1, 2]) {
      await client.run(sql("INSERT INTO t VALUES ('next')"), callOf('write'));
      await client.transact([sql("INSERT INTO t VALUES ('next')")], callOf('write'));
    }
    expect(await thread()).not.toEqual(before);
  });
});

test('where none is left the connection serves on, after failures too', async () => {
  const before = await thread();
  await client.run(sql('CALL xa_none()'), callOf('write')).catch(() => {});
  await client.run(sql('INSERT INTO missing VALUES (1)'), callOf('write')).catch(() => {});
  expect(await thread()).toEqual(before);
});

test('what a failed procedure left open is undone', async () => {
  await database.outside.query(
    "CREATE PROCEDURE opens() BEGIN START TRANSACTION; INSERT INTO t VALUES ('open'); SIGNAL SQLSTATE '45000'; END",
  );
  await failureOf(client.run(sql('CALL opens()'), callOf('write')));
  await client.run(sql("INSERT INTO t VALUES ('behind')"), callOf('write'));
  expect(await database.look("SELECT v FROM t WHERE v IN ('open', 'behind')")).toEqual([
    { v: 'behind' },
  ]);
});
