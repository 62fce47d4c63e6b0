/** A connection on which anything undecided ran is as new when it is lent again, or ended. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mode } from '../../../proto/driver.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let session: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE SEQUENCE counter;
    CREATE TABLE items (id serial PRIMARY KEY);
    CREATE FUNCTION chosen() RETURNS void LANGUAGE sql AS $$ SELECT setseed(0.5) $$;
    CREATE FUNCTION untouched() RETURNS void STABLE LANGUAGE plpgsql AS $$ BEGIN END $$;`);
  session = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

async function only(query: string, mode: Mode = 'write', on = session): Promise<unknown> {
  const { rows } = await run(on, sql(query), mode);
  return Object.values(rows[0] ?? {})[0];
}
const pid = (on = session, mode: Mode = 'write') => only('SELECT pg_backend_pid()', mode, on);

describe('the seed of random() is not what a call chose', () => {
  test.each(['SELECT setseed(0.5)', 'SELECT chosen()', 'SET seed = 0.5'])('%s', async (query) => {
    const before = await pid();
    const numbers = new Set<unknown>();
    for (let round = 0; round < 3; round += 1) {
      await session.run(sql(query), callOf('write'));
      numbers.add(await only('SELECT random()'));
    }
    expect(numbers.size).toBe(3);
    expect(await pid()).toBe(before);
  });
});

describe('the next caller finds none of', () => {
  test('characteristics of the session', async () => {
    await session.run(
      sql('SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY'),
      callOf('write'),
    );
    expect(await only('SHOW transaction_isolation')).toBe('read committed');
    expect(await only('SHOW transaction_read_only')).toBe('off');
  });

  test('sequences', async () => {
    await session.run(sql("SELECT nextval('counter')"), callOf('write'));
    for (const query of ["SELECT currval('counter')", 'SELECT lastval()']) {
      await expect(session.run(sql(query), callOf('write'))).rejects.toMatchObject({
        details: [{ code: '55000' }],
      });
    }
  });

  test('large objects that are open', async () => {
    const before = await pid();
    const object = await only('SELECT lo_create(0)');
    await session.run(sql(`SELECT lo_open(${object}, 131072)`), callOf('write'));
    await expect(session.run(sql('SELECT loread(0, 1)'), callOf('write'))).rejects.toMatchObject({
      details: [{ code: '42704' }],
    });
    expect(await pid()).toBe(before);
  });

  test('a backup that was begun', async () => {
    const before = await pid();
    const { rows } = await database.outside.query('SHOW server_version_num');
    const name = rows[0].server_version_num >= 150_000 ? 'pg_backup_start' : 'pg_start_backup';
    await session.run(sql(`SELECT ${name}('mine', true)`), callOf('write'));
    expect(await pid()).not.toBe(before);
  });

  test('a temporary replication slot', async () => {
    await session.run(
      sql("SELECT pg_create_physical_replication_slot('mine', true, true)"),
      callOf('write'),
    );
    expect(await only("SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'mine'")).toBe(
      0,
    );
  });

  test('a replication origin', async () => {
    const origin = `origin_of_${database.name}`;
    await database.outside.query(`SELECT pg_replication_origin_create('${origin}')`);
    await session.run(
      sql(`SELECT pg_replication_origin_session_setup('${origin}')`),
      callOf('write'),
    );
    expect(await only('SELECT pg_replication_origin_session_is_setup()')).toBe(false);
    await expect
      .poll(() =>
        database.outside.query(`SELECT pg_replication_origin_drop('${origin}')`).then(
          () => 'dropped',
          () => 'in use',
        ),
      )
      .toBe('dropped');
  });
});

describe('a connection is ended after anything undecided', () => {
  test('where a language keeps variables of its own', async () => {
    await database.outside.query('CREATE LANGUAGE keeping HANDLER plpgsql_call_handler');
    try {
      const before = await pid();
      await session.run(sql('SELECT untouched()'), callOf('write'));
      expect(await pid()).not.toBe(before);
      const plain = await pid();
      // Of these everything is known.
      await session.run(sql('INSERT INTO items DEFAULT VALUES RETURNING 1'), callOf('write'));
      await session.run(sql('UPDATE items SET id = id'), callOf('write'));
      await session.run(sql('SELECT 1'), callOf('write'));
      expect(await pid()).toBe(plain);
      await session.run(sql('SELECT untouched()'), callOf('write'));
      expect(await pid()).not.toBe(plain);
    } finally {
      await database.outside.query('DROP LANGUAGE keeping');
    }
  });

  test('where an extension keeps connections to other servers', async (context) => {
    const { rows } = await database.outside.query(
      "SELECT FROM pg_available_extensions WHERE name = 'dblink'",
    );
    if (rows.length === 0) return context.skip('this server has no dblink');
    await database.outside.query('CREATE EXTENSION dblink');
    try {
      const before = await pid();
      await session.run(sql(`SELECT dblink_connect('other', $1)`, [database.url]), callOf('write'));
      expect(await pid()).not.toBe(before);
      expect(await only('SELECT dblink_get_connections()')).toBeNull();
    } finally {
      await database.outside.query('DROP EXTENSION dblink');
    }
  });
});

describe('a session for reads', () => {
  const NAMES = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  const shown = (on: PostgresClient) =>
    Promise.all(NAMES.map((name) => only(`SHOW ${name}`, 'read', on)));
  const LIMITS = NAMES.map(() => '305s');

  test('is limited, and stays so through a reset', async () => {
    const reads = await database.open('read', { connections: 1, allow_functions: true });
    expect(await shown(reads)).toEqual(LIMITS);
    expect(await only('SHOW transaction_read_only', 'read', reads)).toBe('on');
    expect(await only("SELECT current_setting('event_triggers', true)", 'read', reads)).not.toBe(
      'on',
    );
    const before = await pid(reads, 'read');
    await reads.run(sql('SELECT chosen()'), callOf('read'));
    expect(await shown(reads)).toEqual(LIMITS);
    expect(await only('SHOW transaction_read_only', 'read', reads)).toBe('on');
    expect(await pid(reads, 'read')).toBe(before);
  });

  test('keeps limits that the operator has set', async () => {
    const own = await TestDatabase.create(`
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET statement_timeout = %L', current_database(), '9s');
      END $$`);
    const reads = await own.open(
      'read',
      { connections: 1 },
      `${own.url}?options=-c%20lock_timeout=7s`,
    );
    expect(await shown(reads)).toEqual(['9s', '7s', '305s']);
    await own.drop();
  });

  test('of writes is not', async () => {
    expect(await Promise.all(NAMES.map((name) => only(`SHOW ${name}`)))).toEqual(['0', '0', '0']);
  });
});
