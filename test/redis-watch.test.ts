/** Redis' channels and MONITOR from an HTTP client to the server and back, as server-sent events. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sharedGateway } from './gateway.ts';
import { refusal } from './organization.ts';
import { type RedisEndpoint, redisEndpoint } from './redis-endpoint.ts';

let redis: RedisEndpoint;
const open: AbortController[] = [];

beforeAll(async () => {
  redis = await redisEndpoint(await sharedGateway());
}, 60_000);
afterEach(() => {
  for (const each of open.splice(0)) each.abort();
});
afterAll(() => redis?.drop());

/** Subscribes, and reads events one after another. */
async function subscribe(body: object): Promise<() => Promise<unknown>> {
  const controller = new AbortController();
  open.push(controller);
  const response = await redis.organization.send('POST', redis.at('read'), body, {
    headers: { Accept: 'text/event-stream' },
    signal: controller.signal,
  });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([
    200,
    'text/event-stream',
  ]);
  const events = eventsOf(response);
  return async () => {
    const { value, done } = await events.next();
    if (done) throw new Error('The stream has ended');
    return value;
  };
}

async function* eventsOf({ body }: Response): AsyncGenerator<unknown> {
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (data) yield JSON.parse(data);
    }
  }
}

test('messages arrive as they are published', async () => {
  const next = await subscribe({ type: 'subscribe', channels: ['wire', 'post'] });
  await redis.say('PUBLISH wire hello');
  await redis.say('PUBLISH post card');
  expect([await next(), await next()]).toEqual([
    { channel: 'wire', message: 'hello' },
    { channel: 'post', message: 'card' },
  ]);
});

test('patterns and shards are followed, too', async () => {
  const pattern = await subscribe({ type: 'psubscribe', args: ['wi*'] });
  const shard = await subscribe({ type: 'ssubscribe', args: ['wire-shard'] });
  await redis.say('PUBLISH wire hello');
  await redis.say('SPUBLISH wire-shard hi');
  expect(await pattern()).toEqual({ pattern: 'wi*', channel: 'wire', message: 'hello' });
  expect(await shard()).toEqual({ channel: 'wire-shard', message: 'hi' });
});

test('MONITOR tells commands', async () => {
  const next = await subscribe({ type: 'monitor' });
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
    refusal('BAD_REQUEST', `Accept: ${message}`, [{ path: 'Accept', message }]),
  );
});

test('UNSUBSCRIBE outside of a session is told what ends a stream', async () => {
  expect(await redis.read({ type: 'unsubscribe', args: ['wire'] })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('closing the stream of events ends it') },
  });
});
