/** Sessions: what one caller sets is there for their next request, and for nobody else. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, testHost } from '../test/host.ts';
import { line, TestClient, type TestLease } from './test/client.ts';

let redis: TestClient;
let lease: TestLease;
let other: TestLease;

beforeAll(async () => {
  redis = await TestClient.open({ modules: false }, testHost(8));
});
beforeEach(async () => {
  await redis.say('FLUSHALL');
  await Promise.all([lease?.close(), other?.close()]);
  [lease, other] = await Promise.all([redis.lease(), redis.lease()]);
});
afterAll(async () => {
  await Promise.all([lease.close(), other.close()]);
  await redis.close();
});

const refused = (code: string, message: RegExp) => ({
  code,
  message: expect.stringMatching(message),
});

test('MULTI queues, and EXEC answers each by its own command', async () => {
  expect(await lease.run('MULTI')).toEqual({ result: 'OK' });
  expect(await lease.run('ZADD z 1.5 a')).toEqual({ result: 'QUEUED' });
  await lease.run('ZRANGE z 0 -1 WITHSCORES');
  await lease.run('HSET h f v');
  await lease.run('HGETALL h');
  expect(await redis.say('EXISTS z')).toBe('0');
  expect(await lease.run('EXEC')).toEqual({
    result: [1, [{ member: 'a', score: 1.5 }], 1, { f: 'v' }],
  });
  expect(await redis.say('EXISTS z')).toBe('1');
});

test('a command that fails at EXEC stands in its place', async () => {
  await lease.run('SET a text');
  await lease.run('MULTI');
  await lease.run('LPUSH a 1');
  await lease.run('GET a');
  expect(await lease.run('EXEC')).toEqual({
    result: [
      {
        error: 'Request failed',
        message: 'WRONGTYPE Operation against a key holding the wrong kind of value',
        code: 'WRONGTYPE',
      },
      'text',
    ],
  });
});

test('EXEC applies nothing after a command that could not be queued', async () => {
  await lease.run('MULTI');
  await lease.run('SET a 1');
  expect(await failureOf(lease.run('GET'))).toMatchObject(
    refused('REQUEST_FAILED', /^ERR wrong number of arguments/),
  );
  expect(await failureOf(lease.run('EXEC'))).toMatchObject({
    code: 'REQUEST_FAILED',
    details: [{ source: 'redis', code: 'EXECABORT' }],
  });
  expect(await redis.say('EXISTS a')).toBe('0');
  expect(await lease.run('SET a 1')).toEqual({ result: 'OK' });
});

test('EXEC answers null when a watched key was changed', async () => {
  await lease.run('WATCH a');
  await redis.say('SET a outside');
  await lease.run('MULTI');
  await lease.run('SET a inside');
  expect(await lease.run('EXEC')).toEqual({ result: null });
  expect(await redis.say('GET a')).toBe('outside');
});

test('a pipeline may hold a whole transaction', async () => {
  const pipeline = ['MULTI', 'HSET h f v', 'HGETALL h', 'EXEC'].map(line);
  expect(await lease.run({ type: 'pipeline', pipeline })).toEqual({
    results: [
      ...[{ result: 'OK' }, { result: 'QUEUED' }, { result: 'QUEUED' }],
      { result: [1, { f: 'v' }] },
    ],
  });
});

test('reads are refused while a transaction is open, and go on after it', async () => {
  await lease.run('MULTI');
  expect(await failureOf(lease.run('GET a', 'read'))).toMatchObject({ code: 'TRANSACTION_OPEN' });
  await lease.run('DISCARD');
  expect(await lease.run('GET a', 'read')).toEqual({ result: null });
  expect(await failureOf(lease.run('SET a 1', 'read'))).toMatchObject(
    refused('BAD_REQUEST', /set writes/),
  );
});

test('what is selected is selected for this session alone', async () => {
  await lease.run('SELECT 5');
  await lease.run('SET a five');
  expect(await other.run('GET a')).toEqual({ result: null });
  expect(await redis.run('GET a')).toEqual({ result: null });
  expect(await lease.run('GET a')).toEqual({ result: 'five' });
});

test('none of it is left when it is closed', async () => {
  await lease.run('SELECT 5');
  await lease.run('CLIENT SETNAME mine');
  await lease.run('MULTI');
  await lease.run('SET a 1');
  await lease.close();
  const next = await redis.lease();
  expect(await next.run('SET b 2')).toEqual({ result: 'OK' });
  expect(await redis.say('EXISTS a b')).toBe('1');
  const { result } = (await next.run('CLIENT INFO')) as { result: string };
  expect(result).not.toContain('name=mine');
  expect(result).toContain(' db=0 ');
  await next.close();
});

test('messages and invalidations come with the next result', async () => {
  await lease.run('CLIENT TRACKING ON');
  await lease.run('GET a');
  expect(await lease.run('SUBSCRIBE news')).toEqual({ result: ['subscribe', 'news', 1] });
  await redis.say('SET a 1');
  await redis.say('PUBLISH news hello');
  expect(await lease.run('PING')).toEqual({
    result: 'PONG',
    pushes: [
      { type: 'invalidate', keys: ['a'] },
      { type: 'message', channel: 'news', message: 'hello' },
    ],
  });
  expect(await lease.run('UNSUBSCRIBE news')).toEqual({ result: ['unsubscribe', 'news', 0] });
  await redis.say('PUBLISH news unheard');
  expect(await lease.run('PING')).toEqual({ result: 'PONG' });
});

test('a session that does not hear its messages ends, and says so', async () => {
  await lease.run('SUBSCRIBE news');
  const message = 'x'.repeat(100_000);
  for (let count = 0; count < 12; count += 1) await redis.say(`PUBLISH news ${message}`);
  await expect
    .poll(() => failureOf(lease.run('PING')).catch(() => undefined))
    .toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
});

test('waits for an element, and is told when the time is up without losing one', async () => {
  const waiting = lease.run('BLPOP queue 0');
  await expect.poll(() => redis.say('CLIENT LIST')).toContain('cmd=blpop');
  await redis.say('RPUSH queue one');
  expect(await waiting).toEqual({ result: ['queue', 'one'] });
  const late = { ...line('BLPOP queue 0'), timeout_ms: 200 };
  expect(await failureOf(lease.run(late))).toMatchObject({ code: 'TIMED_OUT' });
  await redis.say('RPUSH queue two');
  expect(await lease.run('LPOP queue')).toEqual({ result: 'two' });
});

test('closing it ends what waits', async () => {
  const waiting = failureOf(lease.run('BLPOP queue 0'));
  await expect.poll(() => redis.say('CLIENT LIST')).toContain('cmd=blpop');
  await lease.close();
  expect(await waiting).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await expect.poll(() => redis.say('CLIENT LIST')).not.toContain('flags=b');
});

test('a call that was stopped takes the session with it', async () => {
  const controller = new AbortController();
  const stopped = failureOf(lease.run('BLPOP queue 0', 'write', { signal: controller.signal }));
  await expect.poll(() => redis.say('CLIENT LIST')).toContain('cmd=blpop');
  controller.abort(new Error('gone'));
  await stopped;
  expect(await failureOf(lease.run('PING'))).toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test.each([
  'AUTH secret',
  'HELLO 2',
  'RESET',
  'QUIT',
  'CLIENT REPLY OFF',
  'SCRIPT DEBUG YES',
  'SYNC',
  'PSYNC ? -1',
  'REPLCONF listening-port 1',
  'MONITOR',
])('refuses %s, which would change who is on the connection or what it answers', async (text) => {
  expect(await failureOf(lease.run(text))).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await lease.run('PING')).toEqual({ result: 'PONG' });
});

test('counts among the connections of its endpoint', async () => {
  const small = await TestClient.open({ modules: false }, testHost(1));
  const only = await small.lease();
  const second = small.session.lease(callOf('write', { signal: AbortSignal.timeout(300) }));
  expect(await failureOf(second)).toBeInstanceOf(Error);
  await only.close();
  expect(await small.run('PING')).toEqual({ result: 'PONG' });
  await small.close();
});
