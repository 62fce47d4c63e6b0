/** Rows as lines: complete, flat in memory, and stopped when nobody wants them any more. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call, Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import { heldBytes } from '../test/memory.ts';
import type { PostgresClient } from './index.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: PostgresClient;
let write: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(
    `CREATE TYPE mood AS ENUM ('good'); CREATE TABLE items (id serial, name text)`,
  );
  read = await database.open('read', { connections: 1 });
  write = await database.open('write', { connections: 1 });
});
afterAll(() => database.drop());

function stream(
  request: PostgresRequest,
  mode: Mode = 'read',
  bounds: Partial<Call> = {},
): AsyncIterable<Uint8Array> {
  const pieces = (mode === 'read' ? read : write).stream(request, callOf(mode, bounds));
  if (!pieces) throw new Error('no stream');
  return pieces;
}

async function lines(pieces: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  let text = '';
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
}

/** Statements that run on the server for the driver. */
async function running(): Promise<number> {
  const { rows } = await database.outside.query(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'causeway' AND state = 'active'",
  );
  return rows[0].n;
}

describe('a stream', () => {
  test('has rows as objects or arrays, of types that are not known before', async () => {
    const query =
      "SELECT i, 'good'::mood AS m, ARRAY['good'::mood] AS ms, '{\"a\":\n1}'::json AS j FROM generate_series(1, 2) i";
    expect(await lines(stream(sql(query)))).toEqual(
      [1, 2].map((i) => ({ i, m: 'good', ms: ['good'], j: { a: 1 } })),
    );
    expect(await lines(stream(sql(query, [], { row_format: 'array' })))).toEqual(
      [1, 2].map((i) => [i, 'good', ['good'], { a: 1 }]),
    );
  });

  test('begins with an empty piece, and is only that for no rows', async () => {
    const pieces: number[] = [];
    for await (const piece of stream(sql('SELECT 1 WHERE false'))) pieces.push(piece.length);
    expect(pieces).toEqual([0]);
  });

  test('fails before its first piece when the statement is refused', async () => {
    for (const query of ['SELECT * FROM missing', 'DELETE FROM items', 'SELEC']) {
      const iterator = stream(sql(query))[Symbol.asyncIterator]();
      expect(await failureOf(iterator.next())).toBeInstanceOf(GatewayError);
    }
  });

  test('hands over rows that come slowly as they come', async () => {
    const started = performance.now();
    for await (const piece of stream(
      sql("SELECT repeat('x', 10000), pg_sleep(i) FROM generate_series(0, 9) i"),
    )) {
      if (piece.length > 0) break;
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('ends with the failure that comes after rows', async () => {
    const query = 'SELECT 1 / (200000 - i) AS n FROM generate_series(1, 300000) i';
    let bytes = 0;
    const reading = async () => {
      for await (const piece of stream(sql(query))) bytes += piece.length;
    };
    expect(await failureOf(reading())).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [{ code: '22012' }],
    });
    expect(bytes).toBeGreaterThan(1_000_000);
  });

  test('ends at its deadline, also while nobody takes rows', async () => {
    const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
    const iterator = stream(sql("SELECT repeat('x', 1000), generate_series(1, 10000000)"), 'read', {
      signal: after(300, reason),
    })[Symbol.asyncIterator]();
    await iterator.next();
    await expect.poll(running).toBe(0);
    const rest = (async () => {
      while (!(await iterator.next()).done);
    })();
    expect(await failureOf(rest)).toBe(reason);
  });

  test('keeps what a write changed when it was read to its end, and not before', async () => {
    const request = sql(
      "INSERT INTO items (name) SELECT 'n' FROM generate_series(1, 3) RETURNING id",
    );
    expect(await lines(stream(request, 'write'))).toHaveLength(3);
    const many = sql(
      "INSERT INTO items (name) SELECT repeat('n', 1000) FROM generate_series(1, 20000) RETURNING *",
    );
    for await (const piece of stream(many, 'write')) if (piece.length > 0) break;
    const one = sql("INSERT INTO items (name) VALUES ('a'), ('b') RETURNING id", [], {
      type: 'query_one',
    });
    expect(await failureOf(lines(stream(one, 'write')))).toMatchObject({ code: 'REQUEST_FAILED' });
    expect((await database.outside.query('SELECT count(*)::int AS n FROM items')).rows).toEqual([
      { n: 3 },
    ]);
  });

  test('does not keep what changes the encoding of its texts', async () => {
    const untold = `WITH c AS (SELECT set_config('client_encoding', 'EUC_JP', true) AS a)
      INSERT INTO items (name) SELECT '表' FROM c WHERE a <> '' RETURNING name`;
    expect(await failureOf(lines(stream(sql(untold), 'write')))).toMatchObject({
      message:
        'client_encoding must be UTF8: this statement has changed it, so its result cannot be told',
    });
    const left = await database.outside.query("SELECT FROM items WHERE name = '表'");
    expect(left.rowCount).toBe(0);
  });

  test('stops the server when it is left, and frees its connection', async () => {
    for await (const piece of stream(
      sql("SELECT repeat('x', 100), generate_series(1, 100000000)"),
    )) {
      if (piece.length > 0) break;
    }
    await expect.poll(running).toBe(0);
    expect(await lines(stream(sql('SELECT 1 AS a')))).toEqual([{ a: 1 }]);
  });

  test('waits for a slow reader without collecting rows', async () => {
    const rows = 200_000;
    const iterator = stream(sql(`SELECT repeat('x', 1000), generate_series(1, ${rows})`))[
      Symbol.asyncIterator
    ]();
    await iterator.next();
    const before = await heldBytes();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await heldBytes()) - before).toBeLessThan((rows * 1_000) / 4);
    await iterator.return?.();
    await expect.poll(running).toBe(0);
  });
});
