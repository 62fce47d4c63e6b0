/** What callers are told, and how soon, when connections die, servers stop and logins fail. */
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { type StartedBackend, startBackend } from '../../../test/servers/backends.ts';
import { after, failureOf } from '../contract.ts';
import { callOf, openClient, testHost } from '../test/host.ts';
import { type PostgresClient, postgres } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE items (name text)');
});
afterAll(() => database.drop());

async function terminateAll(): Promise<void> {
  await database.outside.query(
    "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'causeway'",
  );
}

/** Waits until the server works on such a statement. */
async function untilBusy(words: string): Promise<void> {
  const query =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'causeway' AND state = 'active' AND query LIKE $1";
  const busy = async () => (await database.outside.query(query, [`%${words}%`])).rowCount;
  await expect.poll(busy).toBe(1);
}

describe('a connection that the server drops', () => {
  test('while idle is replaced before the next call, read or write', async () => {
    for (const mode of ['read', 'write'] as const) {
      const session = await database.open(mode);
      await Promise.all(
        [1, 2, 3].map(() => session.run(sql('SELECT pg_sleep(0.05)'), callOf(mode))),
      );
      await terminateAll();
      expect(await run(session, sql('SELECT 1 AS a'), mode)).toMatchObject({ rows: [{ a: 1 }] });
      await session.close();
    }
  });

  test('under a read on it is replaced by another, and the read answered', async () => {
    const session = await database.open('read', { connections: 1 });
    await session.run(sql('SELECT 1'), callOf('read'));
    const answer = run(session, sql('SELECT pg_sleep(2), 7 AS a'), 'read');
    await untilBusy('pg_sleep(2)');
    await terminateAll();
    expect(await answer).toMatchObject({ rows: [{ a: 7 }] });
  });

  test('under a write that had not ended changes nothing and says so', async () => {
    const session = await database.open('write', { connections: 1 });
    const answer = failureOf(
      session.run(sql("INSERT INTO items SELECT 'x' FROM pg_sleep(20)"), callOf('write')),
    );
    await untilBusy('INSERT INTO items');
    await terminateAll();
    expect(await answer).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: expect.stringContaining('nothing was changed'),
    });
    expect((await database.outside.query('SELECT * FROM items')).rows).toEqual([]);
    expect(await run(session, sql('SELECT 1 AS a'), 'write')).toMatchObject({ rows: [{ a: 1 }] });
  });
});

describe('a server that is stopped', () => {
  let server: StartedBackend;
  beforeAll(async () => {
    server = await startBackend('postgres');
  });
  afterAll(() => server.stop());

  const reason = new GatewayError('TIMED_OUT', 'The deadline passed');

  /** Stops or continues the server and all its processes. */
  async function signal(
    name: 'SIGSTOP' | 'SIGCONT',
    session: PostgresClient,
    pids: number[],
  ): Promise<void> {
    void session;
    for (const pid of [server.pid ?? 0, ...pids]) process.kill(pid, name);
  }

  test('holds nobody longer than the deadline and two seconds, and is used again when it goes on', async () => {
    const connection: Json = { url: server.url };
    const host = testHost(4);
    const read = await openClient(postgres, { connection, mode: 'read', host });
    const write = await openClient(postgres, { connection, mode: 'write', host });
    await run(write, sql('CREATE TABLE items (name text)'), 'write');
    const pids: number[] = [];
    for (const [session, mode] of [
      [read, 'read'],
      [write, 'write'],
    ] as const) {
      pids.push(
        Number((await run(session, sql('SELECT pg_backend_pid() AS pid'), mode)).rows[0]?.pid),
      );
    }
    // Until what the last calls left has been looked after.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await signal('SIGSTOP', read, pids);
    const started = performance.now();
    const failures = await Promise.all([
      failureOf(read.run(sql('SELECT 1'), callOf('read', { signal: after(1_000, reason) }))),
      failureOf(
        write.run(
          sql("INSERT INTO items VALUES ('x')"),
          callOf('write', { signal: after(1_000, reason) }),
        ),
      ),
      failureOf(read.ping(callOf('read', { signal: after(1_000, reason) }))),
    ]);
    expect(performance.now() - started).toBeLessThan(12_000);
    await signal('SIGCONT', read, pids);
    expect(failures[0]).toBe(reason);
    expect(failures[1]).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(failures[2]).toBe(reason);
    expect(await run(read, sql('SELECT 1 AS a'), 'read')).toMatchObject({ rows: [{ a: 1 }] });
    await Promise.all([read.close(), write.close()]);
  });

  test('is told apart from one that is full', async () => {
    const admin = await openClient(postgres, { connection: { url: server.url }, mode: 'write' });
    await run(admin, sql("CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 0"), 'write');
    const url = new URL(server.url);
    url.username = 'few';
    url.password = 'few';
    const few = await openClient(postgres, { connection: { url: url.href }, mode: 'read' });
    expect(await failureOf(few.run(sql('SELECT 1'), callOf('read')))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The server has too many connections',
      details: [],
    });
    await Promise.all([few.close(), admin.close()]);
  });
});

