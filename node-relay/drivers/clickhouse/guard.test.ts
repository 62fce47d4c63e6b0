/** `/read` can change nothing: every attack as a user with all rights, with the server's state compared before and after. */
import { existsSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { ClickhouseClient } from './index.ts';
import { ATTACKS, READS, TARGETS } from './test/attacks.ts';
import { run, sql, TestDatabase } from './test/database.ts';

const ATTACK_FILE = '/tmp/causeway-clickhouse-attack';
let database: TestDatabase;
let read: ClickhouseClient;
let write: ClickhouseClient;

beforeAll(async () => {
  database = await TestDatabase.create(...TARGETS);
  read = await database.open('read');
  write = await database.open('write');
});
afterAll(() => database.drop());

/** Everything that an attack could have changed. */
async function digest(): Promise<unknown> {
  const states = [
    'SELECT * FROM items ORDER BY id',
    'SELECT count() FROM log',
    'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() ORDER BY name',
    "SELECT name FROM system.databases WHERE name = 'made'",
    "SELECT name FROM system.functions WHERE origin != 'System'",
    'SELECT count() FROM system.mutations WHERE database = currentDatabase()',
  ];
  const found: unknown[] = [];
  for (const state of states) found.push(await database.outside(state));
  return { found, file: existsSync(ATTACK_FILE) };
}

/** The ways in which a text can reach the server on a read. */
const WAYS: { way: string; send: (query: string) => Promise<unknown> }[] = [
  { way: 'query', send: (query) => read.run(sql(query), callOf('read')) },
  { way: 'a stream', send: (query) => drained(read.stream(sql(query), callOf('read'))) },
  {
    way: 'fetch_bytes',
    send: (query) =>
      read.run(sql(query, {}, { type: 'fetch_bytes', format: 'CSV' }), callOf('read')),
  },
  {
    way: 'query_read_only on a write connection',
    send: (query) => write.run(sql(query, {}, { type: 'query_read_only' }), callOf('write')),
  },
];

async function drained(stream: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  for await (const _ of stream ?? []);
}

describe('the attack corpus', () => {
  test.each(WAYS)('changes nothing by way of $way', async ({ send }) => {
    rmSync(ATTACK_FILE, { force: true });
    const before = await digest();
    const passed: string[] = [];
    for (const [attack, reason] of ATTACKS) {
      const failure = await failureOf(send(attack)).catch(() => undefined);
      const { code } = (failure ?? {}) as { code?: string };
      const byServer = reason.includes('by the server') || reason === 'cannot be read';
      if (code !== 'BAD_REQUEST' && !(byServer && code === 'REQUEST_FAILED')) passed.push(attack);
    }
    expect(passed).toEqual([]);
    expect(await digest()).toEqual(before);
  });

  test('has teeth: what it tries works on a write', async () => {
    await write.run(sql("INSERT INTO items SELECT 3, 'three'"), callOf('write'));
    await write.run(sql('CREATE FUNCTION IF NOT EXISTS bitten AS (x) -> x'), callOf('write'));
    expect(await database.outside('SELECT bitten(count()) FROM items')).toEqual([['3']]);
    await write.run(sql('DROP FUNCTION bitten'), callOf('write'));
    await write.run(
      sql('DELETE FROM items WHERE id = 3', {}, { settings: { lightweight_deletes_sync: 2 } }),
      callOf('write'),
    );
  });
});

describe('reads', () => {
  test.each(READS)('pass: %s', async (query) => {
    expect(await run(read, sql(query), 'read')).toMatchObject({ row_count: expect.any(Number) });
  });

  test('run with readonly = 1, which neither URL nor request lifts', async () => {
    const url = `${database.url}?ch_max_threads=1`;
    const session = await database.open('read', { allow_functions: true }, 1, { url });
    const query = "SELECT getSetting('readonly') AS r, getSetting('max_threads') AS t";
    expect((await run(session, sql(query), 'read')).rows).toEqual([{ r: 1, t: 1 }]);
    await expect(
      database.open('read', {}, 1, { url: `${database.url}?ch_readonly=0` }),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
  });

  test('name what is wrong with a statement', async () => {
    expect(await failureOf(read.run(sql('SELEC 1'), callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'SELEC is not taken on /read; send it to /write',
    });
    expect(
      await failureOf(read.run(sql("SELECT * FROM url('http://x/')"), callOf('read'))),
    ).toMatchObject({ details: [{ rule: 'read_function', path: 'query', function: 'url' }] });
    expect(await failureOf(read.run(sql('SELECT 1 FORMAT CSV'), callOf('read')))).toMatchObject({
      message: expect.stringContaining('fetch_bytes'),
    });
  });
});

test.each([
  ['COUNT', 'SELECT COUNT(1)'],
  ['ToString', 'SELECT arrayMap(x -> `ToString`(x), [1])'],
  ['sumif', 'SELECT number APPLY sumif FROM numbers(1)'],
  ['polygon', 'SELECT polygon\n(1)'],
  ['`values`', 'SELECT values(1)'],
  ['LOWER', 'SELECT arrayMap(LOWER, [1])'],
])(
  "a user's function %s goes ahead of what the server has in other letters: %s",
  async (name, query) => {
    await write.run(sql(`CREATE FUNCTION ${name} AS (x) -> x`), callOf('write'));
    try {
      const session = await database.open('read');
      expect(await failureOf(session.run(sql(query), callOf('read')))).toMatchObject({
        code: 'BAD_REQUEST',
        details: [{ rule: expect.stringMatching(/^read_(?:user_)?function$/) }],
      });
      const other = await database.open('read', { allow_functions: [name.replaceAll('`', '')] });
      await other.run(sql('SELECT 1'), callOf('read'));
    } finally {
      await write.run(sql(`DROP FUNCTION ${name}`), callOf('write'));
    }
  },
);

describe('allow_functions', () => {
  test.each<{ allow: Json; code: string }>([
    { allow: true, code: 'REQUEST_FAILED' },
    { allow: ['FILE'], code: 'REQUEST_FAILED' },
    { allow: ['url'], code: 'BAD_REQUEST' },
    { allow: [], code: 'BAD_REQUEST' },
    { allow: false, code: 'BAD_REQUEST' },
  ])('$allow lets a function through to the server: $code', async ({ allow, code }) => {
    const session = await database.open('read', { allow_functions: allow });
    const query = sql("SELECT file('no-such-file')");
    expect(await failureOf(session.run(query, callOf('read')))).toMatchObject({ code });
  });

  test('never gives the password of the connection away', async () => {
    for (const [session, mode] of [
      [await database.open('read', { allow_functions: true }), 'read'],
      [write, 'write'],
    ] as const) {
      for (const name of [
        'getClientHTTPHeader',
        'GETCLIENTHTTPHEADER',
        '`getClientHTTPHeader`',
        '"get\\x43lient\\NHTTPHeader"',
        'arrayMap(getClientHTTPHeader, [1]), identity',
        'eval',
      ]) {
        const query = `SELECT ${name}('Authorization') SETTINGS allow_get_client_http_header = 1`;
        expect(await failureOf(session.run(sql(query), callOf(mode)))).toMatchObject({
          code: 'BAD_REQUEST',
        });
      }
    }
  });
});
