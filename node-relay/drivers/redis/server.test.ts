/** The wire to real servers: versions of the protocol, logins, connections that are shared and borrowed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReplyDouble, ReplyMap, ReplySet } from '../../../kinds/redis/reply-value.ts';
import {
  onRedis,
  ownRedis,
  type RedisServer as Program,
} from '../../../test/servers/redis-server.ts';
import { failureOf } from '../contract.ts';
import { testHost } from '../test/host.ts';
import { TestProxy } from './test/proxy.ts';
import { bounds, open, plain, say, words } from './test/server.ts';

const PASSWORD = 'choose-a-long-one';

describe.each(['redis-8', 'redis-7', 'valkey-9'] as const)('%s', (product) => {
  let program: Program;
  beforeAll(async () => {
    program = await ownRedis({
      product,
      modules: false,
      password: PASSWORD,
      users: ['reader on >secret:@/? ~* +@read +@connection'],
    });
  });
  afterAll(() => program?.stop());

  const port = () => program.port;
  const urlOf = (user: string, rest = '') => `redis://${user}@127.0.0.1:${port()}${rest}`;

  test('tells the types of RESP3 apart, and takes RESP2 where that is asked for', async () => {
    const commands = [
      words('flushall'),
      words('hset', 'h', 'a', '1'),
      words('hgetall', 'h'),
      words('zadd', 'z', '1.5', 'a'),
      words('zscore', 'z', 'a'),
      words('sadd', 's', 'a'),
      words('smembers', 's'),
      words('get', 'none'),
      words('set', 'b', { $bytes: 'AP/+' }),
      words('get', 'b'),
      words('set', 'n', '9223372036854775806'),
      words('incr', 'n'),
    ];
    const a = Buffer.from('a');
    const common = { 7: null, 9: Buffer.from([0, 255, 254]), 11: 2n ** 63n - 1n };
    const third = await open(urlOf(`:${PASSWORD}`));
    expect({ ...(await third.send(commands, bounds())) }).toMatchObject({
      ...common,
      2: new ReplyMap([a, Buffer.from('1')]),
      4: new ReplyDouble(1.5),
      6: new ReplySet([a]),
    });
    await third.close();
    const second = await open(urlOf(`:${PASSWORD}`, '?protocol=2'));
    expect({ ...(await second.send(commands, bounds())) }).toMatchObject({
      ...common,
      2: [a, Buffer.from('1')],
      4: Buffer.from('1.5'),
      6: [a],
    });
    await second.close();
  });

  test('enters as the user, with the name and in the database of the URL', async () => {
    const user = `reader:${encodeURIComponent('secret:@/?')}`;
    for (const protocol of [2, 3]) {
      const options = `/3?client_name=shop&protocol=${protocol}`;
      const server = await open(urlOf(user, options));
      const [info] = await say(server, [words('client info')], 'read');
      for (const said of ['user=reader', 'name=shop', 'db=3', `resp=${protocol}`]) {
        expect(String(info).split(/\s/)).toContain(said);
      }
      await server.close();
    }
  });

  test.each([
    [
      'a wrong password',
      ':wrong',
      '',
      'Unable to connect to database: password authentication failed',
    ],
    [
      'an unknown user',
      'nobody:x',
      '',
      'Unable to connect to database: password authentication failed',
    ],
    [
      'a database that there is not',
      `:${PASSWORD}`,
      '/5000',
      'Unable to connect to database: the database does not exist',
    ],
  ])('lets nobody in with %s, and tells no credential', async (_, user, rest, message) => {
    for (const protocol of ['', '?protocol=2']) {
      const server = await open(urlOf(user, rest + protocol));
      const failure = await failureOf(say(server, [words('ping')]));
      expect(failure).toMatchObject({ code: 'CONNECTION_FAILED', message, details: [] });
      await server.close();
    }
  });

  test('asks for a password where one is needed', async () => {
    const server = await open(`redis://127.0.0.1:${port()}`);
    expect(await failureOf(say(server, [words('ping')]))).toMatchObject({
      code: 'CONNECTION_FAILED',
    });
    await server.close();
  });

  test.each([2, 3])(
    'gives back nothing from what a caller has set, with RESP%i',
    async (protocol) => {
      const server = await open(
        urlOf(`:${PASSWORD}`, `/1?protocol=${protocol}&client_name=x`),
        testHost(1),
      );
      const signal = AbortSignal.timeout(10_000);
      const dirty = await server.borrow([], signal);
      const pushed: unknown[] = [];
      dirty.onPush = (message) => pushed.push(plain(message));
      await say(dirty, [words('select', '2'), words('client setname', 'y'), words('watch', 'k')]);
      const [first, last] = await say(dirty, [words('subscribe', 'a', 'b'), words('ping')]);
      expect(first).toEqual(['subscribe', 'b', 2]);
      expect(last).toEqual(protocol === 3 ? 'PONG' : ['pong', '']);
      await onRedis(program.url, ['PUBLISH', 'a', 'hello']);
      await expect.poll(() => pushed).toContainEqual(['message', 'a', 'hello']);
      dirty.release(false);
      const next = await server.borrow([], signal);
      const [info] = await say(next, [words('client info')], 'read');
      for (const said of [
        'name=x',
        'db=1',
        'sub=0',
        'watch=0',
        `resp=${protocol}`,
        'user=default',
      ]) {
        expect(String(info).split(/\s/)).toContain(said);
      }
      next.release(true);
      await server.close();
    },
  );

  test("tells MONITOR's lines, and replies among them", async () => {
    const server = await open(urlOf(`:${PASSWORD}`));
    const link = await server.borrow([], AbortSignal.timeout(10_000));
    const lines: unknown[] = [];
    link.onPush = (message) => lines.push(plain(message));
    expect(await say(link, [words('monitor')])).toEqual(['OK']);
    await onRedis(program.url, ['SET', 'seen', '1']);
    await expect.poll(() => lines.join()).toContain('"SET" "seen" "1"');
    link.release(false);
    await server.close();
  });
});

describe('connections', () => {
  let program: Program;
  let proxy: TestProxy;
  beforeAll(async () => {
    program = await ownRedis({ modules: false });
    proxy = await TestProxy.to(program.port);
  });
  afterAll(async () => {
    proxy?.close();
    await program?.stop();
  });
  const url = () => `redis://127.0.0.1:${proxy.port}`;

  test('are shared: commands of concurrent callers go out in one write, in their order', async () => {
    const server = await open(url(), testHost(1));
    await say(server, [words('del', 'list')]);
    const [opened, pieces] = [proxy.opened, proxy.pieces];
    const pushes = Array.from({ length: 100 }, (_, index) =>
      say(server, [words('rpush', 'list', String(index))]),
    );
    const replies = await Promise.all(pushes);
    expect(proxy.opened - opened).toBe(0);
    expect(proxy.pieces - pieces).toBe(1);
    expect(replies.map(([length]) => length)).toEqual(replies.map((_, index) => index + 1));
    await server.close();
  });

  test('stay within the caps, however many pools there are', async () => {
    const host = testHost(2);
    const servers = await Promise.all([open(url(), host), open(url(), host), open(url(), host)]);
    const open0 = proxy.open;
    const rounds = Array.from({ length: 300 }, async (_, index) => {
      const server = servers[index % 3];
      return server && say(server, [words('incr', 'rounds')]);
    });
    expect(await Promise.all(rounds)).toHaveLength(300);
    expect(proxy.open - open0).toBeLessThanOrEqual(2);
    expect(await onRedis(program.url, ['GET', 'rounds'])).toEqual(['300']);
    await Promise.all(servers.map((each) => each.close()));
  });

  test('come back to a waiting caller, although others keep them busy', async () => {
    const host = testHost(1);
    const [busy, other] = await Promise.all([open(url(), host), open(url(), host)]);
    let running = true;
    const load = Array.from({ length: 8 }, async () => {
      while (running) await say(busy, [words('ping')], 'read');
    });
    await say(busy, [words('ping')]);
    expect(await say(other, [words('ping')], 'read')).toEqual(['PONG']);
    const link = await other.borrow([], AbortSignal.timeout(5_000));
    expect(await say(link, [words('ping')])).toEqual(['PONG']);
    link.release(true);
    running = false;
    await Promise.all(load);
    await Promise.all([busy.close(), other.close()]);
  });

  test('are replaced when the server has dropped them, without a caller noticing', async () => {
    const server = await open(url());
    expect(await say(server, [words('set', 'k', '1')])).toEqual(['OK']);
    proxy.cut();
    // The driver's own end of them hears of it on the next turn of this process.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await say(server, [words('incr', 'k')])).toEqual([2]);
    await server.close();
  });

  test('end with a result that is too large for no other caller', async () => {
    const server = await open(url());
    await say(server, [words('set', 'large', 'x'.repeat(5_000_000)), words('set', 'k', '7')]);
    const opened = proxy.opened;
    const small = server.send([words('get', 'large')], bounds('read', { replyMaxBytes: 1_000 }));
    const [failure, [value]] = await Promise.all([
      failureOf(small),
      say(server, [words('get', 'k')], 'read'),
    ]);
    expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect(value).toBe('7');
    expect(proxy.opened).toBe(opened);
    const taken = server.send([words('getdel', 'large')], bounds('write', { replyMaxBytes: 9 }));
    expect(await failureOf(taken)).toMatchObject({ details: [{ applied: true }] });
    await server.close();
  });

  test('take more than the network does at once, and keep its order', async () => {
    const server = await open(url());
    const value = 'x'.repeat(300_000);
    const writes = Array.from({ length: 40 }, (_, index) =>
      say(server, [words('set', `big:${index}`, value), words('append', `big:${index}`, 'y')]),
    );
    for (const replies of await Promise.all(writes)) expect(replies).toEqual(['OK', 300_001]);
    await server.close();
  });
});
