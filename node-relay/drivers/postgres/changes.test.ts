/** Changes of a PostgreSQL database: what is told of rows and transactions. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Change, WatchedCollection } from '../../../proto/changes.ts';
import { callOf, jsonOf } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';
import { OWN_TYPES, TYPE_ROWS } from './test/type-rows.ts';

let database: TestDatabase;
let client: PostgresClient;
let slots = 0;
let slot = '';

beforeAll(async () => {
  database = await TestDatabase.create(OWN_TYPES);
  client = await database.open('write', { connections: 8 });
});
beforeEach(() => {
  slots += 1;
  slot = `causeway_${database.name.slice(-12)}_${slots}`;
});
afterEach(async () => {
  await client.dropChanges(slot, callOf('write'));
});
afterAll(() => database.drop());

const reader = () => ({ client, slot });
const watching = (collections: WatchedCollection[]) => Reading.standing(reader(), collections);
const say = (text: string) => database.outside.query(text);

describe('rows', () => {
  test('are told with their key, and what the identity of the table keeps of them', async () => {
    await say('CREATE TABLE orders (id int PRIMARY KEY, state text, note text)');
    const reading = await watching(all('orders'));
    await say("INSERT INTO orders VALUES (1, 'new', NULL)");
    await say("UPDATE orders SET state = 'paid' WHERE id = 1");
    await say('UPDATE orders SET id = 2 WHERE id = 1');
    await say('DELETE FROM orders WHERE id = 2');
    const of = { collection: 'public.orders', watched: ['orders'] };
    expect(await reading.changes(4)).toEqual([
      { ...of, operation: 'insert', key: { id: 1 }, after: { id: 1, state: 'new', note: null } },
      {
        ...of,
        operation: 'update',
        key: { id: 1 },
        before: { id: 1 },
        keyOnly: true,
        after: { id: 1, state: 'paid', note: null },
      },
      {
        ...of,
        operation: 'update',
        key: { id: 2 },
        before: { id: 1 },
        keyOnly: true,
        after: { id: 2, state: 'paid', note: null },
      },
      { ...of, operation: 'delete', key: { id: 2 }, before: { id: 2 }, keyOnly: true },
    ]);
    await reading.end();
  });

  test('are told whole before and after with the full identity', async () => {
    await say('CREATE TABLE whole (id int PRIMARY KEY, a int, b text)');
    await say('ALTER TABLE whole REPLICA IDENTITY FULL');
    const reading = await watching(all('public.whole'));
    await say("INSERT INTO whole VALUES (1, 1, 'x')");
    await say('UPDATE whole SET a = 2');
    await say('DELETE FROM whole');
    const of = { collection: 'public.whole', watched: ['public.whole'], key: { id: 1 } };
    expect(await reading.changes(3)).toEqual([
      { ...of, operation: 'insert', after: { id: 1, a: 1, b: 'x' } },
      {
        ...of,
        operation: 'update',
        before: { id: 1, a: 1, b: 'x' },
        after: { id: 1, a: 2, b: 'x' },
      },
      { ...of, operation: 'delete', before: { id: 1, a: 2, b: 'x' } },
    ]);
    await reading.end();
  });

  test('tell their values as a read does, of every type', async () => {
    const stored = TYPE_ROWS.filter(({ type }) => !/^(?:unknown|record|void|cid|xid)$/.test(type));
    const columns = stored.map(({ type }, at) => `c${at} ${type}`).join(', ');
    await say(`CREATE TABLE kinds (id int PRIMARY KEY, ${columns})`);
    const reading = await watching(all('kinds'));
    const places = stored.map((_, at) => `$${at + 1}`).join(', ');
    const values = stored.map(({ sent }) => sent);
    await run(client, sql(`INSERT INTO kinds VALUES (1, ${places})`, values), 'write');
    const [change] = await reading.changes(1);
    const read = await run(client, sql('SELECT * FROM kinds'), 'read');
    expect(change?.after).toEqual(read.rows[0]);
    expect(Buffer.from(reading.taken[0]?.after ?? []).toString()).toBe(
      /"rows":\[([\s\S]*)\],"row_count":1\}$/.exec(
        Buffer.from(await client.run(sql('SELECT * FROM kinds'), callOf('read'))).toString(),
      )?.[1],
    );
    await reading.end();
  });

  test('leave out what lies apart and did not change, unless the identity has it', async () => {
    const large = 'x'.repeat(4_000);
    for (const name of ['apart', 'apart_full']) {
      await say(`CREATE TABLE ${name} (id int PRIMARY KEY, n int, large text)`);
      await say(`ALTER TABLE ${name} ALTER large SET STORAGE EXTERNAL`);
    }
    await say('ALTER TABLE apart_full REPLICA IDENTITY FULL');
    const reading = await watching(all('apart', 'apart_full'));
    for (const name of ['apart', 'apart_full']) {
      await say(`INSERT INTO ${name} VALUES (1, 1, '${large}')`);
      await say(`UPDATE ${name} SET n = 2`);
    }
    const [, apart, , full] = await reading.changes(4);
    expect(apart).toMatchObject({ after: { id: 1, n: 2 }, absent: ['large'] });
    expect(apart?.after).not.toHaveProperty('large');
    expect(full?.after).toEqual({ id: 1, n: 2, large });
    expect(full).not.toHaveProperty('absent');
    await reading.end();
  });

  test('of a partition are those of its root', async () => {
    await say('CREATE TABLE parted (id int PRIMARY KEY, n int) PARTITION BY RANGE (id)');
    await say('CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (10)');
    const reading = await watching(all('parted'));
    await say('INSERT INTO parted VALUES (1, 1)');
    expect(await reading.changes(1)).toEqual([
      {
        collection: 'public.parted',
        watched: ['parted'],
        operation: 'insert',
        key: { id: 1 },
        after: { id: 1, n: 1 },
      },
    ]);
    await reading.end();
  });

  test('are told once to each name that watches the operation', async () => {
    await say('CREATE TABLE twice (id int PRIMARY KEY)');
    const reading = await watching([
      { name: 'twice', operations: ['insert'] },
      { name: 'public.twice', operations: ['insert', 'delete'] },
    ]);
    await say('INSERT INTO twice VALUES (1); DELETE FROM twice');
    const told = await reading.changes(2);
    expect(told.map(({ operation, watched }) => [operation, watched])).toEqual([
      ['insert', ['twice', 'public.twice']],
      ['delete', ['public.twice']],
    ]);
    await reading.end();
  });
});

describe('transactions', () => {
  test('are told when they commit, in that order, and never when they are undone', async () => {
    await say('CREATE TABLE log (id int PRIMARY KEY)');
    const other = await database.open('write');
    const reading = await watching(all('log'));
    await say('BEGIN; INSERT INTO log VALUES (1)');
    await run(other, sql('INSERT INTO log VALUES (2)'), 'write');
    await say('INSERT INTO log VALUES (3); COMMIT');
    await say('BEGIN; INSERT INTO log VALUES (4); ROLLBACK');
    await say('INSERT INTO log VALUES (5)');
    expect((await reading.changes(4)).map(({ key }) => key)).toEqual([
      { id: 2 },
      { id: 1 },
      { id: 3 },
      { id: 5 },
    ]);
    const [two, one, three] = reading.taken;
    expect(one?.time).toBe(three?.time);
    expect(one?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(new Set([two?.id, one?.id, three?.id]).size).toBe(3);
    await reading.end();
  });

  test('go on where the reader was, in the middle of one, too', async () => {
    await say('CREATE TABLE many (id int PRIMARY KEY)');
    let reading = await watching(all('many'));
    await say('INSERT INTO many SELECT generate_series(1, 5000)');
    await say('INSERT INTO many VALUES (5001)');
    const told: Change[] = [];
    const positions = new Set<string>();
    while (told.length < 5_001) {
      const { changes, position } = await reading.batch();
      if (changes.length === 0) continue;
      told.push(...changes);
      positions.add(position);
      await reading.end();
      reading = new Reading(reader(), all('many'), position);
      await reading.batch();
    }
    expect(told.map(({ key }) => jsonOf(key))).toEqual(
      Array.from({ length: 5_001 }, (_, at) => ({ id: at + 1 })),
    );
    expect(new Set(told.map(({ id }) => id)).size).toBe(5_001);
    expect([...positions].some((position) => position.includes(' '))).toBe(true);
    await reading.end();
  });

  test('come again with their ids until they are acknowledged', async () => {
    await say('CREATE TABLE again (id int PRIMARY KEY)');
    const first = await watching(all('again'));
    await say('INSERT INTO again VALUES (1)');
    await first.changes(1);
    const kept = await client.changesLag(slot, callOf('write'));
    expect(kept.whole).toBe(true);
    await first.end();
    expect(client.acknowledgeChanges(slot, first.position)).toBe(false);
    const second = new Reading(reader(), all('again'));
    await second.changes(1);
    expect(second.taken).toEqual(first.taken);
    expect(client.acknowledgeChanges(slot, second.position)).toBe(true);
    await expect
      .poll(async () => {
        const { rows } = await say(
          `SELECT confirmed_flush_lsn >= '${second.position}' AS done FROM pg_replication_slots WHERE slot_name = '${slot}'`,
        );
        return rows[0].done;
      })
      .toBe(true);
    await say('INSERT INTO again VALUES (2)');
    await second.end();
    const third = new Reading(reader(), all('again'));
    expect((await third.changes(1)).map(({ key }) => key)).toEqual([{ id: 2 }]);
    await third.end();
  });
});
