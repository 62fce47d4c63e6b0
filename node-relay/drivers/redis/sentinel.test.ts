/** Sentinels that watch over real servers: the master is found, and followed when another takes its place. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OnceAnswer } from '../../../proto/once.ts';
import { type RedisSentinels, startSentinels } from '../../../test/servers/redis/sentinel.ts';
import { onRedis } from '../../../test/servers/redis-server.ts';
import { failureOf } from '../contract.ts';
import { digestOf } from '../contract-once.ts';
import { callOf, openClient } from '../test/host.ts';
import { redis } from './index.ts';
import type { RedisServer } from './link.ts';
import { bounds, open, say, words } from './test/server.ts';

const PASSWORD = 'choose-a-long-one';
const WATCHER = 'of-the-sentinels';
let group: RedisSentinels;
let server: RedisServer;

beforeAll(async () => {
  group = await startSentinels({
    product: 'redis-7',
    modules: false,
    password: PASSWORD,
    sentinelPassword: WATCHER,
    settings: { 'repl-diskless-sync-delay': 0 },
  });
  server = await open(urlOf());
});
afterAll(async () => {
  await server?.close();
  await group?.stop();
});

/** The first sentinel of the list is none. */
function urlOf(options = '', path = '/mymaster/2'): string {
  const sentinels = group.sentinels.map(({ port }) => `127.0.0.1:${port}`);
  const credentials = `sentinel_username=default&sentinel_password=${WATCHER}`;
  return `redis+sentinel://:${PASSWORD}@127.0.0.1:1,${sentinels.join()}${path}?${credentials}${options}`;
}

test('finds the master, and the database that the path names', async () => {
  expect(await say(server, [words('set', 'a', '1'), words('role')])).toMatchObject([
    'OK',
    ['master', expect.anything(), expect.anything()],
  ]);
  const master = `redis://:${PASSWORD}@127.0.0.1:${group.master.port}/2`;
  expect(await onRedis(master, ['GET', 'a'])).toEqual(['1']);
});

test.each([
  [
    'of no such name',
    '/othermaster',
    '',
    'Unable to connect to database: the sentinels know no master of that name',
  ],
  [
    'with a wrong password of the sentinels',
    '/mymaster',
    '&sentinel_password=no',
    'Unable to connect to database: password authentication failed',
  ],
])('says what is wrong %s', async (_, path, options, message) => {
  const wrong = await open(urlOf(options, path));
  const failure = await failureOf(say(wrong, [words('ping')]));
  expect(failure).toMatchObject({ code: 'CONNECTION_FAILED', message });
  await wrong.close();
});

test('reads of a replica only where that is asked for', async () => {
  const scaled = await open(urlOf('&read_from_replicas=true'));
  const roleIn = async (mode: 'read' | 'write') => {
    const [role] = await say(scaled, [words('role')], mode);
    return (role as unknown[])[0]; // ROLE answers a list.
  };
  expect([await roleIn('read'), await roleIn('write')]).toEqual(['slave', 'master']);
  await scaled.close();
});

test('writes to the next master when the one before is demoted under open connections', async () => {
  const [sentinel] = group.sentinels;
  await say(server, [words('set', 'n', '1')]);
  await untilInSync();
  await onRedis(sentinel?.url ?? '', ['SENTINEL', 'FAILOVER', group.name]);
  const deadline = Date.now() + 50_000;
  for (;;) {
    const [role] = await say(server, [words('role')], 'read').catch(() => [[]]);
    const [info] = await say(server, [words('config get', 'port')], 'read');
    const port = JSON.stringify(info).includes(String(group.replica.port));
    if ((role as unknown[])[0] === 'master' && port) break; // As above.
    if (Date.now() > deadline) throw new Error('no failover');
    await sleep(50);
  }
  expect(await say(server, [words('incr', 'n')])).toEqual([2]);
});

test('a write with a mark is kept once over a failover', async () => {
  const client = await openClient(redis, { connection: { url: urlOf() }, mode: 'write' });
  const write = (at: number): Promise<OnceAnswer> => {
    const key = digestOf(`failover ${at}`);
    const mark = { key, body: key, place: 'causeway_once', secret: key };
    const request = { type: 'incr', args: ['marked'] };
    return client.once({ request }, mark, callOf('write'));
  };
  const done: number[] = [];
  let isRunning = true;
  const writer = (async () => {
    for (let at = 0; isRunning; ) {
      const answer = await write(at).catch(() => undefined);
      if (answer !== undefined) done.push(at);
      if (answer !== undefined) at += 1;
    }
  })();
  await expect.poll(() => done.length).toBeGreaterThan(5);
  const port = async () => JSON.stringify(await say(server, [words('config get', 'port')], 'read'));
  const before = await port();
  await untilInSync();
  const [sentinel] = group.sentinels;
  await onRedis(sentinel?.url ?? '', ['SENTINEL', 'FAILOVER', group.name]);
  await expect.poll(port, { timeout: 50_000 }).not.toBe(before);
  const then = done.length;
  await expect.poll(() => done.length, { timeout: 50_000 }).toBeGreaterThan(then + 5);
  isRunning = false;
  await writer;
  // What the old master has not passed on is lost with its mark, and done now.
  for (const at of done) await write(at);
  expect(await say(server, [words('get', 'marked')], 'read')).toEqual([String(done.length)]);
  await client.close();
}, 120_000);

test('follows when the master dies, and no write happens twice', async () => {
  const [role] = await onRedis(`redis://:${PASSWORD}@127.0.0.1:${group.master.port}`, ['ROLE']);
  const living = JSON.stringify(role).includes('slave') ? group.replica : group.master;
  await say(server, [words('set', 'count', '0')]);
  await untilInSync();
  const counted = { done: 0, unknown: 0 };
  let running = true;
  const writer = (async () => {
    while (running) {
      const outcome = await server.send([words('incr', 'count')], bounds()).catch((error) => error);
      if (Array.isArray(outcome) && typeof outcome[0] === 'number') counted.done += 1;
      else if (outcome.code === 'OUTCOME_UNKNOWN') counted.unknown += 1;
      await sleep(1);
    }
  })();
  await expect.poll(() => counted.done).toBeGreaterThan(0);
  process.kill(living.pid, 'SIGKILL');
  expect(await say(server, [words('exists', 'count')], 'read')).toEqual([1]);
  running = false;
  await writer;
  const [total] = await say(server, [words('get', 'count')], 'read');
  expect(Number(total)).toBeLessThanOrEqual(counted.done + counted.unknown);
});

async function untilInSync(): Promise<void> {
  const [acknowledged] = await say(server, [words('wait', '1', '10000')]);
  expect(acknowledged).toBe(1);
}
