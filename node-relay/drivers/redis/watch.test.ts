/** Subscriptions: what is published arrives as it happens, until the caller leaves. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { WatchEvent } from '../../../proto/driver.ts';
import { failureOf } from '../contract.ts';
import { callOf, testHost } from '../test/host.ts';
import { line, TestClient, words } from './test/client.ts';

let redis: TestClient;
const open: AbortController[] = [];

beforeAll(async () => {
  redis = await TestClient.open({ modules: false }, testHost(40));
});
afterEach(async () => {
  for (const each of open.splice(0)) each.abort(new Error('left'));
  await expect.poll(() => redis.say('PUBSUB NUMPAT')).toBe('0');
});
afterAll(() => redis.close());

/** Subscribes; the first event has come. */
async function follow(command: string | ReturnType<typeof line>) {
  const controller = new AbortController();
  open.push(controller);
  const request = typeof command === 'string' ? line(command) : command;
  const call = callOf('read', { signal: controller.signal });
  const events = redis.session.watch(request, call)[Symbol.asyncIterator]();
  const first = await events.next();
  expect(first).toEqual({ done: false, value: { data: new Uint8Array() } });
  const next = async (): Promise<unknown> => {
    const { value } = (await events.next()) as { value: WatchEvent };
    return JSON.parse(Buffer.from(value.data).toString());
  };
  return { next, leave: (reason: unknown) => controller.abort(reason), events };
}

test('messages of channels', async () => {
  const news = await follow('SUBSCRIBE news sport');
  await redis.say('PUBLISH news hello');
  await redis.say('PUBLISH sport goal');
  expect([await news.next(), await news.next()]).toEqual([
    { channel: 'news', message: 'hello' },
    { channel: 'sport', message: 'goal' },
  ]);
});

test('messages of patterns name the pattern', async () => {
  const all = await follow('PSUBSCRIBE n*');
  await redis.say('PUBLISH news hello');
  expect(await all.next()).toEqual({ pattern: 'n*', channel: 'news', message: 'hello' });
});

test('messages of shards', async () => {
  const shard = await follow('SSUBSCRIBE orders');
  await redis.say('SPUBLISH orders paid');
  expect(await shard.next()).toEqual({ channel: 'orders', message: 'paid' });
});

test('binary messages and channels come as bytes', async () => {
  const binary = await follow(words('SUBSCRIBE', { $bytes: '/wA=' }));
  await redis.outside.send('PUBLISH', Buffer.from([255, 0]), Buffer.from([254]));
  expect(await binary.next()).toEqual({ channel: { $bytes: '/wA=' }, message: { $bytes: '/g==' } });
});

test('MONITOR tells commands without addresses or passwords', async () => {
  const lines = await follow('MONITOR');
  await redis.outside.send('SET', 'a "quoted"\n', Buffer.from([255]));
  await redis.say('AUTH not-a-password');
  await redis.outside.send('EVAL', 'return redis.call("incr", "n")', '0');
  const told = [await lines.next(), await lines.next()];
  expect(told).toEqual([
    {
      time: expect.any(Number),
      db: 0,
      command: ['SET', 'a "quoted"\n', { $bytes: '/w==' }],
    },
    { time: expect.any(Number), db: 0, command: ['AUTH', '(redacted)'] },
  ]);
  expect(await lines.next()).toMatchObject({ command: ['EVAL', expect.any(String), '0'] });
  expect(await lines.next()).toEqual({
    time: expect.any(Number),
    db: 0,
    client: 'lua',
    command: ['incr', 'n'],
  });
});

test('a caller who leaves frees the connection', async () => {
  const news = await follow('SUBSCRIBE left');
  const ended = failureOf(news.events.next());
  const reason = new Error('left');
  news.leave(reason);
  expect(await ended).toBe(reason);
  await expect
    .poll(() => redis.outside.send('PUBSUB', 'NUMSUB', 'left'))
    .toMatchObject({
      parts: [{ text: Buffer.from('left') }, { text: Buffer.from('0') }],
    });
});

test('a lost connection ends it with an error', async () => {
  const news = await follow('SUBSCRIBE lost');
  await redis.say('CLIENT KILL TYPE pubsub');
  expect(await failureOf(news.events.next())).toMatchObject({
    code: 'CONNECTION_FAILED',
    message: 'Unable to connect to database: the connection to the database was lost',
  });
});

test('a slow reader holds the server back at bounded memory, and is told what they have lost', async () => {
  await redis.say('CONFIG SET client-output-buffer-limit pubsub 2mb 0 0');
  const news = await follow('SUBSCRIBE flood');
  const message = 'x'.repeat(50_000);
  // Far more than all buffers on the way.
  for (let count = 0; count < 1_500; count += 1) {
    if ((await redis.say(`PUBLISH flood ${message}`)) === '0') break;
  }
  let taken = 0;
  const failure = await (async () => {
    for (;;) {
      const outcome = await news.next().catch((error: unknown) => error);
      if (outcome instanceof Error) return outcome;
      taken += 1;
    }
  })();
  expect(failure).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('Messages were lost'),
  });
  expect(taken).toBeGreaterThan(10);
});

test.each([
  ['GET a', 'BAD_REQUEST'],
  ['SUBSCRIBE', 'REQUEST_FAILED'],
])('%s is no subscription', async (text, code) => {
  const events = redis.session.watch(line(text), callOf('read'));
  const first = events?.[Symbol.asyncIterator]().next() ?? Promise.resolve();
  expect(await failureOf(first)).toMatchObject({ code });
});
