/** Tables whose changes are told: those that come, change and go, the slot that keeps them, and what is said where something lacks. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WatchedCollection } from '../../../proto/changes.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import { all, Reading } from '../test/reading.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let client: PostgresClient;
let slots = 0;
let slot = '';

beforeAll(async () => {
  database = await TestDatabase.create();
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

describe('tables', () => {
  test('may be altered and emptied while they are watched', async () => {
    await say('CREATE TABLE alters (id int PRIMARY KEY, a int)');
    const reading = await watching(all('alters'));
    await say('INSERT INTO alters VALUES (1, 1)');
    await say("ALTER TABLE alters ADD b text DEFAULT 'd', DROP a");
    await say('TRUNCATE alters');
    await say('ALTER TABLE alters RENAME id TO number');
    await say('INSERT INTO alters VALUES (2)');
    expect((await reading.changes(2)).map(({ key, after }) => [key, after])).toEqual([
      [{ id: 1 }, { id: 1, a: 1 }],
      [{ number: 2 }, { number: 2, b: 'd' }],
    ]);
    await reading.end();
  });

  test('that are no longer there are told of, and others go on', async () => {
    await say('CREATE TABLE goes (id int PRIMARY KEY); CREATE TABLE stays (id int PRIMARY KEY)');
    const reading = await watching(all('goes', 'stays'));
    await reading.end();
    await say('ALTER TABLE goes RENAME TO gone');
    const next = new Reading(reader(), all('goes', 'stays'), reading.position);
    await next.batch();
    expect(next.faults).toEqual([{ watched: 'goes', message: 'There is no table goes' }]);
    await say('INSERT INTO gone VALUES (1); INSERT INTO stays VALUES (1)');
    expect((await next.changes(1)).map(({ collection }) => collection)).toEqual(['public.stays']);
    await say('CREATE TABLE goes (id int PRIMARY KEY)');
    await next.end();
    const last = new Reading(reader(), all('goes', 'stays'), next.position);
    await last.batch();
    await say('INSERT INTO goes VALUES (7)');
    expect(await last.changes(1)).toMatchObject([{ collection: 'public.goes', key: { id: 7 } }]);
    await last.end();
  });

  test('whose publication somebody drops are published again, and that changes were missed is told', async () => {
    await say('CREATE TABLE public_one (id int PRIMARY KEY)');
    const reading = await watching(all('public_one'));
    await say(`DROP PUBLICATION "${slot}"; INSERT INTO public_one VALUES (1)`);
    while (reading.faults.length === 0) await reading.batch();
    expect(reading.faults).toEqual([
      {
        watched: 'public_one',
        message: expect.stringMatching(/^public_one was not published for a while: .* missed/),
      },
    ]);
    await say('INSERT INTO public_one VALUES (2)');
    expect((await reading.changes(1)).map(({ key }) => key)).toEqual([{ id: 2 }]);
    await reading.end();
  });

  test('without a key tell their inserts alone, and can still be written', async () => {
    await say('CREATE TABLE keyless (a int)');
    const inserts: WatchedCollection[] = [{ name: 'keyless', operations: ['insert'] }];
    const reading = await watching(inserts);
    await say('INSERT INTO keyless VALUES (1); UPDATE keyless SET a = 2; DELETE FROM keyless');
    await say('INSERT INTO keyless VALUES (3)');
    expect((await reading.changes(2)).map(({ operation, key }) => [operation, key])).toEqual([
      ['insert', { a: 1 }],
      ['insert', { a: 3 }],
    ]);
    await reading.end();
  });

  test('that are added begin with what commits after the answer, and those left out end', async () => {
    await say('CREATE TABLE one (id int PRIMARY KEY); CREATE TABLE two (id int PRIMARY KEY)');
    const reading = await watching(all('one'));
    // It has written already, and commits after the answer.
    await say('BEGIN; INSERT INTO two VALUES (1)');
    const added = client.prepareChanges({ slot, collections: all('one', 'two') }, callOf('write'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await say('COMMIT');
    await added;
    await say('INSERT INTO two VALUES (2)');
    expect((await reading.changes(1)).map(({ key }) => key)).toEqual([{ id: 2 }]);
    await client.prepareChanges({ slot, collections: all('two') }, callOf('write'));
    await say('INSERT INTO one VALUES (1); INSERT INTO two VALUES (3)');
    expect((await reading.changes(1)).map(({ key }) => key)).toEqual([{ id: 3 }]);
    await reading.end();
  });

  test('with a change that is too large say so by name, and go on', async () => {
    await say('CREATE TABLE huge (id int PRIMARY KEY, t text)');
    const reading = await watching(all('huge'));
    await say("INSERT INTO huge VALUES (1, repeat('x', 34000000)), (2, 'small')");
    expect((await reading.changes(1)).map(({ key }) => key)).toEqual([{ id: 2 }]);
    expect(reading.faults).toEqual([
      {
        watched: 'huge',
        message: 'A change of huge is larger than 33554432 bytes, which none that is told may be',
      },
    ]);
    await reading.end();
  });
});

describe('what lacks is named', () => {
  const refused = async (collections: WatchedCollection[], from = client) => {
    const failure = await failureOf(from.prepareChanges({ slot, collections }, callOf('write')));
    const { rows } = await say(`SELECT FROM pg_replication_slots WHERE slot_name = '${slot}'`);
    expect(rows).toEqual([]);
    return failure;
  };

  test('of tables', async () => {
    await say('CREATE TABLE nameless (a int); CREATE VIEW seen AS SELECT 1');
    await say('CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY)');
    expect(await refused(all('nameless', 'seen', 'missing', 'unlogged'))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [
        {
          path: 'collections[0]',
          message:
            'nameless has no primary key, so that updates and deletes cannot be told: give it one, or ALTER TABLE public.nameless REPLICA IDENTITY FULL;',
        },
        { path: 'collections[1]', message: 'seen is not a table: only tables tell changes' },
        { path: 'collections[2]', message: 'There is no table missing' },
        {
          path: 'collections[3]',
          message:
            'unlogged is not logged, and tells no changes: ALTER TABLE public.unlogged SET LOGGED;',
        },
      ],
    });
  });

  test('of the role', async () => {
    const role = `role_${database.name}`;
    await say(`CREATE ROLE ${role} LOGIN PASSWORD 'p'; GRANT CREATE ON SCHEMA public TO ${role}`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'p';
    const own = await database.open('write', {}, url.href);
    await run(own, sql('CREATE TABLE owned (id int PRIMARY KEY)', [], { type: 'ddl' }), 'write');
    await say('CREATE TABLE foreign_one (id int PRIMARY KEY)');
    const details = (message: unknown, path = 'endpoint') => ({
      code: 'BAD_REQUEST',
      details: [{ path, message }],
    });
    expect(await refused(all('owned'), own)).toMatchObject(
      details(
        `The role of write_conn may not make a publication: GRANT CREATE ON DATABASE ${database.name} TO ${role};`,
      ),
    );
    await say(`GRANT CREATE ON DATABASE ${database.name} TO ${role}`);
    expect(await refused(all('foreign_one'), own)).toMatchObject(
      details(
        expect.stringMatching(/^The role of write_conn must own foreign_one/),
        'collections[0]',
      ),
    );
    expect(await refused(all('owned'), own)).toMatchObject(
      details(expect.stringMatching(/^The role of write_conn may not replicate: ALTER ROLE/)),
    );
    await own.dropChanges(slot, callOf('write'));
    await say(`ALTER ROLE ${role} REPLICATION`);
    const fresh = await database.open('write', {}, url.href);
    const prepared = await fresh.prepareChanges(
      { slot, collections: all('owned') },
      callOf('write'),
    );
    expect(prepared.position).toMatch(/^[\dA-F]+\/[\dA-F]+$/);
    expect(await fresh.dropChanges(slot, callOf('write'))).toBe(true);
    await fresh.close();
    await own.close();
    await say(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});

describe('the slot', () => {
  test('is dropped with what reads it, and a second time without complaint', async () => {
    await say('CREATE TABLE dropped (id int PRIMARY KEY)');
    const reading = await watching(all('dropped'));
    const rest = failureOf(reading.changes(1));
    expect(await client.dropChanges(slot, callOf('write'))).toBe(true);
    expect(await rest).toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(await client.dropChanges(slot, callOf('write'))).toBe(false);
    expect(await client.changesLag(slot, callOf('write'))).toEqual({ bytes: 0, whole: false });
    const { rows } = await say(`SELECT FROM pg_publication WHERE pubname LIKE '${slot}%'`);
    expect(rows).toEqual([]);
    expect(await failureOf(new Reading(reader(), all('dropped')).batch())).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('goes to who asks for it last, though another still holds it', async () => {
    await say('CREATE TABLE taken (id int PRIMARY KEY)');
    const first = await watching(all('taken'));
    const held = failureOf(first.changes(1));
    const other = await database.open('write');
    const second = new Reading({ client: other, slot }, all('taken'));
    await second.batch();
    expect(await held).toMatchObject({ code: 'CONNECTION_FAILED' });
    await say('INSERT INTO taken VALUES (1)');
    expect(await second.changes(1)).toMatchObject([{ key: { id: 1 } }]);
    await second.end();
  });

  test('ends with the signal of its call, and its connection with it', async () => {
    await say('CREATE TABLE left_alone (id int PRIMARY KEY)');
    const reading = await watching(all('left_alone'));
    const rest = failureOf(reading.changes(1));
    const reason = new Error('left');
    reading.leaving.abort(reason);
    expect(await rest).toBe(reason);
    const active = `SELECT active FROM pg_replication_slots WHERE slot_name = '${slot}'`;
    await expect.poll(async () => (await say(active)).rows).toEqual([{ active: false }]);
  });
});
