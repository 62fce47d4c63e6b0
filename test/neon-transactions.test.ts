/** Transactions at Neon: all or nothing in one trip, and a failure is told with the operation that it is of. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../kinds/postgres/index.ts';
import { failureOf } from '../node-relay/drivers/contract.ts';
import { sql, TestDatabase } from '../node-relay/drivers/postgres/test/database.ts';
import { callOf, jsonOf } from '../node-relay/drivers/test/host.ts';
import type { Json } from '../proto/json.ts';
import { neon } from '../worker/drivers/edge/neon/index.ts';
import type { LateClient } from '../worker/drivers/edge/sql/late-client.ts';
import { openNetwork } from './stand-ins/edge-host.ts';
import { NeonStandIn } from './stand-ins/neon/server.ts';

let database: TestDatabase;
let standIn: NeonStandIn;
let session: LateClient<PostgresRequest>;

beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE log (id int GENERATED ALWAYS AS IDENTITY, what text); CREATE TABLE keyed (a int PRIMARY KEY); INSERT INTO keyed VALUES (1), (2)',
  );
  standIn = await NeonStandIn.start(database.url);
  session = open(database.url);
  await session.ping(callOf('read'));
});
afterAll(async () => {
  await standIn?.stop();
  await database?.drop();
});

function open(url: string): LateClient<PostgresRequest> {
  return neon.open({ connection: { url: standIn.url(url) }, settings: {} }, openNetwork);
}
const logged = async (what: string) => {
  const { rows } = await database.outside.query('SELECT FROM log WHERE what = $1', [what]);
  return rows.length;
};
const insert = (what: string) => sql('INSERT INTO log (what) VALUES ($1)', [what]);

describe('a transaction', () => {
  test('names the operation that could not be sent, and the only one that could fail', async () => {
    const bad = session.transact([insert('a'), sql('DROP DATABASE x; SELECT 1')], callOf('write'));
    expect(await failureOf(bad as Promise<unknown>)).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ operation: 1 }],
    });
    const two = sql("INSERT INTO log (what) VALUES ('x'), ('y') RETURNING id", [], {
      type: 'query_one',
    });
    const counted = session.transact([insert('counted'), two], callOf('write'));
    expect(await failureOf(counted as Promise<unknown>)).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: 'P0003', operation: 1 }],
    });
    expect(await logged('counted')).toBe(0);
  });

  const ok = insert('never kept');
  const failing = (query: string, params: Json[] = [], members = {}) => sql(query, params, members);
  test.each<[string, PostgresRequest, details: object]>([
    [
      'a duplicate',
      failing('INSERT INTO keyed VALUES ($1)', [1]),
      { code: '23505', constraint: 'keyed_pkey' },
    ],
    [
      'a fault while it runs',
      failing('SELECT 1 / n FROM (SELECT count(*) - 2 AS n FROM keyed) x'),
      { code: '22012' },
    ],
    [
      'a table that is not there',
      failing('SELECT * FROM missing'),
      { code: '42P01', position: 15 },
    ],
    [
      'a column that is not there, behind a WITH',
      failing('WITH a AS (SELECT 1 AS b) SELECT c FROM a'),
      { code: '42703', position: 34 },
    ],
    [
      'a recursive WITH',
      failing(
        'WITH RECURSIVE a(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM a WHERE i < 3) SELECT 1 / (i - 2) FROM a',
      ),
      { code: '22012' },
    ],
    [
      'a value that is none of its type',
      failing('INSERT INTO keyed VALUES ($1)', ['abc']),
      { code: '22P02' },
    ],
    [
      'a type that was said',
      failing("SELECT 'é', $1, missing", [[1, 'int4']] as Json[], { type: 'query_typed' }),
      { code: '42703', position: 17 },
    ],
    ['a definition', failing('ALTER TABLE missing ADD b int'), { code: '42P01' }],
    ['too many values', failing('SELECT $1::int', [1, 2]), {}],
    [
      'two rows where one is asked for',
      failing('DELETE FROM keyed RETURNING a', [], { type: 'query_one' }),
      { code: 'P0003' },
    ],
  ])('names the operation of %s', async (what, bad, details) => {
    for (const at of [0, 2]) {
      const operations = [ok, sql('SELECT count(*) FROM keyed'), ok];
      operations.splice(at, 0, bad);
      const failure = await failureOf(
        session.transact(operations, callOf('write')) as Promise<unknown>,
      );
      // Neither a definition nor a wrong number of values carries its index.
      const named = /definition|too many/.test(what) ? {} : { operation: at };
      expect(failure).toMatchObject({ details: [{ source: 'postgres', ...details, ...named }] });
      expect(await logged('never kept')).toBe(0);
    }
  });

  test('takes effect as it is written, whatever its statements begin with', async () => {
    const operations = [
      sql('/* first */ WITH a AS (SELECT $1::text AS b) INSERT INTO log (what) SELECT b FROM a', [
        'kept',
      ]),
      sql(
        "WITH gone AS (DELETE FROM log WHERE what = 'kept' RETURNING id) SELECT count(*) AS n FROM gone",
      ),
      sql('(SELECT $2::int AS a, $1::int AS b) UNION ALL VALUES (3, 4)', [1, 2], {
        row_format: 'array',
      }),
      sql('TABLE keyed ORDER BY a', [], { type: 'query' }),
      sql("UPDATE log SET what = $1 WHERE what = 'nobody'", ['x']),
    ];
    const done = await session.transact(operations, callOf('write'));
    expect(jsonOf(done ?? new Uint8Array())).toMatchObject([
      { rows_affected: 1 },
      { rows: [{ n: 1 }] },
      {
        columns: [{ name: 'a' }, { name: 'b' }],
        rows: [
          [2, 1],
          [3, 4],
        ],
      },
      { rows: [{ a: 1 }, { a: 2 }] },
      { rows_affected: 0 },
    ]);
  });

  test('names the one of several operations that a value is none of its type in', async () => {
    const fits = insert('12ab');
    const none = sql('INSERT INTO keyed VALUES ($1)', ['12ab']);
    for (const at of [0, 1, 4, 8]) {
      const operations = Array.from({ length: 9 }, (_, index) => (index === at ? none : fits));
      const running = session.transact([...operations, none], callOf('write'));
      expect(await failureOf(running as Promise<unknown>)).toMatchObject({
        code: 'REQUEST_FAILED',
        details: [{ code: '22P02', operation: at }],
      });
    }
    expect(await logged('12ab')).toBe(0);
  });

  test('names none of several where asking again meets another failure', async () => {
    const made = sql('CREATE TABLE made (a int)');
    const fits = sql('INSERT INTO log (what) SELECT $1 FROM made', ['12ab']);
    const none = sql('INSERT INTO made VALUES ($1)', ['12ab']);
    const running = session.transact([made, fits, none], callOf('write'));
    const failure = await failureOf(running as Promise<unknown>);
    expect(failure).toMatchObject({ code: 'REQUEST_FAILED', details: [{ code: '22P02' }] });
    expect(JSON.stringify(failure)).not.toContain('operation');
  });

  test('takes whole numbers however they are written, where their types cannot be asked for', async () => {
    const made = sql('CREATE TABLE whole (a int, b bigint, c numeric)');
    const numbers = ['1.0', '9223372036854775807', '19.90'].map((text) => JSON.rawJSON(text));
    const filled = sql('INSERT INTO whole VALUES ($1, $2, $3)', numbers);
    const told = sql('SELECT a::text, b::text, c::text FROM whole');
    const running = session.transact([made, filled, told], callOf('write'));
    expect(jsonOf(await (running as Promise<Uint8Array>))).toMatchObject([
      {},
      { rows_affected: 1 },
      { rows: [{ a: '1', b: '9223372036854775807', c: '19.90' }] },
    ]);
  });

  test('stops an operation at its own deadline, and undoes all', async () => {
    const slow = { ...sql('SELECT pg_sleep(20)'), timeout_ms: 100 };
    const running = session.transact([insert('slow'), slow], callOf('write'));
    expect(await failureOf(running as Promise<unknown>)).toMatchObject({ code: 'TIMED_OUT' });
    expect(await logged('slow')).toBe(0);
  });
});
