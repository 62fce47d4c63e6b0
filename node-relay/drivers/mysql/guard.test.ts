/** `/read` can change nothing: every attack with all rights, with the server compared before and after. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { ATTACK_FILE, stateOf } from './test/attack-state.ts';
import { ATTACKS, READS, TRAPS } from './test/attacks.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: MysqlClient;
let write: MysqlClient;

beforeAll(async () => {
  database = await TestDatabase.create();
  for (const trap of TRAPS) await database.outside.query(trap);
  read = await database.open('read', { connections: 1 });
  write = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

/** The ways in which a text can reach the server on a read. */
const WAYS: { way: string; send: (query: string) => Promise<unknown> }[] = [
  { way: 'query', send: (query) => read.run(sql(query), callOf('read')) },
  { way: 'named parameters', send: (query) => read.run(sql(query, {}), callOf('read')) },
  {
    way: 'simple_read_only',
    send: (query) => read.run(sql(query, undefined, { type: 'simple_read_only' }), callOf('read')),
  },
  { way: 'a stream', send: (query) => drained(read.stream(sql(query), callOf('read'))) },
  {
    way: 'query_read_only on a write connection',
    send: (query) => write.run(sql(query, undefined, { type: 'query_read_only' }), callOf('write')),
  },
];

async function drained(stream: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  for await (const _ of stream ?? []);
}

describe('the attack corpus', () => {
  test.each(WAYS)('changes nothing by way of $way', async ({ send }) => {
    rmSync(ATTACK_FILE, { force: true });
    const before = await stateOf(database);
    const passed: string[] = [];
    for (const { query } of ATTACKS) {
      const failure = await failureOf(send(query)).catch(() => undefined);
      if ((failure as { code?: string } | undefined)?.code !== 'BAD_REQUEST') {
        passed.push(`${query}: ${failure}`);
      }
    }
    expect(passed).toEqual([]);
    expect(await stateOf(database)).toEqual(before);
  });

  test('says of each attack why it fails', () => {
    expect(ATTACKS.length).toBeGreaterThan(20);
    expect(ATTACKS.filter(({ reason }) => reason === '')).toEqual([]);
  });

  test('has teeth: what it calls would write', async () => {
    await write.run(sql("SELECT bite('x')"), callOf('write'));
    expect(await database.look('SELECT what FROM trace')).toEqual([{ what: 'x' }]);
    await database.outside.query('DELETE FROM trace');
  });
});

describe('reads', () => {
  test.each(READS)('pass: %s', async (query) => {
    expect(await run(read, sql(query), 'read')).toMatchObject({ row_count: expect.any(Number) });
    const lease = await write.lease(callOf('write'));
    expect(await run(lease, sql(query), 'read')).toMatchObject({ row_count: expect.any(Number) });
    await lease.close();
  });
});

describe('allow_functions', () => {
  test.each([
    { allow: true, passes: true },
    { allow: ['QUIET'], passes: true },
    { allow: ['bite'], passes: false },
    { allow: ['pack.bites'], passes: false },
    { allow: [], passes: false },
  ])("$allow lets a user's function through: $passes", async ({ allow, passes }) => {
    const session = await database.open('read', { allow_functions: allow });
    const code = await session.run(sql('SELECT quiet(1)'), callOf('read')).then(
      () => 'passed',
      (error: { code: string }) => error.code,
    );
    expect(code).toBe(passes ? 'passed' : 'BAD_REQUEST');
  });

  test('does not let an allowed function write', async () => {
    const session = await database.open('read', { allow_functions: true });
    expect(await failureOf(session.run(sql("SELECT bite('y')"), callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ source: 'mysql', code: '1792' }],
    });
    expect(await database.look('SELECT what FROM trace')).toEqual([]);
  });

  test('never lifts what is refused of the server', async () => {
    const session = await database.open('read', { allow_functions: true });
    const failure = await failureOf(session.run(sql("SELECT get_lock('a', 0)"), callOf('read')));
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ rule: 'read_function', function: 'get_lock' }],
    });
  });
});

