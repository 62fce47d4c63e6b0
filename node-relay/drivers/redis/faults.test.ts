/** Servers and connections that fail, hang or are slow: what callers are told, and that nothing happens twice. */

import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReplyStatus } from '../../../kinds/redis/reply-value.ts';
import {
  onRedis,
  ownRedis,
  type RedisServer as Program,
} from '../../../test/servers/redis-server.ts';
import { after, failureOf } from '../contract.ts';
import { testHost } from '../test/host.ts';
import { TestProxy } from './test/proxy.ts';
import { bounds, open, plain, say, words } from './test/server.ts';

const late = new Error('late');
let program: Program;
let proxy: TestProxy;

beforeAll(async () => {
  program = await ownRedis({ modules: false });
  proxy = await TestProxy.to(program.port);
});
afterAll(async () => {
  proxy?.close();
  await program?.stop();
});

const url = (port = proxy.port) => `redis://127.0.0.1:${port}`;

/** Cuts the connection of a call that was sent and is not answered. */
async function cutUnder<Value>(call: () => Promise<Value>): Promise<Value> {
  proxy.silent = true;
  const before = proxy.swallowed;
  const outcome = call();
  await expect.poll(() => proxy.swallowed).toBeGreaterThan(before);
  proxy.cut();
  proxy.silent = false;
  return outcome;
}

/** Waits until so many callers wait at the server itself. */
async function untilBlocked(callers: number): Promise<void> {
  const clients = async () => String((await onRedis(program.url, ['INFO', 'clients']))[0]);
  await expect.poll(clients).toContain(`blocked_clients:${callers}\r`);
}

test('a read is sent again when its connection is cut, a write is not', async () => {
  const server = await open(url());
  await say(server, [words('set', 'cut', '0')]);
  const write = await cutUnder(() => failureOf(say(server, [words('incr', 'cut')])));
  expect(write).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(await say(server, [words('get', 'cut')], 'read')).toEqual(['1']);
  const get = await cutUnder(() => failureOf(say(server, [words('get', 'cut')])));
  expect(get).toMatchObject({ code: 'CONNECTION_FAILED' });
  expect(await say(server, [words('get', 'cut')], 'read')).toEqual(['1']);
  const opened = proxy.opened;
  expect(await cutUnder(() => say(server, [words('get', 'cut')], 'read'))).toEqual(['1']);
  expect(proxy.opened - opened).toBe(1);
  await server.close();
});

test('a borrowed connection says that it is lost, and its write is of unknown outcome', async () => {
  const server = await open(url());
  const link = await server.borrow([], AbortSignal.timeout(5_000));
  const lost: Error[] = [];
  link.onLost = (cause) => lost.push(cause);
  const blocked = failureOf(link.send([words('blpop', 'never', '0')], bounds('write')));
  await untilBlocked(1);
  proxy.cut();
  expect(await blocked).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(lost).toHaveLength(1);
  expect(link.lost).toBeDefined();
  expect(await failureOf(say(link, [words('ping')]))).toMatchObject({ code: 'CONNECTION_FAILED' });
  link.release(false);
  await server.close();
});

test('the server lets go of a blocked command when its caller has gone', async () => {
  const server = await open(url(program.port), testHost(2));
  const link = await server.borrow([], AbortSignal.timeout(5_000));
  const leaving = new AbortController();
  const { signal } = leaving;
  const blocked = failureOf(link.send([words('blpop', 'never', '0')], bounds('write', { signal })));
  await untilBlocked(1);
  leaving.abort(late);
  expect(await blocked).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  link.release(false);
  await untilBlocked(0);
  await server.close();
});

test('refuses callers whose time is up before anything is sent', async () => {
  const server = await open(url());
  const signal = AbortSignal.abort(late);
  expect(await failureOf(server.send([words('incr', 'n')], bounds('write', { signal })))).toBe(
    late,
  );
  const aborter = new AbortController();
  const write = failureOf(
    server.send([words('incr', 'n')], bounds('write', { signal: aborter.signal })),
  );
  aborter.abort(late);
  expect(await write).toBe(late);
  await sleep(20);
  expect(await onRedis(program.url, ['EXISTS', 'n'])).toEqual([0]);
  await server.close();
});

describe('a server that stands still', () => {
  test('holds nobody beyond their own deadline, and is used again once it goes on', async () => {
    const server = await open(url(program.port), testHost(1));
    await say(server, [words('ping')]);
    process.kill(program.pid, 'SIGSTOP');
    try {
      const signal = after(1_500, late);
      const read = failureOf(server.send([words('get', 'a')], bounds('read', { signal })));
      const write = failureOf(server.send([words('incr', 'a')], bounds('write', { signal })));
      // Sent to /write it stays a read.
      const get = failureOf(server.send([words('get', 'a')], bounds('write', { signal })));
      expect([await read, await get]).toEqual([late, late]);
      expect(await write).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    } finally {
      process.kill(program.pid, 'SIGCONT');
    }
    expect(await say(server, [words('echo', 'back')], 'read')).toEqual(['back']);
    await server.close();
  });

  test('is reached by another connection when only the old one is silent', async () => {
    const server = await open(url(), testHost(1));
    await say(server, [words('ping')]);
    proxy.silent = true;
    const signal = after(1_200, late);
    expect(await failureOf(server.send([words('get', 'a')], bounds('read', { signal })))).toBe(
      late,
    );
    proxy.silent = false;
    const opened = proxy.opened;
    expect(await say(server, [words('echo', 'back')], 'read')).toEqual(['back']);
    expect(proxy.opened - opened).toBe(1);
    await server.close();
  });

  test('is given up on while logging in', async () => {
    proxy.silent = true;
    const server = await open(`${url()}?connectTimeout=200`);
    const failure = await failureOf(say(server, [words('ping')]));
    proxy.silent = false;
    expect(failure).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: 'Unable to connect to database: the server did not answer in time',
    });
    await server.close();
  });
});

