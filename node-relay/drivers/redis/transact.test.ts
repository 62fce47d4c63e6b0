/** Transactions: MULTI and EXEC around operations, in one trip. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RedisRequest } from '../../../kinds/redis/command.ts';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf } from '../test/host.ts';
import { line, TestClient } from './test/client.ts';

let redis: TestClient;

beforeAll(async () => {
  redis = await TestClient.open();
});
beforeEach(async () => {
  await redis.say('FLUSHALL');
});
afterAll(() => redis.close());

async function transact(...requests: (RedisRequest | string)[]): Promise<unknown> {
  const all = requests.map((each) => (typeof each === 'string' ? line(each) : each));
  return jsonOf(await redis.session.transact(all, callOf('write')));
}

test('answers each operation by its own command', async () => {
  expect(await transact('SET a 1', 'INCR a', 'HSET h f v', 'HGETALL h', 'GET none')).toEqual([
    ...[{ result: 'OK' }, { result: 2 }, { result: 1 }, { result: { f: 'v' } }, { result: null }],
  ]);
});

test('goes in one trip: nobody sees it half done', async () => {
  await redis.say('CONFIG RESETSTAT');
  const seen = new Set<string>();
  const looking = (async () => {
    for (let times = 0; times < 200; times += 1) seen.add((await redis.say('EXISTS a b')) ?? '');
  })();
  for (let times = 0; times < 50; times += 1) {
    await transact('SET a 1', 'SET b 1');
    await transact('DEL a', 'DEL b');
  }
  await looking;
  expect([...seen].every((each) => each === '0' || each === '2')).toBe(true);
});

test('an operation that the server refuses applies none', async () => {
  expect(await failureOf(transact('SET a 1', 'GET', 'SET b 1'))).toMatchObject({
    code: 'REQUEST_FAILED',
    details: [{ source: 'redis', code: 'ERR', operation: 1 }],
  });
  expect(await redis.say('EXISTS a b')).toBe('0');
});

test('one that fails when all are run leaves the others applied, and says what they answered', async () => {
  const failure = await failureOf(transact('SET a text', 'LPUSH a 1', 'STRLEN a'));
  expect(failure).toMatchObject({ code: 'REQUEST_FAILED' });
  expect(failure).toHaveProperty('details', [
    {
      source: 'redis',
      code: 'WRONGTYPE',
      message: 'WRONGTYPE Operation against a key holding the wrong kind of value',
      operation: 1,
      applied: true,
    },
    { operation: 0, applied: true, result: 'OK' },
    { operation: 2, applied: true, result: 4 },
  ]);
  expect(await redis.say('GET a')).toBe('text');
});

test.each([
  ['MULTI', /transactions/],
  ['WATCH a', /transactions/],
  ['SELECT 1', /transactions/],
  ['SUBSCRIBE c', /events/],
  ['AUTH x', /who is on the connection/],
  ['MIGRATE 10.0.0.1 6379 a 0 1', /transactions/],
])('refuses %s before anything is sent', async (text, message) => {
  expect(await failureOf(transact('SET a 1', text))).toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(message),
    details: [{ operation: 1 }],
  });
  expect(await redis.say('EXISTS a')).toBe('0');
});

test('a pipeline is no operation', async () => {
  const pipeline = { type: 'pipeline' as const, pipeline: [line('PING')] };
  expect(await failureOf(transact(pipeline))).toMatchObject({ details: [{ operation: 0 }] });
});

test('what waits elsewhere does not wait here', async () => {
  expect(await transact('BLPOP none 0', 'PING')).toEqual([{ result: null }, { result: 'PONG' }]);
});
