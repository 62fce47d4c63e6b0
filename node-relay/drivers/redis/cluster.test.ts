/** A cluster of real servers: keys find their nodes, also while they move and when a master dies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import { type RedisGroup, startCluster } from '../../../test/servers/redis/cluster.ts';
import { onRedis } from '../../../test/servers/redis-server.ts';
import { failureOf } from '../contract.ts';
import { digestOf } from '../contract-once.ts';
import type { Host } from '../driver.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { redis } from './index.ts';
import { slotOf } from './key-slot.ts';
import type { RedisServer } from './link.ts';
import { bounds, open, say, words } from './test/server.ts';

let group: RedisGroup;
let server: RedisServer;
const keys = Array.from({ length: 60 }, (_, index) => `key:${index}`);

/** Ids of the nodes, in their order. */
const ids: string[] = [];

beforeAll(async () => {
  group = await startCluster({
    product: 'redis-7',
    modules: false,
    replicas: 1,
    settings: { 'repl-diskless-sync-delay': 0 },
  });
  const replicas = group.nodes.slice(3).map(({ url }) => url);
  const isUp = async (url: string) =>
    String((await onRedis(url, ['INFO', 'replication']))[0]).includes('master_link_status:up');
  for (const url of replicas) while (!(await isUp(url))) await sleep(20);
  for (const { url } of group.nodes) ids.push(String((await onRedis(url, ['CLUSTER', 'MYID']))[0]));
  server = await open(urlOf());
});
afterAll(async () => {
  await server?.close();
  await group?.stop();
});

function urlOf(options = ''): string {
  return `redis+cluster://127.0.0.1:${nodeAt(0).port}${options}`;
}

function nodeAt(index: number) {
  const node = group.nodes[index];
  if (!node) throw new Error(`no node ${index}`);
  return node;
}

/** The master that says it serves a slot, and another. */
async function ownerOf(slot: number): Promise<{ owner: number; other: number }> {
  const [slots] = await onRedis(nodeAt(0).url, ['CLUSTER', 'SLOTS']);
  const rows = slots as [number, number, [string, number]][]; // As the command documents.
  const row = rows.find(([first, last]) => first <= slot && slot <= last);
  const owner = group.nodes.findIndex(({ port }) => port === row?.[2][1]);
  return { owner, other: (owner + 1) % 3 };
}

test('keeps writes once on the node of their keys', async () => {
  const client = await openClient(redis, { connection: { url: urlOf() }, mode: 'write' });
  for (const key of ['once:a', 'once:b', 'once:}c', '{once}d', 'once:e']) {
    const mark = { key: digestOf(key), body: digestOf('b'), place: 'm', secret: digestOf('s') };
    const work = { operations: [words('incr', key), words('incr', key)] };
    const done = async () => {
      const { result, isReplay } = await client.once(work, mark, callOf('write'));
      return [jsonOf(result), isReplay];
    };
    const told = [{ result: 1 }, { result: 2 }];
    expect([await done(), await done()]).toEqual([
      [told, false],
      [told, true],
    ]);
  }
  await client.close();
});

test('finds the slot of every key as the server does', async () => {
  const samples = ['', 'a', '{user}:1', '{}x', 'x{a}{b}', '{a', 'ä{ö}', ...keys];
  for (const key of samples) {
    const [slot] = await onRedis(nodeAt(0).url, ['CLUSTER', 'KEYSLOT', key]);
    expect([key, slotOf(Buffer.from(key))]).toEqual([key, slot]);
  }
});

test('sends each command to the node of its key, and answers in the order asked', async () => {
  await say(
    server,
    keys.map((key) => words('set', key, `value of ${key}`)),
  );
  const read = await say(
    server,
    keys.map((key) => words('get', key)),
    'read',
  );
  expect(read).toEqual(keys.map((key) => `value of ${key}`));
});

test("answers the server's own error for keys of several slots", async () => {
  const [reply] = await say(server, [words('mget', 'a', 'b')], 'read');
  expect(reply).toMatchObject({ code: 'CROSSSLOT' });
});

