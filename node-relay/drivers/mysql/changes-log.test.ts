/** The binary log of a MariaDB server as readers of changes meet it: busy, with prepared transactions, with events of any size, with tables that go, and purged. */
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WatchedCollection } from '../../../proto/changes.ts';
import { type StartedBackend, startBackend } from '../../../test/servers/backends.ts';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import type { MysqlClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let server: StartedBackend;
let database: TestDatabase;
let client: MysqlClient;
beforeAll(async () => {
  // Of its own: another reader of a log would be sent its large events, too.
  server = await startBackend('mysql');
  database = await TestDatabase.create('', server);
  client = await database.open('write', { connections: 8 });
});
afterAll(async () => {
  await database.drop();
  await server.stop();
});

const reader = () => ({ client, slot: `causeway_${database.name}` });
const watching = (collections: WatchedCollection[]) => Reading.standing(reader(), collections);
const say = (text: string) => database.outside.query(text);

test('prepareChanges answers while the log moves on all the time', async () => {
  await say('CREATE TABLE busy (id int PRIMARY KEY, n int); INSERT INTO busy VALUES (1, 0)');
  const writing = new AbortController();
  const writes = (async () => {
    while (!writing.signal.aborted) await say('UPDATE busy SET n = n + 1');
  })();
  const asked = { slot: reader().slot, collections: all('busy') };
  const call = callOf('write', { signal: AbortSignal.timeout(10_000) });
  const { position } = await client.prepareChanges(asked, call);
  writing.abort();
  await writes;
  expect(position).toMatch(/^\d+ \S+ \d+$/);
});

describe('XA transactions', () => {
  /** Prepares on a connection of its own, which is of no more use until that has ended. */
  const xa = async (xid: string, statement: string) => {
    const own = await createConnection({ uri: database.url, multipleStatements: true });
    await own.query(`XA START '${xid}'; ${statement}; XA END '${xid}'; XA PREPARE '${xid}'`);
    await own.end();
  };

  test('are told when they are committed, and never when they are undone', async () => {
    await say('CREATE TABLE twice (id int PRIMARY KEY) ENGINE InnoDB');
    const reading = await watching(all('twice'));
    await xa(`${database.name}-a`, 'INSERT INTO twice VALUES (1), (2)');
    await client.run(sql('INSERT INTO twice VALUES (3)'), callOf('write'));
    expect((await reading.changes(1)).map(({ key }) => key)).toEqual([{ id: 3 }]);
    await say(`XA ROLLBACK '${database.name}-a'`);
    await xa(`${database.name}-b`, 'INSERT INTO twice VALUES (4), (5)');
    await client.run(sql('INSERT INTO twice VALUES (6)'), callOf('write'));
    await say(`XA COMMIT '${database.name}-b'`);
    const one = `${database.name}-c`;
    await say(
      `XA START '${one}'; INSERT INTO twice VALUES (7); XA END '${one}'; XA COMMIT '${one}' ONE PHASE`,
    );
    expect((await reading.changes(4)).map(({ key }) => key)).toEqual([
      { id: 6 },
      { id: 4 },
      { id: 5 },
      { id: 7 },
    ]);
    const marks = reading.taken.map(({ mark }) => mark);
    expect(marks).toEqual(marks.toSorted());
    expect(marks[2]).toBe(marks[3]);
    await reading.end();
  });

  test('that are prepared are told to a reader that comes after, once', async () => {
    await say('CREATE TABLE later (id int PRIMARY KEY) ENGINE InnoDB');
    let reading = await watching(all('later'));
    const xid = `${database.name}-later`;
    await xa(xid, 'INSERT INTO later SELECT seq FROM seq_1_to_2500');
    await client.run(sql('INSERT INTO later VALUES (9001)'), callOf('write'));
    await reading.changes(1);
    await reading.end();
    await client.run(sql('INSERT INTO later VALUES (9002)'), callOf('write'));
    await say(`FLUSH BINARY LOGS; XA COMMIT '${xid}'`);
    await client.run(sql('INSERT INTO later VALUES (9003)'), callOf('write'));
    const ids = reading.taken.map(({ key }) => (jsonOf(key) as { id: number }).id);
    while (ids.length < 2_503) {
      reading = new Reading(reader(), all('later'), reading.position);
      let taken = 0;
      while (taken === 0) {
        const { changes } = await reading.batch();
        taken = changes.length;
        ids.push(...changes.map(({ key }) => (jsonOf(key) as { id: number }).id)); // As they were made.
      }
      await reading.end();
    }
    const prepared = Array.from({ length: 2_500 }, (_, at) => at + 1);
    expect(ids).toEqual([9001, 9002, ...prepared, 9003]);
  });
});

test.each([
  ['dropped', 'DROP TABLE gone'],
  ['renamed', 'RENAME TABLE gone TO went'],
  ['renamed by ALTER', 'ALTER TABLE `gone` RENAME TO `went`'],
])('a table that is %s is told of at once, though no row follows', async (_how, statement) => {
  await say('DROP TABLE IF EXISTS gone, went, stays; CREATE TABLE gone (id int PRIMARY KEY)');
  await say('CREATE TABLE stays (id int PRIMARY KEY)');
  const reading = await watching(all('gone', 'stays'));
  await say('INSERT INTO gone VALUES (1)');
  expect(await reading.changes(1)).toMatchObject([{ watched: ['gone'] }]);
  await say(statement);
  while (reading.faults.length === 0) await reading.batch();
  expect(reading.faults).toEqual([{ watched: 'gone', message: 'There is no table gone' }]);
  await say('INSERT INTO stays VALUES (1)');
  expect(await reading.changes(1)).toMatchObject([{ watched: ['stays'], key: { id: 1 } }]);
  expect(reading.faults).toHaveLength(1);
  await reading.end();
});

test('a log that was purged is told, also where only what was prepared long before is gone', async () => {
  await say('CREATE TABLE purged (id int PRIMARY KEY) ENGINE InnoDB');
  const xid = `${database.name}-purged`;
  const own = await createConnection({ uri: database.url, multipleStatements: true });
  const reading = await watching(all('purged'));
  await own.query(
    `XA START '${xid}'; INSERT INTO purged VALUES (1); XA END '${xid}'; XA PREPARE '${xid}'`,
  );
  await own.end();
  await client.run(sql('INSERT INTO purged VALUES (2)'), callOf('write'));
  await reading.changes(1);
  await say('FLUSH BINARY LOGS');
  await client.run(sql('INSERT INTO purged VALUES (3)'), callOf('write'));
  await reading.changes(1);
  await reading.end();
  // All of the log up to where the reader stands, with the beginning of what is prepared.
  const { position } = reading;
  expect(position).toMatch(/ <\d+ /);
  const [, file] = position.split(' ');
  // Not while the server takes the reader that has left for one that reads.
  const first = async () => {
    await say(`PURGE BINARY LOGS TO '${file}'`);
    const [log] = (await database.look('SHOW BINARY LOGS')) as { Log_name: string }[];
    return log?.Log_name;
  };
  await expect.poll(first, { timeout: 30_000 }).toBe(file);
  const gone = { code: 'NOT_FOUND', message: expect.stringContaining('binary log was purged') };
  const again = new Reading(reader(), all('purged'), position);
  expect(await failureOf(again.changes(1))).toMatchObject(gone);
  await say(`XA ROLLBACK '${xid}'`);
});

test('a row that is larger than any that is read is told of, and what follows goes on', async () => {
  const columns = Array.from({ length: 5 }, (_, at) => `c${at} longblob`).join(', ');
  await say(`CREATE TABLE huge (id int PRIMARY KEY, ${columns}) ENGINE Aria TRANSACTIONAL 0`);
  const reading = await watching(all('huge'));
  const large = Array.from({ length: 5 }, () => "repeat('x', 14000000)").join(', ');
  await say(`INSERT INTO huge VALUES (1, ${large}); INSERT INTO huge (id) VALUES (2)`);
  expect(await reading.changes(1)).toMatchObject([{ key: { id: 2 } }]);
  expect(reading.faults).toEqual([
    {
      watched: 'huge',
      message: expect.stringMatching(/^huge had changes in an event of the log that is larger/),
    },
  ]);
  await say('DROP TABLE huge');
  await reading.end();
});
