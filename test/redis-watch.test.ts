/** Redis' channels and MONITOR from an HTTP client to the server and back, as server-sent events. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Subscription, subscribe } from './event-stream.ts';
import { sharedGateway } from './gateway.ts';
import { refusal } from './organization.ts';
import { type RedisEndpoint, redisEndpoint } from './redis-endpoint.ts';

let redis: RedisEndpoint;
const open: Subscription[] = [];

beforeAll(async () => {
  redis = await redisEndpoint(await sharedGateway());
});
afterEach(() => {
  for (const each of open.splice(0)) each.leave();
});
afterAll(() => redis?.drop());

/** Subscribes, and answers what reads the data of one event after another. */
async function heard(body: object): Promise<() => Promise<unknown>> {
  const subscription = await subscribe(redis.organization, redis.at('read'), body);
  open.push(subscription);
  return async () => (await subscription.next()).data;
}

test('messages arrive as they are published', async () => {
  const next = await heard({ type: 'subscribe', channels: ['watched-wire', 'watched-post'] });
  await redis.say('PUBLISH watched-wire hello');
  await redis.say('PUBLISH watched-post card');
  expect([await next(), await next()]).toEqual([
    { channel: 'watched-wire', message: 'hello' },
    { channel: 'watched-post', message: 'card' },
  ]);
});

test('patterns and shards are followed, too', async () => {
  const pattern = await heard({ type: 'psubscribe', args: ['watched-wi*'] });
  const shard = await heard({ type: 'ssubscribe', args: ['wire-shard'] });
  await redis.say('PUBLISH watched-wire hello');
  await redis.say('SPUBLISH wire-shard hi');
  expect(await pattern()).toEqual({
    pattern: 'watched-wi*',
    channel: 'watched-wire',
    message: 'hello',
  });
  expect(await shard()).toEqual({ channel: 'wire-shard', message: 'hi' });
});

test('MONITOR tells commands', async () => {
  const next = await heard({ type: 'monitor' });
  await redis.say('ECHO watched');
  const told = async (): Promise<unknown> => {
    const event = (await next()) as { command: string[] };
    return event.command.includes('watched') ? event : told();
  };
  expect(await told()).toEqual({
    time: expect.any(Number),
    db: expect.any(Number),
    command: ['ECHO', 'watched'],
  });
});

test('a subscription that does not ask for events is told how', async () => {
  const message = 'must be text/event-stream: this request answers events';
  expect(await redis.read({ type: 'subscribe', args: ['wire'] })).toEqual(
    refusal('NOT_ACCEPTABLE', `Accept: ${message}`, [{ path: 'Accept', message }]),
  );
});

test('UNSUBSCRIBE outside of a session is told what ends a stream', async () => {
  expect(await redis.read({ type: 'unsubscribe', args: ['wire'] })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('closing the stream of events ends it') },
  });
});