test('means all masters where a command means the whole', async () => {
  const replies = await say(server, [words('dbsize'), words('keys', 'key:*')], 'read');
  expect(replies[0]).toBeGreaterThanOrEqual(keys.length);
  expect(new Set(replies[1] as string[])).toEqual(new Set(keys)); // KEYS answers a list.
});

test('tells all masters of a script, however it is written', async () => {
  const [digest] = await say(server, [words('script', 'LOAD', 'return 1')]);
  const exists = words('script exists', String(digest), 'none');
  expect(await say(server, [exists], 'read')).toEqual([[1, 0]]);
  for (const { url } of group.nodes.slice(0, 3)) {
    expect(await onRedis(url, ['SCRIPT', 'EXISTS', String(digest)])).toEqual([[1]]);
  }
});

test('scans one master after the other', async () => {
  const found: string[] = [];
  let cursor = '0';
  do {
    const [reply] = await say(server, [words('scan', cursor, 'match', 'key:*')], 'read');
    const [next, names] = reply as [string, string[]]; // SCAN answers these two.
    found.push(...names);
    cursor = next;
  } while (cursor !== '0');
  expect(new Set(found)).toEqual(new Set(keys));
});

test('borrows a connection to the node of its keys, and follows them from a wrong one', async () => {
  const key = 'key:7';
  const signal = AbortSignal.timeout(10_000);
  const right = await server.borrow([Buffer.from(key)], signal);
  const transaction = [words('multi'), words('incr', 'n{key:7}'), words('exec')];
  expect(await say(right, transaction)).toEqual(['OK', 'QUEUED', [1]]);
  right.release(true);
  const { other } = await ownerOf(slotOf(Buffer.from(key)));
  const keyOfOther = keys.find((each) => slotOf(Buffer.from(each)) % 3 === other % 3) ?? key;
  const wrong = await server.borrow([Buffer.from(keyOfOther)], signal);
  expect(await say(wrong, transaction)).toEqual(['OK', 'QUEUED', [2]]);
  wrong.release(true);
  const refused = failureOf(server.borrow([Buffer.from('a'), Buffer.from('b')], signal));
  expect(await refused).toMatchObject({ code: 'BAD_REQUEST', details: [{ code: 'CROSSSLOT' }] });
});

test('reads of replicas only where that is asked for', async () => {
  // Servers name a replica once it has something.
  const isNamed = async () => {
    const [rows] = await onRedis(nodeAt(0).url, ['CLUSTER', 'SLOTS']);
    return (rows as unknown[][]).every((row) => row.length > 3); // As the command documents.
  };
  while (!(await isNamed())) await sleep(20);
  const before = await readsOfReplicas();
  await say(
    server,
    keys.map((key) => words('get', key)),
    'read',
  );
  expect(await readsOfReplicas()).toBe(before);
  const scaled = await open(urlOf('?read_from_replicas=true'));
  const read = await say(
    scaled,
    keys.map((key) => words('get', key)),
    'read',
  );
  expect(read).toEqual(keys.map((key) => `value of ${key}`));
  expect(await readsOfReplicas()).toBe(before + keys.length);
  await scaled.close();
});

async function readsOfReplicas(): Promise<number> {
  let calls = 0;
  for (const { url } of group.nodes.slice(3)) {
    const [stats] = await onRedis(url, ['INFO', 'commandstats']);
    calls += Number(/cmdstat_get:calls=(\d+)/.exec(String(stats))?.[1] ?? 0);
  }
  return calls;
}

test('connects to no node that the relay may not reach', async () => {
  const allowed = nodeAt(0).port;
  const host = testHost();
  const dialled = new Set<number>();
  const refusing: Host = {
    ...host,
    dial(name, port, signal) {
      if (port === allowed) return host.dial(name, port, signal);
      dialled.add(port);
      return Promise.reject(new GatewayError('ADDRESS_REFUSED', 'not that one'));
    },
  };
  const narrow = await open(urlOf(), refusing);
  const reads = keys.map((key) => words('get', key));
  expect(await failureOf(say(narrow, reads, 'read'))).toMatchObject({ code: 'ADDRESS_REFUSED' });
  expect(dialled).toEqual(new Set([nodeAt(1).port, nodeAt(2).port]));
  await narrow.close();
});

