/** `/read` can change nothing: every attack as a superuser, with the database compared before and after. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { ATTACK_FILE, AttackState, isEmpty, NO_SUCH_FUNCTION } from './test/attack-state.ts';
import { ATTACKS, TRAPS } from './test/attacks.ts';
import { run, sql, TestDatabase } from './test/database.ts';
import { READS } from './test/reads.ts';

let database: TestDatabase;
let read: PostgresClient;
let write: PostgresClient;
let state: AttackState;

beforeAll(async () => {
  database = await TestDatabase.create(TRAPS);
  state = await AttackState.of(database);
  read = await database.open('read');
  write = await database.open('write');
});
afterAll(() => database.drop());

// Not what the server says: none of an attack is sent to it.
const REFUSALS = /^BAD_REQUEST$/;

type Failure = { code?: string; details?: { code?: string }[] };

/** The ways in which a text can reach the database on a read. */
const WAYS: { way: string; send: (query: string) => Promise<unknown> }[] = [
  { way: 'query', send: (query) => read.run(sql(query), callOf('read')) },
  {
    way: 'query_typed',
    send: (query) => read.run(sql(query, [], { type: 'query_typed' }), callOf('read')),
  },
  {
    way: 'simple_read_only',
    send: (query) => read.run(sql(query, [], { type: 'simple_read_only' }), callOf('read')),
  },
  {
    way: 'copy_out',
    send: (query) => read.run(sql(query, [], { type: 'copy_out' }), callOf('read')),
  },
  { way: 'a stream', send: (query) => drained(read.stream(sql(query), callOf('read'))) },
  {
    way: 'query_read_only on a write connection',
    send: (query) => write.run(sql(query, [], { type: 'query_read_only' }), callOf('write')),
  },
];

async function drained(stream: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  for await (const _ of stream ?? []);
}

describe('the attack corpus', () => {
  test.each(WAYS)('changes nothing by way of $way', async ({ way, send }) => {
    rmSync(ATTACK_FILE, { force: true });
    const before = await state.read();
    const passed: string[] = [];
    for (const attack of ATTACKS) {
      const failure = await failureOf(send(attack)).catch(() => undefined);
      const { code = '', details = [] } = (failure ?? {}) as Failure;
      // No statements are none: there is nothing to refuse.
      const missing = details[0]?.code === NO_SUCH_FUNCTION;
      if (!missing && !REFUSALS.test(code) && !(way === 'simple_read_only' && isEmpty(attack)))
        passed.push(attack);
    }
    expect(passed).toEqual([]);
    expect(await state.read()).toEqual(before);
  });

  test('has teeth: what it calls would write', async () => {
    await write.run(sql("SELECT bite('x')"), callOf('write'));
    const { rows } = await database.outside.query(
      'WITH gone AS (DELETE FROM trace RETURNING *) SELECT count(*)::int AS n FROM gone',
    );
    expect(rows).toEqual([{ n: 1 }]);
  });
});

describe('reads', () => {
  test.each(READS)('pass: %s', async (query) => {
    expect(await run(read, sql(query), 'read')).toMatchObject({ row_count: expect.any(Number) });
  });

  test.each(READS)('pass in a session: %s', async (query) => {
    const lease = await write.lease(callOf('write'));
    expect(await run(lease, sql(query), 'read')).toMatchObject({ row_count: expect.any(Number) });
    await lease.close();
  });

  test('answer several statements in one snapshot', async () => {
    const request = sql('SELECT 1 AS a; SELECT 2 AS b', [], { type: 'simple_read_only' });
    expect(await run(read, request, 'read')).toMatchObject({
      results: [{ rows: [{ a: 1 }] }, { rows: [{ b: 2 }] }],
    });
  });
});

describe('allow_functions', () => {
  const call = sql('SELECT hidden.lower(1)');

  test.each([
    { allow: true, passes: true },
    { allow: ['lower', 'bite'], passes: true },
    { allow: ['hidden.lower'], passes: true },
    { allow: ['public.lower'], passes: false },
    { allow: [], passes: false },
    { allow: false, passes: false },
  ])('$allow lets a VOLATILE function of that name through: $passes', async ({ allow, passes }) => {
    const session = await database.open('read', { allow_functions: allow });
    const code = await session.run(call, callOf('read')).then(
      () => 'passed',
      (error: { code: string }) => error.code,
    );
    expect(code).toBe(passes ? 'passed' : 'BAD_REQUEST');
    await database.outside.query('DELETE FROM trace');
  });

  test('never lifts what is refused of the server and its extensions', async () => {
    const session = await database.open('read', { allow_functions: true });
    for (const query of [
      "SELECT pg_read_file('PG_VERSION')",
      "SELECT nextval('counter')",
      "SELECT dblink_connect('x', '')",
      'SELECT pg_advisory_lock(1)',
    ]) {
      expect(await failureOf(session.run(sql(query), callOf('read')))).toMatchObject({
        code: 'BAD_REQUEST',
        details: [{ rule: 'read_function' }],
      });
    }
  });
});

describe('a read session', () => {
  test('stays read-only whatever its URL asks for', async () => {
    const url = `${database.url}?options=-c%20default_transaction_read_only%3Doff%20-c%20standard_conforming_strings%3Doff`;
    const session = await database.open('read', { allow_functions: true }, url);
    const query =
      "SELECT current_setting('default_transaction_read_only') a, current_setting('standard_conforming_strings') b";
    expect((await run(session, sql(query), 'read')).rows).toEqual([{ a: 'on', b: 'on' }]);
  });

  test('names what is wrong with a statement', async () => {
    expect(await failureOf(read.run(sql('SELEC 1'), callOf('read')))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ source: 'postgres', code: '42601', position: 1 }],
    });
    expect(await failureOf(read.run(sql('DELETE FROM items'), callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'DELETE is not taken on /read; send it to /write',
      details: [{ rule: 'read_statement', path: 'query' }],
    });
    expect(await failureOf(read.run(sql("SELECT 'x' ==> 'y'"), callOf('read')))).toMatchObject({
      details: [{ rule: 'read_volatile_function', function: 'public.bite_operator' }],
    });
  });
});

test.each([
  ['TRUNCATE items', 'TRUNCATE'],
  ['ALTER TABLE items ADD COLUMN x int', 'ALTER TABLE'],
  ['CREATE INDEX ON items (name)', 'CREATE INDEX'],
  ['ANALYZE items', 'ANALYZE'],
  ['VACUUM items', 'VACUUM'],
  ['CHECKPOINT', 'CHECKPOINT'],
  ['REFRESH MATERIALIZED VIEW items', 'REFRESH MATERIALIZED VIEW'],
  ['CREATE RULE r AS ON INSERT TO items DO NOTHING', 'CREATE RULE'],
  ['EXPLAIN ANALYZE DELETE FROM items', 'EXPLAIN of DELETE'],
  ['WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone', 'DELETE'],
])('%s is refused in words of SQL', async (query, words) => {
  expect(await failureOf(read.run(sql(query), callOf('read')))).toMatchObject({
    message: `${words} is not taken on /read; send it to /write`,
  });
});
