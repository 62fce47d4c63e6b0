/** Single commands and pipelines: results, errors, waiting, and what is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { failureOf } from '../contract.ts';
import { testHost } from '../test/host.ts';
import { line, TestClient, words } from './test/client.ts';

let redis: TestClient;

beforeAll(async () => {
  redis = await TestClient.open({
    modules: false,
    users: ['reader on >secret ~* +@read'],
  });
});
beforeEach(async () => {
  await redis.say('FLUSHALL');
});
afterAll(() => redis.close());

describe('values', () => {
  test('keep their digits and bytes, both ways', async () => {
    await redis.run(words('SET big', '9223372036854775807'));
    expect(await redis.run('INCRBY big 0')).toEqual({ result: '9223372036854775807' });
    await redis.run(words('SET', { $bytes: '/wD+' }, { $bytes: '/w==' }));
    expect(await redis.run(words('GET', { $bytes: '/wD+' }))).toEqual({
      result: { $bytes: '/w==' },
    });
  });

  test('are strings when integers are asked for as such', async () => {
    expect(await redis.run('INCR n', 'write', { numbersAsStrings: true })).toEqual({ result: '1' });
  });

  test('come as they came when that is asked for', async () => {
    await redis.run('HSET h f v');
    expect(await redis.run('HGETALL h', 'read', { replyForm: 'json' })).toEqual({
      result: ['f', 'v'],
    });
  });
});

describe('errors', () => {
  test("have the server's own code and message", async () => {
    await redis.run('SET a text');
    expect(await failureOf(redis.run('LPUSH a 1'))).toMatchObject({
      code: 'REQUEST_FAILED',
      details: [
        {
          source: 'redis',
          code: 'WRONGTYPE',
          message: 'WRONGTYPE Operation against a key holding the wrong kind of value',
        },
      ],
    });
  });

  test.each([
    ['EVALSHA ffffffffffffffffffffffffffffffffffffffff 0', 'REQUEST_FAILED', 'NOSCRIPT'],
    ['EVAL error 0', 'REQUEST_FAILED', 'ERR'],
    ['NOSUCHCOMMAND', 'REQUEST_FAILED', 'ERR'],
  ])('of %s are %s with %s', async (text, code, own) => {
    expect(await failureOf(redis.run(text))).toMatchObject({ code, details: [{ code: own }] });
  });

  test.each([
    ['LOADING Redis is loading', 'SERVICE_UNAVAILABLE'],
    ['MOVED 1234 10.1.2.3:6379', 'REQUEST_FAILED'],
    ['OOM command not allowed', 'REQUEST_FAILED'],
    ['NOAUTH Authentication required.', 'CONNECTION_FAILED'],
  ])('whose text is %s are %s without addresses', async (text, code) => {
    const script = `return redis.error_reply('${text}')`;
    const failure = await failureOf(redis.run(words('EVAL', script, '0')));
    expect(failure).toMatchObject({ code });
    expect(JSON.stringify(failure)).not.toContain('10.1.2.3');
  });
});

describe('a pipeline', () => {
  test('has one result or error for each', async () => {
    const pipeline = ['SET a 1', 'LPUSH a x', 'INCR a', 'GET none'].map(line);
    expect(await redis.run({ type: 'pipeline', pipeline })).toEqual({
      results: [
        { result: 'OK' },
        {
          error: 'Request failed',
          message: 'WRONGTYPE Operation against a key holding the wrong kind of value',
          code: 'WRONGTYPE',
        },
        { result: 2 },
        { result: null },
      ],
    });
  });

  test.each(['MULTI', 'SELECT 1', 'SUBSCRIBE c', 'BLPOP q 0', 'AUTH x'])(
    'with %s is refused whole',
    async (text) => {
      const pipeline = ['SET a 1', text].map(line);
      expect(await failureOf(redis.run({ type: 'pipeline', pipeline }))).toMatchObject({
        code: 'BAD_REQUEST',
        details: [{ path: 'pipeline.1.type' }],
      });
      expect(await redis.say('EXISTS a')).toBe('0');
    },
  );

  test('is within the limit as a whole', async () => {
    await redis.run(words('SET a', 'x'.repeat(600)));
    const pipeline = ['GET a', 'GET a'].map(line);
    const failure = redis.run({ type: 'pipeline', pipeline }, 'read', { resultMaxBytes: 1_000 });
    expect(await failureOf(failure)).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  });
});

describe('what waits', () => {
  test('gets what comes while others go on', async () => {
    const waiting = redis.run('BLPOP queue 0');
    await expect.poll(() => redis.say('CLIENT LIST')).toContain('cmd=blpop');
    expect(await redis.run('PING')).toEqual({ result: 'PONG' });
    await redis.run('RPUSH queue one');
    expect(await waiting).toEqual({ result: ['queue', 'one'] });
  });

  test.each(['BLPOP q 0', 'BLMPOP 0 1 q LEFT', 'BLMOVE q r LEFT LEFT 0', 'BZPOPMIN q 60'])(
    '%s ends before the deadline, having taken nothing',
    async (text) => {
      const started = performance.now();
      const request = { ...line(text), timeout_ms: 300 };
      expect(await failureOf(redis.run(request))).toMatchObject({ code: 'TIMED_OUT' });
      expect(performance.now() - started).toBeLessThan(12_000);
      await expect.poll(() => redis.say('CLIENT LIST')).not.toContain('flags=b');
    },
  );

  test('is known for one whatever its group is called, and holds up nobody', async () => {
    await redis.say('XGROUP CREATE orders STREAMS $ MKSTREAM');
    const text = 'XREADGROUP GROUP STREAMS me BLOCK 0 STREAMS orders >';
    const waiting = failureOf(redis.run({ ...line(text), timeout_ms: 1_000 }));
    await expect.poll(() => redis.say('CLIENT LIST')).toContain('cmd=xreadgroup');
    expect(await redis.run('PING')).toEqual({ result: 'PONG' });
    expect(await redis.say('CLIENT LIST')).toContain('cmd=xreadgroup');
    expect(await waiting).toMatchObject({ code: 'TIMED_OUT' });
    const pipeline = [line(text)];
    expect(await failureOf(redis.run({ type: 'pipeline', pipeline }))).toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  test('answers null when its own time is up', async () => {
    expect(await redis.run('BLPOP q 0.05')).toEqual({ result: null });
    expect(await redis.run('XREAD BLOCK 50 STREAMS x $', 'read')).toEqual({ result: null });
    expect(await redis.run('WAIT 1 50', 'read')).toEqual({ result: 0 });
  });

  test('reads a stream from now on', async () => {
    const reading = redis.run('XREAD BLOCK 20000 STREAMS x $', 'read');
    await expect.poll(() => redis.say('CLIENT LIST')).toContain('cmd=xread');
    await redis.say('XADD x 1-1 a 1');
    expect(await reading).toEqual({
      result: [{ key: 'x', entries: [{ id: '1-1', fields: [['a', '1']] }] }],
    });
  });

  test('ends when its caller leaves, and the server takes nothing for them', async () => {
    const controller = new AbortController();
    const waiting = failureOf(redis.run('BLPOP queue 0', 'write', { signal: controller.signal }));
    await expect.poll(() => redis.say('CLIENT LIST')).toContain('cmd=blpop');
    controller.abort(new GatewayError('TIMED_OUT', 'The client went away'));
    expect(await waiting).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await expect.poll(() => redis.say('CLIENT LIST')).not.toContain('flags=b');
    await redis.say('RPUSH queue one');
    expect(await redis.say('LLEN queue')).toBe('1');
  });
});

describe('without a session', () => {
  test.each(['MULTI', 'EXEC', 'DISCARD', 'WATCH a', 'UNWATCH', 'SELECT 1', 'CLIENT TRACKING ON'])(
    '%s says that it needs one',
    async (text) => {
      expect(await failureOf(redis.run(text))).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('needs a session'),
      });
    },
  );

  test('UNSUBSCRIBE says what ends a stream', async () => {
    expect(await failureOf(redis.run('UNSUBSCRIBE'))).toMatchObject({
      message: expect.stringContaining('closing the stream of events ends it'),
    });
  });

  test.each([
    { type: 'client', args: ['REPLY', 'OFF'] },
    { type: 'client', args: [{ $bytes: 'cmVwbHk=' }, 'SKIP'] },
    { type: 'CLIENT  reply', args: ['OFF'] },
    { type: ' select', args: ['3'] },
    { type: 'script', args: ['DEBUG', 'YES'] },
  ])('%j is known for what it is', async (request) => {
    expect(await failureOf(redis.run(request))).toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('a server that a command names', () => {
  test.each([
    'MIGRATE 169.254.169.254 80 a 0 1',
    'REPLICAOF 169.254.169.254 6379',
    'SLAVEOF 169.254.169.254 6379',
    'FAILOVER TO 169.254.169.254 6379',
    'CLUSTER MEET 169.254.169.254 6379',
  ])('passes the check of addresses: %s', async (text) => {
    expect(await failureOf(redis.run(text))).toMatchObject({ code: 'ADDRESS_REFUSED' });
    expect(await failureOf(redis.run({ type: 'pipeline', pipeline: [line(text)] }))).toMatchObject({
      code: 'ADDRESS_REFUSED',
    });
  });

  test('is the address that was checked', async () => {
    const host = testHost();
    const asked: string[] = [];
    const vet = async (name: string, port: number) => {
      asked.push(`${name}:${port}`);
      return '127.0.0.1';
    };
    const other = await TestClient.open({ modules: false }, { ...host, vet });
    expect(await other.run('REPLICAOF some.invalid 1')).toEqual({ result: 'OK' });
    expect(await other.run('ROLE', 'read')).toMatchObject({
      result: { role: 'slave', master_host: '127.0.0.1', master_port: 1 },
    });
    expect(await other.run('REPLICAOF NO ONE')).toEqual({ result: 'OK' });
    expect(asked).toEqual(['some.invalid:1']);
    await other.close();
  });

  test.each([
    ['CLUSTER MEET some.invalid 6379', 16_379],
    ['CLUSTER MEET some.invalid 1 6380', 6380],
  ])('%s is looked at with the port that its server connects to', async (text, bus) => {
    const asked: string[] = [];
    const vet = async (name: string, port: number) => {
      if (port === bus) throw new GatewayError('ADDRESS_REFUSED', 'Refused');
      asked.push(`${name}:${port}`);
      return '192.0.2.1';
    };
    const other = await TestClient.open({ modules: false }, { ...testHost(), vet });
    expect(await failureOf(other.run(text))).toMatchObject({ code: 'ADDRESS_REFUSED' });
    expect(
      await failureOf(other.run({ type: 'cluster', args: text.split(' ').slice(1) })),
    ).toMatchObject({
      code: 'ADDRESS_REFUSED',
    });
    expect(asked).toHaveLength(2);
    await other.close();
  });

  test.each(['timeseries.CLUSTERSET 1', 'SEARCH.CLUSTERSET MYID 1'])(
    '%s is not taken',
    async (text) => {
      expect(await failureOf(redis.run(text))).toMatchObject({ code: 'BAD_REQUEST' });
    },
  );
});