describe('a slot on its way to another node', () => {
  const key = 'travelling';
  const slot = slotOf(Buffer.from(key));
  const fresh = `fresh{${key}}`;

  test('is asked for at both ends while it moves, and found after', async () => {
    await say(server, [words('set', key, 'stays')]);
    const { owner, other } = await ownerOf(slot);
    const [from, to] = [nodeAt(owner), nodeAt(other)];
    const setSlot = (url: string, ...args: string[]) =>
      onRedis(url, ['CLUSTER', 'SETSLOT', String(slot), ...args]);
    await setSlot(to.url, 'IMPORTING', ids[owner] ?? '');
    await setSlot(from.url, 'MIGRATING', ids[other] ?? '');
    // A key that is not at the old place is asked for at the new one.
    expect(await say(server, [words('set', fresh, 'new')])).toEqual(['OK']);
    expect(await say(server, [words('get', key), words('get', fresh)], 'read')).toEqual([
      'stays',
      'new',
    ]);
    const link = await server.borrow([Buffer.from(fresh)], AbortSignal.timeout(5_000));
    expect(await say(link, [words('getdel', fresh)])).toEqual(['new']);
    link.release(true);
    await onRedis(from.url, ['MIGRATE', '127.0.0.1', String(to.port), key, '0', '5000']);
    for (const { url } of [to, from]) await setSlot(url, 'NODE', ids[other] ?? '');
    expect(await say(server, [words('get', key)], 'read')).toEqual(['stays']);
    expect(await say(server, [words('append', key, '!')])).toEqual([6]);
  });
});

test('stays within the caps although there are more nodes', async () => {
  const narrow = await open(urlOf(), testHost(1));
  const read = await say(
    narrow,
    keys.slice(0, 9).map((key) => words('get', key)),
    'read',
  );
  expect(read).toEqual(keys.slice(0, 9).map((key) => `value of ${key}`));
  await narrow.close();
});

describe('when a master dies', () => {
  test('goes on with the replica that takes its place, and no write happens twice', async () => {
    const key = keys.find((each) => slotOf(Buffer.from(each)) < 5_000) ?? '';
    await say(server, [words('set', 'n', '0')]);
    const { owner } = await ownerOf(slotOf(Buffer.from(key)));
    const counter = `count{${key}}`;
    const counted = { done: 0, unknown: 0 };
    let running = true;
    const writer = (async () => {
      while (running) {
        const outcome = await server
          .send([words('incr', counter)], bounds())
          .catch((error) => error);
        if (Array.isArray(outcome) && typeof outcome[0] === 'number') counted.done += 1;
        else if (outcome.code === 'OUTCOME_UNKNOWN') counted.unknown += 1;
      }
    })();
    await expect.poll(() => counted.done).toBeGreaterThan(0);
    process.kill(nodeAt(owner).pid, 'SIGKILL');
    const read = say(server, [words('get', key)], 'read');
    expect(await read).toEqual([`value of ${key}`]);
    expect(await say(server, [words('append', key, '!')])).toEqual([`value of ${key}`.length + 1]);
    running = false;
    await writer;
    const [total] = await say(server, [words('get', counter)], 'read');
    // What the dead master took with it, the replica never had: fewer is the server's, more would be ours.
    expect(Number(total)).toBeLessThanOrEqual(counted.done + counted.unknown);
  });
});

test('says what is wrong with a server that is no node of a cluster', async () => {
  const { ownRedis } = await import('../../../test/servers/redis-server.ts');
  const single = await ownRedis({ modules: false });
  const wrong = await open(`redis://127.0.0.1:${single.port}?cluster=true`);
  expect(await failureOf(say(wrong, [words('ping')]))).toMatchObject({
    code: 'CONNECTION_FAILED',
    message: 'Unable to connect to database: the server is not a node of a cluster',
  });
  await wrong.close();
  await single.stop();
});