describe('a login', () => {
  const failing = async (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    const session = await database.open('read', {}, url.href);
    return failureOf(session.run(sql('SELECT 1'), callOf('read')));
  };

  test.each<[string, (url: URL) => void, string]>([
    [
      'a wrong password',
      (url) => (url.password = 'hunter2'),
      'Unable to connect to database: password authentication failed',
    ],
    [
      'no password',
      (url) => (url.password = ''),
      'Unable to connect to database: the server asks for a password, and the connection has none',
    ],
    [
      'a user that does not exist',
      (url) => (url.username = 'nobody'),
      'Unable to connect to database: password authentication failed',
    ],
    [
      'a database that does not exist',
      (url) => (url.pathname = '/missing'),
      'Unable to connect to database: the database does not exist',
    ],
    [
      'TLS that the server does not have',
      (url) => url.searchParams.set('sslmode', 'require'),
      'Unable to connect to database: the server does not support TLS',
    ],
    [
      'a checked certificate that it does not have',
      (url) => url.searchParams.set('sslmode', 'verify-full'),
      'Unable to connect to database: the server does not support TLS',
    ],
  ])('fails for %s, in words without address or credential', async (_, change, message) => {
    expect(await failing(change)).toMatchObject({
      code: 'CONNECTION_FAILED',
      message,
      details: [],
    });
  });

  test('fails for an option that the server refuses', async () => {
    expect(
      await failing((url) => url.searchParams.set('options', '-c work_mem=nonsense')),
    ).toMatchObject({ code: 'INVALID_CONFIGURATION' });
  });

  test('does not take PG* variables of the relay', async () => {
    for (const name of [
      'PGUSER',
      'PGPASSWORD',
      'PGDATABASE',
      'PGHOST',
      'PGOPTIONS',
      'PGSSLMODE',
      'PGAPPNAME',
      'PGREPLICATION',
      'PGSSLNEGOTIATION',
    ]) {
      vi.stubEnv(name, 'require');
    }
    const session = await database.open('read', {}, `${database.url}?sslmode=disable`);
    expect(
      await run(session, sql("SELECT current_setting('application_name') AS a"), 'read'),
    ).toMatchObject({ rows: [{ a: 'causeway' }] });
    vi.unstubAllEnvs();
  });

  test('gives up on a server that says nothing', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const session = await database.open(
      'read',
      {},
      `postgres://u:p@127.0.0.1:${port}/d?connect_timeout=1`,
    );
    const started = performance.now();
    expect(await failureOf(session.run(sql('SELECT 1'), callOf('read')))).toMatchObject({
      code: 'CONNECTION_FAILED',
      message:
        'Unable to connect to database: the server did not answer the TLS handshake in time: it may not speak TLS on this port',
    });
    expect(performance.now() - started).toBeLessThan(8_000);
    silent.close();
  });
});
