/** That what stands in for Upstash speaks as its documentation says, and its own client is content with it. */
import { Redis } from '@upstash/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onRedis, ownRedis, type RedisServer } from './servers/redis-server.ts';
import { startUpstash, type UpstashStandIn } from './stand-ins/upstash/server.ts';
import { type Asking, ask } from './upstash/ask.ts';
import { runProgram } from './upstash/program.ts';

let redis: RedisServer;
let upstash: UpstashStandIn;
beforeAll(async () => {
  redis = await ownRedis();
  upstash = await startUpstash(redis.url);
});
afterAll(async () => {
  await upstash?.stop();
  await redis?.stop();
});
beforeEach(() => onRedis(redis.url, ['FLUSHALL']));

const send = (path: string, asking: Asking = {}) =>
  ask(upstash.url + path, { token: upstash.token, ...asking });
const result = (body: unknown) => ({ status: 200, body: JSON.stringify(body) });

describe('a command', () => {
  test('is a JSON array, or stands in the path with the body as its last word', async () => {
    expect(await send('/', { body: '["SET","foo",1.5]' })).toEqual(result({ result: 'OK' }));
    expect(await send('/set/b%2Fc?EX=100', { body: '{"a":1}' })).toEqual(result({ result: 'OK' }));
    expect(await send('/get/b%2Fc')).toEqual(result({ result: '{"a":1}' }));
    expect(await send('/mget/foo/nothing')).toEqual(result({ result: ['1.5', null] }));
    expect(await onRedis(redis.url, ['TTL', 'b/c'])).toEqual([100]);
  });

  test('keeps every digit of an integer, and every byte in base64', async () => {
    await send('/set/bytes', { body: Buffer.from([0xff, 0, 0x0a]) });
    const base64 = { headers: { 'Upstash-Encoding': 'base64' } };
    expect(await send('/get/bytes', base64)).toEqual(result({ result: '/wAK' }));
    expect(await send('/', { body: '["INCRBY","n","9223372036854775807"]' })).toEqual({
      status: 200,
      body: '{"result":9223372036854775807}',
    });
  });

  test('is answered in RESP2 when asked', async () => {
    const headers = { 'Upstash-Response-Format': 'resp2' };
    expect(await send('/set/foo/bar', { headers })).toEqual({ status: 200, body: '+OK\r\n' });
    expect(await send('/get/foo', { headers })).toEqual({ status: 200, body: '$3\r\nbar\r\n' });
    const body = '[["GET","foo"],["INCR","foo"]]';
    expect(await send('/pipeline', { headers, body })).toEqual({
      status: 200,
      body: '$3\r\nbar\r\n-ERR value is not an integer or out of range\r\n',
    });
  });

  test.each([
    ['["LPUSH","text","x"]', 'WRONGTYPE Operation against a key holding the wrong kind of value'],
    ['["NOSUCH"]', "ERR unknown command 'NOSUCH', with args beginning with: "],
    ['["SELECT",1]', "ERR Command is not available: 'SELECT'"],
    ['["SET","a",null]', 'ERR null args are not supported'],
    ['[]', 'ERR empty command'],
    ['{"a":1}', 'ERR failed to parse command'],
  ])('%s is refused', async (body, error) => {
    await send('/set/text/x');
    expect(await send('/', { body })).toEqual({ status: 400, body: JSON.stringify({ error }) });
  });
});

describe('a token', () => {
  test('is needed, and may stand in the URL', async () => {
    const refused = { status: 401, body: '{"error":"WRONGPASS invalid or missing auth token"}' };
    expect(await ask(`${upstash.url}/get/x`)).toEqual(refused);
    expect(await send('/get/x', { token: 'wrong' })).toEqual(refused);
    const url = `${upstash.url}/get/x?_token=${upstash.token}`;
    expect(await ask(url)).toEqual(result({ result: null }));
  });

  test('that only reads writes nothing', async () => {
    const token = upstash.readOnlyToken;
    expect(await send('/get/x', { token })).toEqual(result({ result: null }));
    expect(await send('/set/x/1', { token })).toEqual({
      status: 400,
      body: `{"error":"NOPERM this user has no permissions to run the 'set' command"}`,
    });
    const body = '[["SET","x",1],["GET","x"]]';
    const answered = await send('/pipeline', { token, body });
    expect(JSON.parse(answered.body)).toEqual([
      { error: "NOPERM this user has no permissions to run the 'set' command" },
      { result: null },
    ]);
  });
});

test('a transaction that is refused applies nothing; one that fails leaves the rest', async () => {
  const discarded = await send('/multi-exec', { body: '[["SET","t",1],["NOSUCH"]]' });
  expect([discarded.status, await onRedis(redis.url, ['GET', 't'])]).toEqual([400, [null]]);
  const failed = await send('/multi-exec', { body: '[["SET","t","x"],["INCR","t"]]' });
  expect([failed, await onRedis(redis.url, ['GET', 't'])]).toEqual([
    result([{ result: 'OK' }, { error: 'ERR value is not an integer or out of range' }]),
    ['x'],
  ]);
});

describe("the vendor's own client", () => {
  const client = (options: object) => {
    const { url, token } = upstash;
    return new Redis({ url, token, retry: false, ...options });
  };

  test('is answered alike with and without base64', async () => {
    const plain = await runProgram(client({ responseEncoding: false }));
    await onRedis(redis.url, ['FLUSHALL']);
    expect(await runProgram(client({}))).toEqual(plain);
  });

  test('hears what is published', async () => {
    const subscriber = client({}).subscribe<{ hello: string }>('chat');
    const heard = new Promise((resolve) => subscriber.on('message', resolve));
    await new Promise((resolve) => subscriber.on('subscribe', resolve));
    await client({}).publish('chat', { hello: 'world' });
    expect(await heard).toEqual({ channel: 'chat', message: { hello: 'world' } });
    await subscriber.unsubscribe();
  });
});
