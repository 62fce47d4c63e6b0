/** Streams: every row once, with the server held back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import { heldBytes } from '../test/memory.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
const ROWS = 1_000_000;

beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.drop());

describe('a stream', () => {
  test('brings a million rows, each once', { timeout: 240_000 }, async () => {
    const session = await database.open('read', {}, 1);
    const request = sql(`SELECT number AS n, repeat('é', 40) AS x FROM numbers(${ROWS})`);
    let [rows, sum] = [0, 0];
    let rest = '';
    for await (const piece of session.stream(request, callOf('read'))) {
      const lines = (rest + Buffer.from(piece).toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        rows += 1;
        sum += Number(/^\{"n":(\d+),"x":"é{40}"\}$/.exec(line)?.[1]);
      }
    }
    expect([rows, sum, rest]).toEqual([ROWS, (ROWS * (ROWS - 1)) / 2, '']);
  });

  test('comes no faster than it is taken', async () => {
    const session = await database.open('read', {}, 1);
    const request = sql(`SELECT repeat('x', 1000) AS x FROM numbers(${ROWS})`);
    const stream = session.stream(request, callOf('read'));
    const pieces = stream?.[Symbol.asyncIterator]();
    for (let taken = 0; taken < 3; taken += 1) await pieces?.next();
    const before = await heldBytes();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await heldBytes()) - before).toBeLessThan((ROWS * 1_000) / 4);
    await pieces?.return?.();
  });

  test('is of rows', async () => {
    const session = await database.open('read', {}, 1);
    const request = sql('SELECT 1', {}, { type: 'fetch_bytes', format: 'CSV' });
    const drain = async () => {
      for await (const _ of session.stream(request, callOf('read')));
    };
    expect(await failureOf(drain())).toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('inspect', () => {
  test('tells of tables, views, keys and indexes, page by page', async () => {
    await database.outside(
      'CREATE TABLE a (id UInt64, name Nullable(String), at DateTime, INDEX by_name name TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree PRIMARY KEY (at, id) ORDER BY (at, id)',
    );
    await database.outside('CREATE VIEW b AS SELECT 1 AS one');
    const session = await database.open('read');
    const after = [database.name, ''] as const;
    const first = await session.inspect({ after, limit: 1 }, callOf('read'));
    expect(first).toEqual({
      tables: [
        {
          namespace: database.name,
          name: 'a',
          type: 'table',
          columns: [
            { name: 'id', type: 'UInt64', nullable: false },
            { name: 'name', type: 'Nullable(String)', nullable: true },
            { name: 'at', type: 'DateTime', nullable: false },
          ],
          primary_key: ['at', 'id'],
          indexes: [{ name: 'by_name', columns: ['name'], unique: false }],
        },
      ],
      more: true,
    });
    const next = await session.inspect({ after: [database.name, 'a'], limit: 1 }, callOf('read'));
    expect(next?.tables[0]).toMatchObject({ name: 'b', type: 'view', primary_key: [] });
  });
});
