/** Connections that break, calls that are stopped, and what the server does then. */
import { createServer, connect as dialTcp, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { after, failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
const doors: { server: Server; sockets: Set<Socket> }[] = [];
beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE t (v int)');
});
afterEach(() => {
  for (const { server, sockets } of doors.splice(0)) {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
});
afterAll(() => database.drop());

/** The server's address behind a door that can be slammed. */
async function door(): Promise<{ url: string; slam(): void; mute(): void }> {
  const { hostname, port } = new URL(database.url);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const there = dialTcp(Number(port), hostname);
    for (const each of [socket, there]) {
      sockets.add(each);
      each.on('error', () => {}).on('close', () => [socket, there].map((end) => end.destroy()));
    }
    socket.pipe(there).pipe(socket);
  });
  doors.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(database.url);
  url.port = String(typeof address === 'object' ? address?.port : '');
  const each = (act: (socket: Socket) => unknown) => {
    for (const socket of sockets) act(socket);
  };
  return {
    url: url.href,
    slam: () => each((socket) => socket.destroy()),
    mute: () => each((socket) => socket.unpipe().pause()),
  };
}

function running(text: string): Promise<number> {
  return database
    .look(
      `SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE INFO LIKE '%${text}%' AND ID <> connection_id()`,
    )
    .then(([row]) => Number((row as { n: unknown }).n));
}

async function connectionId(session: MysqlClient): Promise<unknown> {
  return (await run(session, sql('SELECT connection_id() AS id'), 'read')).rows[0]?.id;
}

test('replaces a connection that the server dropped while idle', async () => {
  for (const mode of ['read', 'write'] as const) {
    const session = await database.open(mode, { connections: 1 });
    const { rows } = await run(session, sql('SELECT connection_id() AS id'), mode);
    await database.outside.query(`KILL ${rows[0]?.id}`);
    expect((await run(session, sql('SELECT 1 AS a'), mode)).rows).toEqual([{ a: 1 }]);
  }
});

test('tries a read again on another connection when its own turns out dead', async () => {
  const { url, slam } = await door();
  const session = await database.open('read', { connections: 1 }, url);
  await connectionId(session);
  const result = run(session, sql('SELECT 2 AS a'), 'read');
  slam();
  expect((await result).rows).toEqual([{ a: 2 }]);
});

test('says that the outcome is unknown when a write is sent and the connection lost', async () => {
  const { url, slam } = await door();
  const session = await database.open('write', { connections: 1 }, url);
  const failing = failureOf(run(session, sql('INSERT INTO t SELECT sleep(8)'), 'write'));
  await expect.poll(() => running('INSERT INTO t SELECT sleep')).toBeGreaterThan(0);
  slam();
  expect(await failing).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
});

test.each([
  { what: 'a deadline', reason: new GatewayError('TIMED_OUT', 'The deadline passed') },
  { what: 'a client that is gone', reason: new Error('gone') },
])('stops the server on $what: a read', async ({ reason }) => {
  const session = await database.open('read', { connections: 1 });
  const before = await connectionId(session);
  const stopping = new AbortController();
  const call = callOf('read', { signal: stopping.signal });
  const failing = failureOf(session.run(sql('SELECT sleep(120), 12345'), call));
  await expect.poll(() => running('12345')).toBe(1);
  stopping.abort(reason);
  expect(await failing).toBe(reason);
  await expect.poll(() => running('12345')).toBe(0);
  expect(await connectionId(session)).not.toBe(before);
});

test('stops the server at the deadline: a write, which then changes nothing', async () => {
  await database.outside.query('CREATE TABLE many (v int); INSERT INTO many VALUES (1), (2), (3)');
  const session = await database.open('write', { connections: 1 });
  const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
  const call = callOf('write', { signal: after(300, reason) });
  const failure = await failureOf(session.run(sql('UPDATE many SET v = v + 10 + sleep(5)'), call));
  expect(failure).toBe(reason);
  expect(await database.look('SELECT min(v) AS a, max(v) AS b FROM many')).toEqual([
    { a: 1, b: 3 },
  ]);
});

test('cuts a connection whose server does not answer the cancel', async () => {
  const { url, mute } = await door();
  const session = await database.open('read', { connections: 1 }, url);
  await connectionId(session);
  mute();
  const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
  const started = performance.now();
  expect(
    await failureOf(session.run(sql('SELECT 1'), callOf('read', { signal: after(100, reason) }))),
  ).toBe(reason);
  expect(performance.now() - started).toBeLessThan(12_000);
});

test('rolls back a transaction that is stopped', async () => {
  const session = await database.open('write', { connections: 1 });
  const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
  const requests = [sql('INSERT INTO t VALUES (99)'), sql('SELECT sleep(20)')];
  const failure = await failureOf(
    session.transact(requests, callOf('write', { signal: after(200, reason) })),
  );
  expect(failure).toMatchObject({ code: 'TIMED_OUT' });
  await expect
    .poll(() => database.look('SELECT count(*) AS n FROM t WHERE v = 99'))
    .toEqual([{ n: 0 }]);
});

test('holds its caps under 200 calls at once', async () => {
  const session = await database.open('read', { connections: 3 });
  const ids = await Promise.all(Array.from({ length: 200 }, () => connectionId(session)));
  expect(new Set(ids).size).toBeLessThanOrEqual(3);
});

test('frees its sockets on release', async () => {
  const session = await database.open('read', { connections: 3 });
  const ids = await Promise.all([1, 2, 3].map(() => connectionId(session)));
  await session.close();
  const left = () =>
    database.look(
      `SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE ID IN (${ids.join(', ')})`,
    );
  await expect.poll(left).toEqual([{ n: 0 }]);
});
