/** Blocking connections leave enough for calls that do not block, however many are opened. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf, testHost } from '../test/host.ts';
import { line, TestClient } from './test/client.ts';

const REFUSED = { code: 'POOL_EXHAUSTED', retryAfter: 1 };

let redis: TestClient;
beforeAll(async () => {
  redis = await TestClient.open({ modules: false }, testHost(10));
});
afterAll(() => redis.close());

/** Begins a subscription; answers what ends it. */
async function subscribe(): Promise<() => void> {
  const controller = new AbortController();
  const call = callOf('read', { signal: controller.signal });
  const events = redis.session.watch(line('SUBSCRIBE news'), call);
  await events[Symbol.asyncIterator]().next();
  return () => controller.abort(new Error('left'));
}

describe('of ten connections', () => {
  test('four may subscribe, and five sessions and everybody else go on', async () => {
    const leaving = [await subscribe(), await subscribe(), await subscribe(), await subscribe()];
    expect(await failureOf(subscribe())).toMatchObject(REFUSED);
    expect(await failureOf(redis.run('BLPOP queue 1'))).toMatchObject(REFUSED);
    const leases = await Promise.all(Array.from({ length: 5 }, () => redis.lease()));
    expect(await redis.run('SET a 1')).toEqual({ result: 'OK' });
    expect(await redis.run('GET a', 'read')).toEqual({ result: '1' });
    await Promise.all(leases.map((lease) => lease.close()));
    leaving.pop()?.();
    const last = await subscribe();
    for (const leave of [...leaving, last]) leave();
  });

  test('four may wait, and give their places back when they have waited', async () => {
    await expect.poll(() => redis.say('CLIENT LIST TYPE pubsub')).toBe('');
    const waiting = Array.from({ length: 4 }, () => redis.run('BLPOP queue 20'));
    await expect.poll(() => redis.say('CLIENT LIST')).toMatch(/(?:cmd=blpop[\s\S]*){4}/);
    expect(await failureOf(redis.run('BLPOP queue 1'))).toMatchObject(REFUSED);
    expect(await redis.run('RPUSH queue 1 2 3 4')).toEqual({ result: expect.any(Number) });
    expect(await Promise.all(waiting)).toHaveLength(4);
    expect(await redis.run('BLPOP queue 0.01')).toEqual({ result: null });
    expect(await failureOf(redis.run('BLPOP wrong nonumber'))).toMatchObject({
      code: 'REQUEST_FAILED',
    });
    for (let count = 0; count < 5; count += 1) await redis.run('BLPOP queue 0.01');
  });
});

test('of one connection, it may wait itself', async () => {
  const one = await TestClient.open({ modules: false }, testHost(1));
  expect(await one.run('BLPOP queue 0.01')).toEqual({ result: null });
  await one.close();
});