describe('a hostile server', () => {
  const hello = '%1\r\n+proto\r\n:3\r\n';

  test.each([
    [
      'says something else when spoken to',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      '',
      'CONNECTION_FAILED',
    ],
    ['hangs up', '', '', 'CONNECTION_FAILED'],
    ['answers garbage', hello, '\u0000garbage\r\n', 'OUTCOME_UNKNOWN'],
    ['answers lists within lists', hello, '*1\r\n'.repeat(100_000), 'RESULT_TOO_LARGE'],
    ['answers more than was asked', hello, '+a\r\n+b\r\n+c\r\n', undefined],
    ['answers a string of all lengths', hello, '$99999999999999\r\n', 'OUTCOME_UNKNOWN'],
    ['answers a list of all lengths', hello, '*4294967295\r\n:1\r\n', 'RESULT_TOO_LARGE'],
    ['pushes without end', hello, `>2\r\n$${2 ** 32}\r\n`, 'OUTCOME_UNKNOWN'],
  ])('that %s ends its connection and nothing else', async (_, login, reply, code) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        if (login === '') socket.end();
        else socket.write(login);
        socket.on('data', () => socket.write(reply));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // It listens on a port.
    const driver = await open(url(port), testHost(1));
    const outcome = driver.send([words('incr', 'a')], bounds('write'));
    if (code === undefined) expect(await outcome).toEqual([new ReplyStatus('a')]);
    else expect(await failureOf(outcome)).toMatchObject({ code });
    await driver.close();
    server.close();
  });
});

test.each([
  [
    '-ERR max number of clients reached',
    'SERVICE_UNAVAILABLE',
    'The server has too many connections',
  ],
  [
    '-DENIED Redis is running in protected mode',
    'CONNECTION_FAILED',
    'Unable to connect to database: the server does not let anybody in from here',
  ],
])('says why a server hangs up at once: %s', async (said, code, message) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(`${said}\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // As above.
  const driver = await open(url(port));
  expect(await failureOf(say(driver, [words('ping')]))).toMatchObject({ code, message });
  await driver.close();
  server.close();
});

test('tells no address of a server that cannot be reached', async () => {
  const server = await open('redis://:secret@127.0.0.1:1');
  const failure = await failureOf(say(server, [words('ping')]));
  expect(failure).toMatchObject({ code: 'CONNECTION_FAILED' });
  expect(String(failure)).not.toMatch(/127\.0\.0\.1|secret/);
  await server.close();
});

test('every reply belongs to its caller, even when others leave at any moment', async () => {
  const server = await open(url());
  const aborts = fc.sample(fc.option(fc.nat(40), { freq: 1, nil: undefined }), 2_000);
  let answered = 0;
  const calls = aborts.map(async (leavesAfter, index) => {
    await sleep(index / 20);
    const signal =
      leavesAfter === undefined ? AbortSignal.timeout(55_000) : after(leavesAfter, late);
    const own = `${index}:${'x'.repeat(index % 97)}`;
    const commands = [
      words('echo', own),
      words('incr', `count:${index}`),
      words('echo', `${own}!`),
    ];
    try {
      const replies = await server.send(commands, bounds('write', { signal }));
      expect(replies.map(plain)).toEqual([own, 1, `${own}!`]);
      answered += 1;
    } catch (error) {
      expect(leavesAfter).toBeDefined();
      expect([late, 'OUTCOME_UNKNOWN']).toContain(
        error === late ? late : (error as { code: string }).code,
      );
    }
  });
  await Promise.all(calls);
  expect(answered).toBeGreaterThan(500);
  const keys = aborts.map((_, index) => `count:${index}`);
  const [counts] = await onRedis(program.url, ['MGET', ...keys]);
  expect((counts as string[]).filter((each) => Number(each) > 1)).toEqual([]);
  await server.close();
});

test('no write happens twice, and no reply is taken for another, while connections are cut', async () => {
  const server = await open(url());
  const outcomes = { done: 0, unknown: 0, failed: 0 };
  let cutting = true;
  // By what has come about, not by the clock: a busy machine gets little done in 50 ms.
  const cutter = (async () => {
    for (let next = 25; cutting; next = outcomes.done + 25) {
      while (cutting && outcomes.done < next) await sleep(10);
      proxy.cut();
    }
  })();
  const calls = Array.from({ length: 1_500 }, async (_, index) => {
    await sleep(index / 2);
    const key = `cut:${index}`;
    const write = await server.send([words('incr', key)], bounds()).catch((error) => error);
    if (Array.isArray(write)) {
      outcomes.done += 1;
      expect(write).toEqual([1]);
    } else if (write.code === 'OUTCOME_UNKNOWN') outcomes.unknown += 1;
    else outcomes.failed += 1;
    const read = await server.send([words('echo', key)], bounds('read')).catch((error) => error);
    if (Array.isArray(read)) expect(plain(read[0])).toBe(key);
  });
  await Promise.all(calls);
  cutting = false;
  await cutter;
  const keys = Array.from({ length: 1_500 }, (_, index) => `cut:${index}`);
  const [counts] = await onRedis(program.url, ['MGET', ...keys]);
  const numbers = (counts as (string | null)[]).map(Number);
  expect(numbers.filter((each) => each > 1)).toEqual([]);
  expect(numbers.filter((each) => each === 1).length).toBeGreaterThanOrEqual(outcomes.done);
  expect(outcomes.done).toBeGreaterThan(20);
  await server.close();
});