describe('a session that has changed how it reads, or how the guard is answered', () => {
  const BITES = ['SELECT * FROM biting', 'SELECT * FROM locking', 'SELECT count (5)'];
  test.each([
    'SET SESSION sql_select_limit = 0',
    'SET SESSION sql_select_limit = 1',
    "EXECUTE IMMEDIATE 'SET character_set_results = swe7'",
    "EXECUTE IMMEDIATE 'SET character_set_connection = swe7'",
    'SET collation_connection = latin1_bin',
    "SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
  ])('reads nothing more: %s', async (set) => {
    const before = await stateOf(database);
    for (const query of BITES) {
      const operations = [sql(set), sql(query, undefined, { type: 'query_read_only' })];
      const within = write.transact(operations, callOf('write'));
      expect(await failureOf(within)).toMatchObject({ code: 'BAD_REQUEST' });
    }
    const lease = await write.lease(callOf('write'));
    await lease?.run(sql(set), callOf('write'));
    const reads = BITES.map((query) => lease?.run(sql(query), callOf('read')) ?? Promise.resolve());
    const failures = await Promise.all(reads.map((each) => failureOf(each)));
    await lease?.close();
    expect(failures).toMatchObject(BITES.map(() => ({ code: 'BAD_REQUEST' })));
    expect(await stateOf(database)).toEqual(before);
  });
});

test('a view whose definition may not be seen is refused, saying what to grant', async () => {
  const user = `v_${database.name.slice(-12)}`;
  await database.outside.query(
    `GRANT SELECT ON ${database.name}.* TO ${user}@127.0.0.1 IDENTIFIED BY 'p'; CREATE VIEW harmless AS SELECT 1 AS one`,
  );
  const url = Object.assign(new URL(database.url), { username: user, password: 'p' });
  const look = async (query: string) =>
    (await database.open('read', {}, url.href)).run(sql(query), callOf('read'));
  for (const query of ['SELECT * FROM harmless', `TABLE ${database.name}.biting`]) {
    expect(await failureOf(look(query))).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('grant'),
      details: [{ rule: 'read_hidden_view' }],
    });
  }
  await database.outside.query(`GRANT SHOW VIEW ON ${database.name}.* TO ${user}@127.0.0.1`);
  await look('SELECT * FROM harmless');
  await database.outside.query(`DROP USER ${user}@127.0.0.1`);
});

test('a view of a view that may not be seen is refused', async () => {
  const user = `w_${database.name.slice(-12)}`;
  const own = `${database.name}_own`;
  await database.outside.query(
    `CREATE DATABASE ${own}; CREATE VIEW ${own}.outer_view AS SELECT * FROM ${database.name}.biting;
    CREATE VIEW ${own}.plain AS SELECT extract(day FROM t.d) AS e, trim('a' FROM t.s) AS s FROM (SELECT now() AS d, 'x' AS s) AS t;
    GRANT SELECT, SHOW VIEW ON ${own}.* TO ${user}@127.0.0.1 IDENTIFIED BY 'p'`,
  );
  const url = Object.assign(new URL(database.url), { username: user, password: 'p' });
  url.pathname = `/${own}`;
  const session = await database.open('read', {}, url.href);
  expect(await failureOf(session.run(sql('TABLE outer_view'), callOf('read')))).toMatchObject({
    details: [{ rule: 'read_hidden_view' }],
  });
  await session.run(sql('SELECT * FROM plain'), callOf('read'));
  await database.outside.query(`DROP USER ${user}@127.0.0.1; DROP DATABASE ${own}`);
});

test('a user who may only select reads with the functions of the server, and no others', async () => {
  const user = `u_${database.name.slice(-12)}`;
  await database.outside.query(
    `GRANT SELECT ON ${database.name}.* TO ${user}@127.0.0.1 IDENTIFIED BY 'p'`,
  );
  const url = Object.assign(new URL(database.url), { username: user, password: 'p' });
  const session = await database.open('read', {}, url.href);
  for (const query of READS) await session.run(sql(query), callOf('read'));
  const failure = await failureOf(session.run(sql("SELECT sys_shell('x')"), callOf('read')));
  expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ rule: 'read_user_function' }] });
  await database.outside.query(`DROP USER ${user}@127.0.0.1`);
});
