/** `/read` can change nothing: every attack as a superuser, with the server's state compared before and after. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { CassandraClient } from './index.ts';
import { ATTACKS, READS, TARGETS } from './test/attacks.ts';
import { cql, run, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: CassandraClient;
let write: CassandraClient;

beforeAll(async () => {
  database = await TestDatabase.create(...TARGETS);
  read = await database.open('read');
  write = await database.open('write');
});
afterAll(() => database.drop());

/** Everything that an attack could have changed. */
async function digest(): Promise<unknown> {
  const { name } = database;
  const states = [
    'SELECT id, name, writetime(name) FROM items',
    'SELECT * FROM hits',
    ...['tables', 'columns', 'indexes', 'types', 'functions'].map(
      (table) => `SELECT * FROM system_schema.${table} WHERE keyspace_name = '${name}'`,
    ),
    "SELECT salted_hash FROM system_auth.roles WHERE role = 'cassandra'",
    "SELECT role FROM system_auth.roles WHERE role = 'made'",
    "SELECT * FROM system_auth.role_permissions WHERE role = 'cassandra'",
  ];
  const found: unknown[] = [];
  for (const state of states) {
    const rows = await database.outside(state);
    // Permissions that come with other tests' tables and functions are none of these.
    found.push(rows.filter((row) => !row.some((text) => /^(data|functions)\/test_/.test(text))));
  }
  return found;
}

/** The ways in which a text can reach the server on a read. */
const WAYS: { way: string; send: (query: string) => Promise<unknown> }[] = [
  { way: 'query', send: (query) => read.run(cql(query), callOf('read')) },
  {
    way: 'query_single_page',
    send: (query) => read.run(cql(query, [], { type: 'query_single_page' }), callOf('read')),
  },
  { way: 'a stream', send: (query) => drained(read.stream(cql(query), callOf('read'))) },
  {
    way: 'query_unpaged_read_only on a write connection',
    send: (query) =>
      write.run(cql(query, [], { type: 'query_unpaged_read_only' }), callOf('write')),
  },
];

async function drained(stream: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  for await (const _ of stream ?? []);
}

describe('the attack corpus', () => {
  test.each(WAYS)('changes nothing by way of $way', async ({ send }) => {
    const before = await digest();
    const passed: string[] = [];
    for (const [attack, reason] of ATTACKS) {
      const failure = await failureOf(send(attack)).catch(() => undefined);
      const { code } = (failure ?? {}) as { code?: string };
      const wanted = reason.includes('by the server') ? 'REQUEST_FAILED' : 'BAD_REQUEST';
      if (code !== wanted) passed.push(`${attack}: ${code}`);
    }
    expect(passed).toEqual([]);
    expect(await digest()).toEqual(before);
  });

  test('has teeth: what it tries works on a write', async () => {
    await run(write, cql("INSERT INTO items (id, name) VALUES (9, 'nine')"), 'write');
    await run(write, cql('BEGIN BATCH DELETE FROM items WHERE id = 9; APPLY BATCH'), 'write');
    expect(await database.outside('SELECT id FROM items WHERE id = 9')).toEqual([]);
  });
});

test('types that write are not taken on a read, whatever they hold', async () => {
  for (const request of [
    cql('SELECT * FROM items', [], { type: 'execute' }),
    { type: 'batch', queries: ['DELETE FROM items WHERE id = 1'] } as CassandraRequest,
  ]) {
    expect(await failureOf(read.run(request, callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ path: 'type' }],
    });
  }
});

test('a trace is not taken on a read: the server writes it down', async () => {
  const traced = cql('SELECT * FROM items', [], { tracing: true });
  expect(await failureOf(read.run(traced, callOf('read')))).toMatchObject({ code: 'BAD_REQUEST' });
});

test.each(READS)('lets a reader read: %s', async (query) => {
  expect((await run(read, cql(query), 'read')).row_count).toBeGreaterThanOrEqual(0);
});

test('half of a surrogate pair is refused, which would become another text', async () => {
  const query = "INSERT INTO items (id, name) VALUES (1, 'a\ud800')";
  const batch = { type: 'batch', queries: [query] } as CassandraRequest;
  for (const request of [cql(query), batch]) {
    expect(await failureOf(write.run(request, callOf('write')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('query: holds half of a surrogate pair'),
    });
  }
});

test('nobody changes the keyspace of a connection', async () => {
  const failure = await failureOf(write.run(cql('USE system'), callOf('write')));
  expect(failure).toMatchObject({ code: 'BAD_REQUEST', details: [{ rule: 'session_statement' }] });
});
