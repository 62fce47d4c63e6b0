/** Operations that belong together: in one transaction, and on one leased connection. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { after, failureOf } from '../contract.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let session: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE items (id serial PRIMARY KEY, name text UNIQUE, size int CHECK (size > 0));
    CREATE TABLE parts (item int REFERENCES items DEFERRABLE INITIALLY DEFERRED, note text);`);
  session = await database.open('write', { connections: 1 });
});
beforeEach(() => database.outside.query('TRUNCATE items RESTART IDENTITY CASCADE'));
afterAll(() => database.drop());

async function names(): Promise<unknown> {
  return (await database.outside.query('SELECT name FROM items ORDER BY id')).rows.map(
    ({ name }) => name,
  );
}
const insert = (name: string, members = {}) =>
  sql('INSERT INTO items (name) VALUES ($1) RETURNING id', [name], members);

describe('a transaction', () => {
  const transact = async (operations: PostgresRequest[], bounds: Partial<Call> = {}) =>
    session.transact(operations, callOf('write', bounds));
  const note = (item: Json) =>
    sql('INSERT INTO parts VALUES ($1, $2) RETURNING item', [
      item,
      { $literal: { $result: '[9]' } },
    ]);

  test('uses earlier results as values', async () => {
    const result = jsonOf(await transact([insert('a'), note({ $result: '[0].rows[0].id' })]));
    expect(result).toMatchObject([{ rows: [{ id: 1 }] }, { rows: [{ item: 1 }] }]);
    const { rows } = await database.outside.query('SELECT note FROM parts');
    expect(rows).toEqual([{ note: '{"$result":"[9]"}' }]);
  });

  test.each([
    {
      what: 'a bad reference',
      operation: note({ $result: '[0].rows[7].id' }),
      code: 'BAD_REQUEST',
    },
    {
      what: 'a reference to a later operation',
      operation: note({ $result: '[1].rows' }),
      code: 'BAD_REQUEST',
    },
    { what: 'a duplicate', operation: insert('a'), code: 'CONSTRAINT_VIOLATED' },
    { what: 'transaction control', operation: sql('COMMIT'), code: 'BAD_REQUEST' },
    {
      what: 'an operation that is too slow',
      operation: sql('SELECT pg_sleep(10)', [], { timeout_ms: 100 }),
      code: 'TIMED_OUT',
    },
    {
      what: 'a wrong number of rows',
      operation: sql('SELECT 1 WHERE false', [], { type: 'query_one' }),
      code: 'REQUEST_FAILED',
    },
    {
      what: 'a type that cannot be part',
      operation: sql('COPY items FROM STDIN', [], { type: 'copy_in', value: '' }),
      code: 'BAD_REQUEST',
    },
  ])('is undone by $what, and names the operation', async ({ operation, code }) => {
    const failure = await failureOf(transact([insert('a'), operation]));
    expect(failure).toMatchObject({ code, details: [{ operation: 1 }] });
    expect(await names()).toEqual([]);
  });

  test('is undone when its results together are too large', async () => {
    const failure = await failureOf(
      transact([insert('a'), sql("SELECT repeat('x', 500)")], { resultMaxBytes: 400 }),
    );
    expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect(await names()).toEqual([]);
  });

  test('tells bytes as they are, also escaped by a setting of its own', async () => {
    const operations = [
      sql("SET LOCAL bytea_output = 'escape'"),
      sql("SELECT '\\xff005caa41'::bytea AS b"),
    ];
    expect(jsonOf(await transact(operations))).toMatchObject([
      {},
      { rows: [{ b: Buffer.from([0xff, 0, 0x5c, 0xaa, 0x41]).toString('base64') }] },
    ]);
  });

  test('is undone where a statement changes the encoding of what comes after it', async () => {
    const changes = [
      "SET client_encoding = 'LATIN1'",
      "SELECT set_config('client_encoding', 'SJIS', true)",
    ];
    for (const change of changes) {
      expect(await failureOf(transact([insert('a'), sql(change), insert('é')]))).toMatchObject({
        code: 'BAD_REQUEST',
        message: 'client_encoding must be UTF8: a statement before this one has changed it',
        details: [{ operation: 2 }],
      });
      expect(await names()).toEqual([]);
    }
    await transact([insert('é')]);
    expect(await names()).toEqual(['é']);
  });

  test('fails at its commit when a deferred constraint does', async () => {
    expect(await failureOf(transact([insert('a'), note(999)]))).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
    });
    expect(await names()).toEqual([]);
  });
});

describe('a lease', () => {
  async function leased(
    work: (
      call: (
        asked: string | PostgresRequest,
        mode?: 'read' | 'write',
        bounds?: Partial<Call>,
      ) => Promise<unknown>,
    ) => Promise<void>,
  ) {
    const lease = await session.lease(callOf('write'));
    if (!lease) throw new Error('no lease');
    await work((asked, mode = 'write', bounds = {}) =>
      run(lease, typeof asked === 'string' ? sql(asked) : asked, mode, bounds),
    ).finally(() => lease.close());
  }

  test('keeps a transaction open between calls, and rolls back when it ends', async () => {
    await leased(async (call) => {
      await call('BEGIN');
      await call("INSERT INTO items (name) VALUES ('kept')");
      await call('COMMIT');
      await call('BEGIN');
      await call("INSERT INTO items (name) VALUES ('lost')");
    });
    expect(await names()).toEqual(['kept']);
  });

  test('takes reads under the same guard, but not inside a write transaction', async () => {
    await leased(async (call) => {
      await call('SET standard_conforming_strings = off');
      expect(await failureOf(call('DELETE FROM items', 'read'))).toMatchObject({
        code: 'BAD_REQUEST',
      });
      expect(await call("SELECT '\\' AS a", 'read')).toMatchObject({ rows: [{ a: '\\' }] });
      await call('BEGIN');
      expect(await failureOf(call('SELECT 1', 'read'))).toMatchObject({ code: 'TRANSACTION_OPEN' });
      await call('ROLLBACK');
      await call('BEGIN READ ONLY');
      expect(await failureOf(call('SELECT 1', 'read'))).toMatchObject({ code: 'BAD_REQUEST' });
      await call('SET LOCAL standard_conforming_strings = on');
      expect(await call('SELECT 1 AS a', 'read')).toMatchObject({ rows: [{ a: 1 }] });
      expect(await failureOf(call("SELECT nextval('items_id_seq')", 'read'))).toMatchObject({
        code: 'BAD_REQUEST',
      });
    });
  });

  test('takes no read that the server would read as other text', async () => {
    await leased(async (call) => {
      // In this encoding two bytes of UTF-8 may hold a backslash.
      await call("SET client_encoding = 'SJIS'");
      const refusal = {
        code: 'BAD_REQUEST',
        message: 'A read needs standard_conforming_strings to be on and client_encoding to be UTF8',
      };
      expect(await failureOf(call('SELECT 1', 'read'))).toMatchObject(refusal);
      await call('BEGIN READ ONLY');
      expect(await failureOf(call('SELECT 1', 'read'))).toMatchObject(refusal);
      await call('ROLLBACK');
      await call('RESET client_encoding');
      expect(await call('SELECT 1 AS a', 'read')).toMatchObject({ rows: [{ a: 1 }] });
    });
  });

  test.each(['COMMIT', '/* well */ end', 'COMMIT AND CHAIN'])(
    'says of %s that it has undone what had failed',
    async (commit) => {
      await leased(async (call) => {
        await call('BEGIN');
        await failureOf(call('SELECT 1/0'));
        expect(await failureOf(call(commit))).toMatchObject({
          code: 'REQUEST_FAILED',
          message: 'The transaction had failed: COMMIT has undone it',
          details: [{ code: '25P02' }],
        });
        await call('ROLLBACK');
        await call('BEGIN');
        await failureOf(call('SELECT 1/0'));
        expect(await call('ROLLBACK')).toMatchObject({ rows: [] });
      });
    },
  );

  test('answers nothing in another encoding, until a statement leads back', async () => {
    await leased(async (call) => {
      await call("SET client_encoding = 'LATIN1'");
      const refusal = {
        code: 'BAD_REQUEST',
        message: 'client_encoding must be UTF8: a statement before this one has changed it',
      };
      for (const request of [
        sql("SELECT 'é' AS a"),
        sql("SELECT 'é' AS a", [], { type: 'simple' }),
        sql("SET application_name = 'é'"),
        sql('COPY items (name) FROM STDIN', [], { type: 'copy_in', value: 'é\n' }),
        sql('COPY items (name) TO STDOUT', [], { type: 'copy_out' }),
      ]) {
        expect(await failureOf(call(request))).toMatchObject(refusal);
      }
      await call('/* back */ RESET client_encoding');
      await call('BEGIN');
      await call("SET client_encoding = 'LATIN1'");
      await call('ROLLBACK');
      expect(await call("SELECT 'é' AS a")).toMatchObject({ rows: [{ a: 'é' }] });
    });
  });

  test('does not tell what a statement answers that changes the encoding itself', async () => {
    const change = "SELECT set_config('client_encoding', 'EUC_JP', false) AS a, '表' AS b";
    const message =
      'client_encoding must be UTF8: this statement has changed it, so its result cannot be told';
    await leased(async (call) => {
      const failure = await failureOf(call(change));
      expect(failure).toMatchObject({ code: 'BAD_REQUEST', message, details: [] });
      // None of it is kept.
      expect(await call("SELECT '表' AS b")).toMatchObject({ rows: [{ b: '表' }] });
      const plain = "SELECT set_config('client_encoding', 'LATIN1', false) AS a, 'x' AS b";
      expect(await call(plain)).toMatchObject({ rows: [{ a: 'LATIN1', b: 'x' }] });
      await call('RESET client_encoding');
      await call('BEGIN');
      expect(await failureOf(call(change))).toMatchObject({ message, details: [] });
      await call('ROLLBACK');
    });
  });

  test('ends with the call that was stopped on it', async () => {
    await leased(async (call) => {
      const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
      expect(
        await failureOf(call('SELECT pg_sleep(20)', 'write', { signal: after(100, reason) })),
      ).toBe(reason);
      expect(await failureOf(call('SELECT 1'))).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });
  });

  test('takes no two-phase commit', async () => {
    await leased(async (call) => {
      await call('BEGIN');
      expect(await failureOf(call("PREPARE TRANSACTION 'x'"))).toMatchObject({
        code: 'BAD_REQUEST',
      });
    });
  });
});
