/** Changes of a MariaDB database by its binary log: what is told of rows, of every type, and from where a reader goes on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WatchedCollection } from '../../../proto/changes.ts';
import { startBackend } from '../../../test/servers/backends.ts';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import type { MysqlClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: MysqlClient;
beforeAll(async () => {
  database = await TestDatabase.create();
  client = await database.open('write', { connections: 8 });
});
afterAll(() => database.drop());

const reader = () => ({ client, slot: `causeway_${database.name}` });
const watching = (collections: WatchedCollection[]) => Reading.standing(reader(), collections);
const say = (text: string) => database.outside.query(text);

test('rows are told whole before and after, with their key', async () => {
  await say('CREATE TABLE orders (id int PRIMARY KEY, state varchar(20), note text)');
  const reading = await watching(all('orders'));
  await say("INSERT INTO orders VALUES (1, 'new', NULL)");
  await say("UPDATE orders SET id = 2, state = 'paid'");
  await say('DELETE FROM orders');
  const of = { collection: `${database.name}.orders`, watched: ['orders'] };
  const first = { id: 1, state: 'new', note: null };
  const second = { id: 2, state: 'paid', note: null };
  expect(await reading.changes(3)).toEqual([
    { ...of, operation: 'insert', key: { id: 1 }, after: first },
    { ...of, operation: 'update', key: { id: 2 }, before: first, after: second },
    { ...of, operation: 'delete', key: { id: 2 }, before: second },
  ]);
  expect(new Set(reading.taken.map(({ id }) => id)).size).toBe(3);
  await reading.end();
});

/** Columns of a type, with values as SQL writes them. */
const TYPES: readonly (readonly [type: string, ...values: string[]])[] = [
  ['tinyint', '-128', '127'],
  ['tinyint unsigned', '255'],
  ['smallint', '-32768'],
  ['mediumint', '-8388608', '8388607'],
  ['mediumint unsigned', '16777215'],
  ['int', '-2147483648'],
  ['int unsigned', '4294967295'],
  ['bigint', '-9223372036854775808', '9007199254740991'],
  ['bigint unsigned', '18446744073709551615'],
  ['float', '1.5', '3.4e38'],
  ['double', '0.1', '-1.7976931348623157e308'],
  ['decimal(65,30)', `'-${'9'.repeat(35)}.${'1'.repeat(30)}'`, '0', '-0.5'],
  ['decimal(10,2)', '1.5', '-12345678.9', '0.05'],
  ['decimal(9,0)', '123456789', '-1'],
  ['decimal(5,5)', '0.00001', '-0.99999'],
  ['bit(1)', "b'1'"],
  ['bit(9)', "b'100000001'"],
  ['bit(64)', '18446744073709551615'],
  ['year', '2026', '0'],
  ['date', "'2026-02-28'", "'1000-01-01'"],
  ['time', "'-838:59:59'", "'12:34:56'"],
  ['time(3)', "'-00:00:01.500'", "'100:00:00.007'"],
  ['time(6)', "'-12:34:56.000001'"],
  ['datetime', "'2026-01-02 03:04:05'", "'9999-12-31 23:59:59'"],
  ['datetime(1)', "'2026-01-02 03:04:05.6'"],
  ['datetime(6)', "'2026-01-02 03:04:05.000006'"],
  ['timestamp', "'2026-01-02 03:04:05'"],
  ['timestamp(4)', "'2026-01-02 03:04:05.0607'"],
  ['char(10)', "'a  '", "'é😀'"],
  ['varchar(300)', `'${'é'.repeat(300)}'`, "''"],
  ['varchar(20) CHARACTER SET latin1', "'é€'"],
  ['varchar(20) CHARACTER SET utf16', "'é😀'"],
  ['char(200) CHARACTER SET utf8mb4', `'${'x'.repeat(200)}'`],
  ['text', '\'a "b" \\\\ \\n\''],
  ['mediumtext', `'${'x'.repeat(70_000)}'`],
  ['binary(4)', "x'ff00'", "x'00'"],
  ['varbinary(4)', "x'ff00'"],
  ['blob', "x'00ff'"],
  ['longblob', "''"],
  ["enum('sad', 'it''s')", "'it''s'", "'sad'"],
  ["set('a', 'b', 'c')", "'a,c'", "''"],
  ['json', '\'{"a": [1, 9007199254740993]}\''],
  ['point', 'POINT(1, 2)'],
];

