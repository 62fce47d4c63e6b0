/** Pages, conditions, batches, transactions and traces against a real Cassandra. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { CassandraClient } from './index.ts';
import { cql, type Rows, run, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let write: CassandraClient;
let read: CassandraClient;
const ROWS = 25;

beforeAll(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE rows (part int, i int, x text, PRIMARY KEY (part, i))',
    'CREATE TABLE users (id int PRIMARY KEY, name text)',
    'CREATE TABLE counts (id int PRIMARY KEY, n counter)',
  );
  write = await database.open('write');
  read = await database.open('read');
  const queries = Array.from({ length: ROWS }, (_, i) => ({
    query: 'INSERT INTO rows (part, i, x) VALUES (1, ?, ?)',
    params: [i, 'x'],
  }));
  await write.run({ type: 'batch', queries }, callOf('write'));
});
afterAll(() => database.drop());

function page(state: string | null | undefined, members: object = {}): CassandraRequest {
  return cql('SELECT i FROM rows WHERE part = ?', [1], {
    type: 'query_single_page',
    page_size: 10,
    ...(state ? { paging_state: state } : {}),
    ...members,
  });
}

/** All pages, each with its rows. */
async function pages(members: object = {}): Promise<unknown[][]> {
  const all: unknown[][] = [];
  let state: string | null | undefined;
  do {
    const result: Rows = await run(read, page(state, members), 'read');
    all.push(result.rows.map(({ i }) => i));
    state = result.paging_state;
  } while (state);
  return all;
}

describe('pages', () => {
  test('follow each other to the last', async () => {
    const found = await pages();
    expect(found.flat()).toEqual(Array.from({ length: ROWS }, (_, i) => i));
    expect(found[0]).toHaveLength(10);
  });

  test('end at the limit, also when later ones are asked to be larger', async () => {
    const query = 'SELECT i FROM rows WHERE part = ? LIMIT 15';
    const first = await run(read, page(undefined, { query }), 'read');
    const state = first.paging_state;
    const next = await run(read, page(state, { query, page_size: 100 }), 'read');
    const rows = [...first.rows, ...next.rows].map(({ i }) => i);
    expect(rows.slice(0, 15)).toEqual(Array.from({ length: 15 }, (_, i) => i));
    expect(new Set(rows).size).toBe(rows.length);
  });

  test('cannot be made up, nor carried to another statement or other parameters', async () => {
    const { paging_state: state } = await run(read, page(undefined), 'read');
    // In its middle: the last character holds bits that are not read.
    const forged = state?.replace(
      /^(.{9})(.)/,
      (_, before, next) => before + (next === 'A' ? 'B' : 'A'),
    );
    for (const request of [
      page('AAAA'),
      page(forged),
      page(state, { query: 'SELECT i, x FROM rows WHERE part = ?' }),
      page(state, { params: [2] }),
    ]) {
      expect(await failureOf(read.run(request, callOf('read')))).toMatchObject({
        code: 'BAD_REQUEST',
        details: [{ path: 'paging_state' }],
      });
    }
  });

  test('are gathered by a query that names no size', async () => {
    const result = await run(read, cql('SELECT i FROM rows'), 'read');
    expect([result.row_count, result.paging_state]).toEqual([ROWS, undefined]);
  });
});

describe('conditions', () => {
  test('say whether they held', async () => {
    const insert = cql('INSERT INTO users (id, name) VALUES (1, ?) IF NOT EXISTS', ['Ana']);
    expect((await run(write, insert, 'write')).applied).toBe(true);
    expect(await run(write, insert, 'write')).toMatchObject({
      applied: false,
      rows: [{ '[applied]': false, id: 1, name: 'Ana' }],
    });
  });

  test('of a batch hold for all of it', async () => {
    const queries = [
      "INSERT INTO users (id, name) VALUES (1, 'Eva') IF NOT EXISTS",
      "UPDATE users SET name = 'Eva' WHERE id = 1",
    ];
    const result = await write.run({ type: 'batch', queries }, callOf('write'));
    expect(jsonOf(result)).toMatchObject({ applied: false });
    expect(await database.outside('SELECT name FROM users WHERE id = 1')).toEqual([['Ana']]);
  });
});

