/** What is left of a Redis session, and what callers are told, when the relay dies that serves them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscribe } from './event-stream.ts';
import { type OwnGateway, startGateway } from './gateway.ts';
import { killRelay } from './processes.ts';
import { type RedisEndpoint, redisEndpoint } from './redis-endpoint.ts';
import { ownRedis, type RedisServer } from './servers/redis-server.ts';

let gateway: OwnGateway;
let server: RedisServer;
let redis: RedisEndpoint;

beforeAll(async () => {
  // A script stops the whole server for a while.
  [gateway, server] = await Promise.all([startGateway(), ownRedis({ modules: false })]);
  redis = await redisEndpoint(gateway, server.url);
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), server?.stop()]);
});

test('a transaction that was open is not kept, and its session is gone', async () => {
  const { write, open, say } = redis;
  const headers = await open();
  await write({ type: 'multi' }, headers);
  expect(await write({ type: 'set', args: ['held', '1'] }, headers)).toMatchObject({ status: 200 });
  await killRelay(gateway.pid);
  await expect
    .poll(async () => (await write({ type: 'exists', args: ['held'] })).body, {
      interval: 200,
    })
    .toMatchObject({ data: { result: 0 } });
  expect(await write({ type: 'exec' }, headers)).toMatchObject({ status: 404 });
  expect(await say('EXISTS held')).toBe(0);
});

/** Calls are served again, by another relay. */
async function served(): Promise<void> {
  const status = async () => (await redis.read({ type: 'ping' })).status;
  await expect.poll(status, { interval: 200 }).toBe(200);
}

/** Whether the server runs a script, during which it answers nobody. */
function standsStill(): Promise<boolean> {
  return Promise.race([
    redis.say('PING').then(() => false),
    new Promise<boolean>((resolve) => setTimeout(resolve, 500, true)),
  ]);
}

test('of a command that waits and of a pipeline that writes nobody knows whether they took effect', async () => {
  await served();
  const waiting = redis.write({ type: 'blpop', keys: ['never'], timeout: 20 });
  const read = redis.read({ type: 'xread', keys: ['none'], ids: ['$'], block: 20_000 });
  const lists = async () => (await redis.say('CLIENT LIST TYPE normal'))?.toString();
  await expect.poll(lists).toMatch(/cmd=blpop[\s\S]*cmd=xread|cmd=xread[\s\S]*cmd=blpop/);
  const sleep = {
    type: 'eval',
    args: [
      "redis.call('INCR', 'runs') local t = redis.call('TIME') repeat local n = redis.call('TIME') until (n[1] - t[1]) * 1000000 + n[2] - t[2] > 3000000",
      0,
    ],
  };
  const pipeline = redis.write({ pipeline: [sleep, { type: 'incr', key: 'runs' }] });
  await expect.poll(standsStill).toBe(true);
  await killRelay(gateway.pid);
  expect(await waiting).toMatchObject({ status: 502, body: { code: 'OUTCOME_UNKNOWN' } });
  expect(await pipeline).toMatchObject({ status: 502, body: { code: 'OUTCOME_UNKNOWN' } });
  // A read may be sent to another node, or again; it is never told to have been lost after a write.
  expect((await read).status).not.toBe(500);
  await served();
  // Nothing was sent twice.
  await expect.poll(() => redis.say('GET runs')).toBe('2');
});

test('a subscription ends with an event that says so', async () => {
  await served();
  const subscription = await subscribe(redis.organization, redis.at('read'), {
    type: 'subscribe',
    channels: ['lost'],
  });
  await redis.say('PUBLISH lost hello');
  expect(await subscription.next()).toMatchObject({ event: 'message' });
  await killRelay(gateway.pid);
  expect(await subscription.next()).toMatchObject({
    event: 'error',
    data: { code: expect.stringMatching(/^(?:CONNECTION_FAILED|NODE_UNAVAILABLE)$/) },
  });
  await expect(subscription.next()).rejects.toThrow('ended');
  await served();
});