test('values of every type are told as a read gives them', async () => {
  const columns = TYPES.map(([type], at) => `c${at} ${type} NULL`).join(', ');
  await say(`CREATE TABLE kinds (id int PRIMARY KEY, ${columns})`);
  const reading = await watching(all('kinds'));
  const rounds = Math.max(...TYPES.map(({ length }) => length));
  for (let round = 1; round <= rounds; round += 1) {
    const values = TYPES.map((row) => row[round] ?? 'NULL').join(', ');
    await say(`SET time_zone = '+00:00'; INSERT INTO kinds VALUES (${round}, ${values})`);
    await reading.changes(1);
    const read = await client.run(sql('SELECT * FROM kinds WHERE id = ?', [round]), callOf('read'));
    const rows = /"rows":\[([\s\S]*)\],"row_count":1\}$/.exec(Buffer.from(read).toString())?.[1];
    expect(Buffer.from(reading.taken.at(-1)?.after ?? []).toString()).toBe(rows);
  }
  await reading.end();
});

test('a reader goes on in the middle of a transaction, and nothing comes twice', async () => {
  await say('CREATE TABLE many (id int PRIMARY KEY)');
  let reading = await watching(all('many'));
  await say('INSERT INTO many SELECT seq FROM seq_1_to_4000; INSERT INTO many VALUES (4001)');
  const ids: unknown[] = [];
  const positions: string[] = [];
  while (ids.length < 4_001) {
    const { changes, position } = await reading.batch();
    if (changes.length === 0) continue;
    ids.push(...changes.map(({ key }) => (jsonOf(key) as { id: number }).id)); // As they were made.
    positions.push(position);
    await reading.end();
    reading = new Reading(reader(), all('many'), position);
    await reading.batch();
  }
  expect(ids).toEqual(Array.from({ length: 4_001 }, (_, at) => at + 1));
  expect(positions.some((position) => / \d+\.\d+$/.test(position))).toBe(true);
  await reading.end();
});

test('transactions are told in the order of their commits, and those undone never', async () => {
  await say('CREATE TABLE log (id int PRIMARY KEY) ENGINE InnoDB');
  const reading = await watching(all('log'));
  await say('BEGIN; INSERT INTO log VALUES (1)');
  await client.run(sql('INSERT INTO log VALUES (2)'), callOf('write'));
  await say(
    'SAVEPOINT s; INSERT INTO log VALUES (9); ROLLBACK TO s; INSERT INTO log VALUES (3); COMMIT',
  );
  await say('BEGIN; INSERT INTO log VALUES (4); ROLLBACK');
  await say('INSERT INTO log VALUES (5)');
  expect((await reading.changes(4)).map(({ key }) => key)).toEqual([
    { id: 2 },
    { id: 1 },
    { id: 3 },
    { id: 5 },
  ]);
  await reading.end();
});

test('a table may be altered while it is watched; one without a key is told by its rows', async () => {
  await say('CREATE TABLE alters (a int)');
  const reading = await watching(all('alters'));
  await say('INSERT INTO alters VALUES (1)');
  await reading.changes(1);
  await say("ALTER TABLE alters ADD b text DEFAULT 'd'");
  await say('INSERT INTO alters (a) VALUES (2); FLUSH BINARY LOGS; DELETE FROM alters WHERE a = 2');
  expect((await reading.changes(2)).map(({ operation, key }) => [operation, key])).toEqual([
    ['insert', { a: 2, b: 'd' }],
    ['delete', { a: 2, b: 'd' }],
  ]);
  await reading.end();
});

