/** Redis by the edge itself, through Upstash's protocol, and by a relay: the same requests, the same replies. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from './gateway.ts';
import { newOrganization, type Organization, refusal, success } from './organization.ts';
import { onRedis, ownRedis, type RedisServer } from './servers/redis-server.ts';
import { startUpstash, type UpstashStandIn } from './stand-ins/upstash/server.ts';
import { STEPS } from './upstash/steps.ts';

let gateway: Gateway;
let organization: Organization;
/** Behind the relay, and behind the stand-in. */
let near: RedisServer;
let far: RedisServer;
let upstash: UpstashStandIn;
let relay: string;
let edge: string;
beforeAll(async () => {
  [gateway, near, far] = await Promise.all([sharedGateway('private'), ownRedis(), ownRedis()]);
  upstash = await startUpstash(far.url);
  organization = await newOrganization(gateway);
  relay = await add({ write_conn: { url: near.url } });
  const { url, token: auth } = upstash;
  edge = await add({ write_conn: { url, auth }, transport: 'edge' });
});
afterAll(async () => {
  await upstash?.stop();
  await Promise.all([near?.stop(), far?.stop()]);
});

async function add(config: object): Promise<string> {
  const endpoint = `redis-${randomUUID().slice(0, 8)}`;
  const reply = await organization.call('POST', '/endpoints', { endpoint, kind: 'redis', config });
  expect(reply).toMatchObject({ status: 200 });
  return endpoint;
}

const call = (endpoint: string, path: string, body: unknown) =>
  organization.call('POST', `/endpoints/${endpoint}/${path}`, body);

async function both(path: string, body: unknown) {
  return { edge: await call(edge, path, body), relay: await call(relay, path, body) };
}

describe('what the specification names', () => {
  test.each(STEPS.map(([path, request]) => [JSON.stringify(request), path, request] as const))(
    '%s is answered as through a relay',
    async (_name, path, request) => {
      const answered = await both(path, request);
      expect(answered.edge.status).toBeOneOf([200, 400]);
      // Of errors, each reply has its own id.
      const told = ({ body }: { body: unknown }) => ({ ...Object(body), request_id: undefined });
      expect(told(answered.edge)).toEqual(told(answered.relay));
    },
  );

  test('keeps every digit and every byte', async () => {
    await call(edge, 'write', { type: 'SET', key: 'big', value: '9223372036854775806' });
    expect(await call(edge, 'write', { type: 'INCR', key: 'big' })).toEqual(
      success({ result: '9223372036854775807' }),
    );
    const value = { $bytes: '/wCA' };
    await call(edge, 'write', { type: 'SET', key: 'raw', value });
    expect(await call(edge, 'read', { type: 'GET', key: 'raw' })).toEqual(
      success({ result: value }),
    );
  });
});

describe('transactions', () => {
  test('answer each result', async () => {
    const operations = [
      { type: 'SET', key: 't', value: '1' },
      { type: 'INCR', key: 't' },
      { type: 'HGETALL', key: 'nothing' },
    ];
    const answered = await both('transaction', { operations });
    expect(answered).toEqual({ edge: answered.relay, relay: answered.relay });
    expect(answered.edge).toEqual(success([{ result: 'OK' }, { result: 2 }, { result: {} }]));
  });

  test('say what is applied when one fails at EXEC', async () => {
    const operations = [
      { type: 'SET', key: 't2', value: 'x' },
      { type: 'INCR', key: 't2' },
    ];
    const message = 'ERR value is not an integer or out of range';
    const expected = refusal(
      'REQUEST_FAILED',
      'An operation failed; the others are applied: Redis undoes nothing',
      [
        { source: 'redis', code: 'ERR', message, operation: 1, applied: true },
        { operation: 0, applied: true, result: 'OK' },
      ],
    );
    const answered = await both('transaction', { operations });
    expect(answered).toEqual({ edge: expected, relay: expected });
  });

  test('apply nothing when one is refused before', async () => {
    const operations = [
      { type: 'SET', key: 't3', value: 'x' },
      { type: 'NOSUCH', args: [] },
    ];
    expect(await call(edge, 'transaction', { operations })).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_FAILED', details: [{ source: 'redis', code: 'ERR' }] },
    });
    expect(await onRedis(far.url, ['GET', 't3'])).toEqual([null]);
  });
});

