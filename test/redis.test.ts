/** Redis through worker and relay, from an HTTP client to a real server and back. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, sharedGateway } from './gateway.ts';
import { ask, newOrganization, success } from './organization.ts';
import { type RedisEndpoint, redisEndpoint } from './redis-endpoint.ts';

let gateway: Gateway;
let redis: RedisEndpoint;

beforeAll(async () => {
  gateway = await sharedGateway();
  redis = await redisEndpoint(gateway);
});
afterAll(() => redis?.drop());

const command = (type: string, ...args: unknown[]) => ({ type, args });

describe('values', () => {
  test('go in by members or words, and come back decoded', async () => {
    const { read, write } = redis;
    expect(await write({ type: 'SET', key: 'greeting', value: 'hello' })).toEqual(
      success({ result: 'OK' }),
    );
    expect(await read({ kind: 'Redis', type: 'get', key: 'greeting' })).toEqual(
      success({ result: 'hello' }),
    );
    const zadd = { type: 'zadd', key: 'z', scores: [{ score: 1.5, member: 'a' }] };
    expect(await write({ request: zadd })).toEqual(success({ result: 1 }));
    expect(await read(command('zrange', 'z', 0, -1, 'WITHSCORES'))).toEqual(
      success({ result: [{ member: 'a', score: 1.5 }] }),
    );
    expect(await read(command('get', 'nothing'))).toEqual(success({ result: null }));
  });

  test('keep their digits and bytes', async () => {
    const { read, write, organization, at } = redis;
    const body = '{"type":"set","args":["big",9223372036854775806]}';
    expect(await organization.call('POST', at('write'), body)).toMatchObject({ status: 200 });
    expect(await write(command('incr', 'big'))).toEqual(success({ result: '9223372036854775807' }));
    await write(command('set', 'bin', { $bytes: '/wD+' }));
    expect(await read(command('get', 'bin'))).toEqual(success({ result: { $bytes: '/wD+' } }));
    expect(await read(command('get', 'big'))).toEqual(success({ result: '9223372036854775807' }));
    const numbers = organization.call('POST', at('read?numbers=string'), command('strlen', 'bin'));
    expect(await numbers).toEqual(success({ result: '3' }));
  });

  test('of documents are documents', async () => {
    const { organization, at, write } = redis;
    await write(command('json.set', 'doc', '$', '{"n":9007199254740993,"list":[1,2]}'));
    const response = await organization.send('POST', at('read'), command('json.get', 'doc'));
    expect(await response.text()).toBe(
      '{"status":"success","data":{"result":{"n":9007199254740993,"list":[1,2]}}}',
    );
  });
});

describe('a read', () => {
  test.each([
    command('set', 'a', '1'),
    command('eval', 'return 1', '0'),
    command('getdel', 'a'),
    command('nosuchcommand'),
    { type: 'pipeline', pipeline: [command('get', 'a'), command('del', 'a')] },
  ])('refuses %j', async (body) => {
    expect(await redis.read(body)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });

  test("tells the server's own code", async () => {
    expect(await redis.read(command('get', 'one', 'too many'))).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_FAILED', details: [{ source: 'redis', code: 'ERR' }] },
    });
  });

  test('that waits ends before its deadline', async () => {
    const body = { type: 'xread', args: ['BLOCK', 0, 'STREAMS', 'none', '$'], timeout_ms: 400 };
    expect(await redis.read(body)).toMatchObject({ status: 504, body: { code: 'TIMED_OUT' } });
  });
});

test('a pipeline answers each command in one trip', async () => {
  const pipeline = [command('set', 'p', 1), command('lpush', 'p', 'x'), command('incr', 'p')];
  expect(await redis.write({ pipeline })).toEqual(
    success({
      results: [
        { result: 'OK' },
        {
          error: 'Request failed',
          message: 'WRONGTYPE Operation against a key holding the wrong kind of value',
          code: 'WRONGTYPE',
        },
        { result: 2 },
      ],
    }),
  );
});

describe('a transaction', () => {
  const transact = (...operations: object[]) =>
    redis.organization.call('POST', redis.at('transaction'), { operations });

  test('answers each operation', async () => {
    expect(await transact(command('hset', 'th', 'f', 'v'), command('hgetall', 'th'))).toEqual(
      success([{ result: 1 }, { result: { f: 'v' } }]),
    );
  });

  test('applies nothing when an operation is refused, and says what was applied when one fails', async () => {
    expect(await transact(command('set', 'ta', '1'), command('get'))).toMatchObject({
      status: 400,
      body: { details: [{ source: 'redis', code: 'ERR', operation: 1 }] },
    });
    expect(await redis.say('EXISTS ta')).toBe(0);
    expect(await transact(command('set', 'ta', 'x'), command('lpush', 'ta', '1'))).toMatchObject({
      status: 400,
      body: {
        details: [
          { source: 'redis', code: 'WRONGTYPE', operation: 1, applied: true },
          { operation: 0, applied: true, result: 'OK' },
        ],
      },
    });
    expect(await redis.say('GET ta')).toBe('x');
  });

  test('takes no result of another operation', async () => {
    const reference = { $result: '[0].result' };
    const document = { type: 'json.set', key: 'tb', path: '$', value: { a: [reference] } };
    for (const [path, body] of [
      ['args.1', command('set', 'tb', reference)],
      ['value', { type: 'set', key: 'tb', value: reference }],
      ['request.value', { request: { type: 'set', key: 'tb', value: reference } }],
      ['value.a.0', document],
    ] as const) {
      const message = 'Redis has no results inside a transaction; $result is not taken';
      expect(await transact(command('get', 'ta'), body)).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST', details: [{ path: `operations.1.${path}`, message }] },
      });
    }
    expect(await redis.say('EXISTS tb')).toBe(0);
  });

  test('takes a text that only looks like such, and what $result is not', async () => {
    const text = '{"$result":"[0].result"}';
    const others = [{ $result: 'of a race' }, { $result: '[0]', more: 1 }];
    expect(
      await transact(
        command('set', 'tc', text),
        { type: 'set', key: 'td', value: text },
        command('mget', 'tc', 'td'),
        ...others.map((value) => command('set', 'te', value)),
      ),
    ).toEqual(
      success([
        { result: 'OK' },
        { result: 'OK' },
        { result: [text, text] },
        ...others.map(() => ({ result: 'OK' })),
      ]),
    );
  });
});

describe('a session', () => {
  test('keeps a transaction from call to call, and none of it when it ends', async () => {
    const { read, write, open, organization, at, say } = redis;
    const headers = await open();
    expect(await write(command('multi'), headers)).toEqual(success({ result: 'OK' }));
    expect(await write(command('set', 'sa', '1'), headers)).toEqual(success({ result: 'QUEUED' }));
    expect(await read(command('get', 'sa'), headers)).toMatchObject({ status: 409 });
    expect(await write(command('exec'), headers)).toEqual(success({ result: ['OK'] }));
    await write(command('multi'), headers);
    await write(command('set', 'sa', '2'), headers);
    await organization.call('DELETE', at(`sessions/${headers['X-Session-Id']}`));
    expect(await say('GET sa')).toBe('1');
    expect(await write(command('ping'), headers)).toMatchObject({ status: 404 });
  });

  test('tells what it has subscribed to with its results', async () => {
    const { read, write, open, say } = redis;
    const headers = await open();
    expect(await read(command('subscribe', 'chat'), headers)).toEqual(
      success({ result: ['subscribe', 'chat', 1] }),
    );
    const either = { ...headers, Accept: 'text/event-stream, application/json;q=0.9' };
    expect(await read(command('subscribe', 'news'), either)).toEqual(
      success({ result: ['subscribe', 'news', 2] }),
    );
    await say('PUBLISH chat hello');
    expect(await read(command('ping'), headers)).toEqual(
      success({
        result: 'PONG',
        pushes: [{ type: 'message', channel: 'chat', message: 'hello' }],
      }),
    );
    expect(await write(command('unsubscribe'), headers)).toMatchObject({ status: 200 });
  });

  test("is not another organization's, and what needs one says so", async () => {
    const headers = await redis.open();
    const other = await newOrganization(gateway);
    expect(await other.call('POST', redis.at('write'), command('ping'), headers)).toMatchObject({
      status: 404,
    });
    for (const type of ['multi', 'select', 'watch']) {
      expect(await redis.write(command(type, '1'))).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/session/) },
      });
    }
  });
});

test('a command on the whole server needs Admin', async () => {
  const { organization, at, write } = redis;
  const token = await organization.member('Write');
  const asWriter = (body: unknown) =>
    ask(gateway, 'POST', at('write'), body, { Authorization: `Bearer ${token}` });
  expect(await asWriter(command('set', 'w', '1'))).toMatchObject({ status: 200 });
  for (const body of [
    command('flushdb'),
    command('config', 'SET', 'maxmemory-samples', '5'),
    { pipeline: [command('ping'), command('flushdb')] },
  ]) {
    expect(await asWriter(body)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  }
  expect(await write(command('config', 'SET', 'maxmemory-samples', '5'))).toMatchObject({
    status: 200,
  });
});

test('lines and schemas are not what Redis has', async () => {
  const { organization, at } = redis;
  const response = await organization.send('POST', at('read'), command('keys', '*'), {
    headers: { Accept: 'application/x-ndjson' },
  });
  expect(response.status).toBe(501);
  expect(await organization.call('GET', at('schema'))).toMatchObject({ status: 501 });
});

test('a connection that cannot be made is refused without its address', async () => {
  const refused = async (url: string) =>
    redis.organization.call('POST', '/endpoints', {
      endpoint: `re-${randomUUID().slice(0, 8)}`,
      kind: 'redis',
      config: { write_conn: { url } },
    });
  const nobody = await refused('redis://u:secret@127.0.0.1:1/0');
  expect(nobody).toMatchObject({ status: 502, body: { code: 'CONNECTION_FAILED' } });
  expect(JSON.stringify(nobody.body)).not.toMatch(/127\.0\.0\.1|secret/);
});