test('a change after prepareChanges answered is told, though nobody read yet', async () => {
  await say('CREATE TABLE prepared (id int PRIMARY KEY)');
  const asked = { slot: reader().slot, collections: all('prepared') };
  const { position } = await client.prepareChanges(asked, callOf('write'));
  await say('INSERT INTO prepared VALUES (7)');
  const reading = new Reading(reader(), all('prepared'), position);
  expect(await reading.changes(1)).toMatchObject([{ key: { id: 7 } }]);
  await reading.end();
  const elsewhere = position.replace(/^\d+/, '4000000000');
  const other = new Reading(reader(), all('prepared'), elsewhere);
  expect(await failureOf(other.batch())).toMatchObject({ code: 'NOT_FOUND' });
  const purged = position.replace(/ \S+ /, ' binlog.999999 ');
  expect(await failureOf(new Reading(reader(), all('prepared'), purged).changes(1))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a reader ends with the signal of its call', async () => {
  await say('CREATE TABLE ended (id int PRIMARY KEY)');
  const reading = await watching(all('ended'));
  const rest = failureOf(reading.changes(1));
  const reason = new Error('left');
  reading.leaving.abort(reason);
  expect(await rest).toBe(reason);
});

test('what lacks is named: of tables, of the user, of the server', async () => {
  await say('CREATE VIEW seen AS SELECT 1; CREATE TABLE ids (id uuid PRIMARY KEY)');
  const prepare = (collections: WatchedCollection[], from = client) =>
    failureOf(from.prepareChanges({ slot: reader().slot, collections }, callOf('write')));
  expect(await prepare(all('seen', 'missing', 'ids'))).toMatchObject({
    code: 'BAD_REQUEST',
    details: [
      { path: 'collections[0]', message: 'seen is not a table: only tables tell changes' },
      { path: 'collections[1]', message: 'There is no table missing' },
      {
        path: 'collections[2]',
        message: 'The column id of ids is of the type uuid, which is not read from the log',
      },
    ],
  });
  await say('CREATE TABLE plain (id int PRIMARY KEY)');
  const user = `u_${database.name.slice(-20)}`;
  await say(
    `CREATE USER '${user}'@'127.0.0.1' IDENTIFIED BY 'p'; GRANT ALL ON ${database.name}.* TO '${user}'@'127.0.0.1'`,
  );
  const url = new URL(database.url);
  url.username = user;
  url.password = 'p';
  const poor = await database.open('write', {}, url.href);
  const missing = (right: string) => ({
    code: 'BAD_REQUEST',
    details: [
      {
        path: 'endpoint',
        message: `The user of write_conn lacks a right: GRANT ${right} ON *.* TO …;`,
      },
    ],
  });
  expect(await prepare(all('plain'), poor)).toMatchObject(
    missing('REPLICATION CLIENT (MariaDB: BINLOG MONITOR)'),
  );
  await say(`GRANT BINLOG MONITOR ON *.* TO '${user}'@'127.0.0.1'`);
  const better = await database.open('write', {}, url.href);
  expect(await prepare(all('plain'), better)).toMatchObject(missing('REPLICATION SLAVE'));
  await say(`GRANT REPLICATION SLAVE ON *.* TO '${user}'@'127.0.0.1'`);
  const enough = await database.open('write', {}, url.href);
  const asked = { slot: reader().slot, collections: all('plain') };
  const prepared = await enough.prepareChanges(asked, callOf('write'));
  expect(prepared.position).toMatch(/^\d+ \S+ \d+$/);
});

test('what lacks is named: of the server', async () => {
  const server = await startBackend('mysql');
  try {
    const own = await TestDatabase.create('CREATE TABLE plain (id int PRIMARY KEY)', server);
    await own.outside.query(
      "SET GLOBAL binlog_row_image = 'MINIMAL', GLOBAL binlog_format = 'MIXED'",
    );
    const fresh = await own.open('write');
    const asked = { slot: 'causeway_own', collections: all('plain') };
    expect(await failureOf(fresh.prepareChanges(asked, callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [
        { path: 'endpoint', message: expect.stringMatching(/^binlog_format .* MIXED, .* ROW/) },
        {
          path: 'endpoint',
          message: expect.stringMatching(/^binlog_row_image .* MINIMAL, .* FULL/),
        },
      ],
    });
    await own.drop();
  } finally {
    await server.stop();
  }
});