describe("what the vendor's protocol lacks", () => {
  test.each([
    ['WATCH', ['k'], 'holds to a connection'],
    ['SELECT', ['1'], 'holds to a connection'],
    ['MULTI', [], 'holds to a connection'],
    ['CLIENT', ['TRACKING', 'ON'], 'is about connections'],
    ['BLPOP', ['k', '1'], 'waits on a connection'],
    ['XREAD', ['BLOCK', '1', 'STREAMS', 'k', '0'], 'waits on a connection'],
    ['WAIT', ['1', '1'], 'waits on a connection'],
  ])('%s is refused, naming the relay', async (type, args, why) => {
    expect(await call(edge, 'write', { type, args })).toMatchObject({
      status: 501,
      body: {
        code: 'NOT_SUPPORTED',
        message: expect.stringMatching(new RegExp(`${why}.*config.transport to "relay"`)),
      },
    });
  });

  test('sessions are refused, naming the relay', async () => {
    expect(await call(edge, 'sessions', {})).toEqual(
      refusal(
        'NOT_SUPPORTED',
        'Upstash does not have sessions over HTTP: set config.transport to "relay" to reach it as Redis',
      ),
    );
  });

  test('bytes that are no text are refused where there is no room for them', async () => {
    const value = { $bytes: '/wCA' };
    const one = { type: 'SET', key: 'k', value };
    expect(await call(edge, 'write', { pipeline: [one] })).toMatchObject({ status: 501 });
    expect(await call(edge, 'write', { ...one, rule: 'NX' })).toMatchObject({ status: 501 });
  });
});

test('nothing is sent to the vendor but what the protocol needs', () => {
  const names = new Set(upstash.seen.flatMap(({ headers }) => Object.keys(headers)));
  const own = [...names].filter((name) => /upstash|telemetry|causeway|x-/.test(name));
  expect(own).toEqual(['upstash-encoding']);
});

test('a wrong token is a connection that failed', async () => {
  const config = { write_conn: { url: upstash.url, auth: 'wrong' }, transport: 'edge' };
  const made = { endpoint: 'wrong-token', kind: 'redis', config };
  const message =
    'Unable to connect to database: password authentication failed: Upstash refuses the token';
  expect(await organization.call('POST', '/endpoints', made)).toEqual(
    refusal('CONNECTION_FAILED', message, [{ path: 'config.write_conn', message }]),
  );
});

test('a write of which no reply came is sent once, and its outcome is unknown', async () => {
  const before = upstash.seen.length;
  upstash.fault = (response) => response.destroy();
  expect(await call(edge, 'write', { type: 'INCR', key: 'once' })).toMatchObject({
    status: 502,
    body: { code: 'OUTCOME_UNKNOWN' },
  });
  expect(upstash.seen.length).toBe(before + 1);
});

test('a read of which no reply came changed nothing, also where it was sent to /write', async () => {
  const get = { type: 'GET', key: 'once', timeout_ms: 300 };
  for (const [path, body] of [
    ['read', get],
    ['write', get],
    ['write', { pipeline: [{ type: 'GET', key: 'once' }], timeout_ms: 300 }],
  ] as const) {
    upstash.fault = () => {};
    expect(await call(edge, path, body)).toEqual(refusal('TIMED_OUT', expect.any(String)));
  }
  upstash.fault = () => {};
  const mixed = {
    pipeline: [
      { type: 'GET', key: 'k' },
      { type: 'INCR', key: 'k' },
    ],
  };
  expect(await call(edge, 'write', { ...mixed, timeout_ms: 300 })).toMatchObject({
    body: { code: 'OUTCOME_UNKNOWN' },
  });
  upstash.fault = (response) => response.destroy();
  expect(await call(edge, 'write', { type: 'GET', key: 'once' })).toMatchObject({
    body: { code: 'CONNECTION_FAILED' },
  });
});

test('a subscription tells what is published, as through a relay', async () => {
  const told = await Promise.all(
    [edge, relay].map(async (endpoint) => {
      const leave = new AbortController();
      const response = await organization.send(
        'POST',
        `/endpoints/${endpoint}/read`,
        { type: 'SUBSCRIBE', channels: ['chat, room'] },
        { headers: { Accept: 'text/event-stream' }, signal: leave.signal },
      );
      expect(response.status).toBe(200);
      const message = { type: 'PUBLISH', channel: 'chat, room', message: 'hello, all' };
      await call(endpoint, 'write', message);
      let text = '';
      for await (const piece of response.body ?? []) {
        text += new TextDecoder().decode(piece);
        if (/data: .*\n\n/.test(text)) break;
      }
      leave.abort();
      return /data: .*/.exec(text)?.[0];
    }),
  );
  const expected = 'data: {"channel":"chat, room","message":"hello, all"}';
  expect(told).toEqual([expected, expected]);
});