describe('batches and transactions', () => {
  test('a counter batch counts', async () => {
    const query = 'UPDATE counts SET n = n + ? WHERE id = 1';
    const queries = [
      { query, params: [2] },
      { query, params: [3] },
    ];
    await write.run({ type: 'batch', batch_type: 'counter', queries }, callOf('write'));
    expect(await database.outside('SELECT n FROM counts')).toEqual([['5']]);
  });

  test('a transaction answers one result for each operation', async () => {
    const insert = 'INSERT INTO users (id, name) VALUES (?, ?)';
    const result = await write.transact(
      [cql(insert, [10, 'a']), cql(insert, [11, 'b'])],
      callOf('write'),
    );
    const empty = { columns: [], rows: [], row_count: 0 };
    expect(jsonOf(result ?? new Uint8Array())).toEqual([empty, empty]);
  });

  test.each([
    ['a SELECT', cql('SELECT * FROM users'), 'batch_statement'],
    ['TRUNCATE', cql('TRUNCATE users'), 'batch_statement'],
    [
      'two statements',
      cql('DELETE FROM users WHERE id = 1; DELETE FROM users WHERE id = 2'),
      'several_statements',
    ],
  ])('%s is refused with its index, and nothing is done', async (_, request, rule) => {
    const first = cql('INSERT INTO users (id) VALUES (20)');
    const failure = await failureOf(
      Promise.resolve(write.transact([first, request], callOf('write'))),
    );
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ rule, operation: 1 }] });
    expect(await database.outside('SELECT id FROM users WHERE id = 20')).toEqual([]);
  });

  test('results of earlier operations are not there', async () => {
    const params = [{ $result: '[0].rows[0].id' }];
    const request = cql('DELETE FROM users WHERE id = ?', params);
    const failure = await failureOf(Promise.resolve(write.transact([request], callOf('write'))));
    expect(failure).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ path: '$result', operation: 0 }],
    });
  });
});

describe('what requests may ask for', () => {
  test('a trace tells what the server did', async () => {
    const { trace } = await run(write, cql('SELECT * FROM users', [], { tracing: true }), 'write');
    expect(trace?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(trace?.events.length).toBeGreaterThan(0);
    expect(JSON.stringify(trace)).not.toMatch(/127\.0\.0\.1/);
  });

  test('warnings are told', async () => {
    const result = await run(read, cql('SELECT count(*) FROM users'), 'read');
    expect(result.warnings).toEqual([expect.stringContaining('partition key')]);
  });

  test('a consistency that the server cannot give is its own failure', async () => {
    const request = cql("INSERT INTO users (id, name) VALUES (30, 'x')", [], {
      consistency: 'three',
    });
    expect(await failureOf(write.run(request, callOf('write')))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: [{ source: 'cassandra', code: '0x1000' }],
    });
  });

  test('a timestamp is what a write counts as', async () => {
    const insert = "INSERT INTO users (id, name) VALUES (40, 'x')";
    await run(write, cql(insert, [], { timestamp: '1767225600000001' }), 'write');
    expect(await database.outside('SELECT writetime(name) FROM users WHERE id = 40')).toEqual([
      ['1767225600000001'],
    ]);
  });

  test('columns of one name are kept in arrays', async () => {
    const query = 'SELECT id, name AS id FROM users WHERE id = 1';
    expect((await run(read, cql(query, [], { row_format: 'array' }), 'read')).rows).toEqual([
      [1, 'Ana'],
    ]);
  });

  test('a statement that the server forgot is prepared again', async () => {
    const query = 'SELECT name FROM users WHERE id = ?';
    await run(read, cql(query, [1]), 'read');
    await database.outside('ALTER TABLE users ADD extra text');
    expect((await run(read, cql(query, [1]), 'read')).rows).toEqual([{ name: 'Ana' }]);
    const all = await run(read, cql('SELECT * FROM users WHERE id = 1'), 'read');
    expect(all.rows).toEqual([{ id: 1, extra: null, name: 'Ana' }]);
  });
});
