/** Sessions, transactions and subscriptions in a cluster; and what nodes tell of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedisRequest } from '../../../kinds/redis/command.ts';
import type { Lease } from '../../../proto/driver.ts';
import { type RedisGroup, startCluster } from '../../../test/servers/redis/cluster.ts';
import { failureOf } from '../contract.ts';
import { callOf, jsonOf, openClient, testHost } from '../test/host.ts';
import { type RedisClient, redis } from './index.ts';
import { line } from './test/client.ts';
import { differenceOf, leavesOfJson, leavesOfWire } from './test/differential/leaves.ts';
import { DirectClient } from './test/direct-client.ts';

/** A session on a cluster, by its first node. */
async function openOn({ nodes: [first] }: RedisGroup): Promise<RedisClient> {
  const connection = { url: `redis+cluster://127.0.0.1:${first?.port}` };
  return openClient(redis, { connection, mode: 'write', host: testHost(20) });
}

describe('three masters', () => {
  let group: RedisGroup;
  let session: RedisClient;

  beforeAll(async () => {
    group = await startCluster({ product: 'redis-8', modules: false });
    session = await openOn(group);
  });
  afterAll(async () => {
    await session?.close();
    await group?.stop();
  });

  const transact = async (...lines: string[]) =>
    jsonOf(await session.transact(lines.map(line), callOf('write')));
  const on = async (lease: Lease<RedisRequest>, text: string) =>
    jsonOf(await lease.run(line(text), callOf('write')));
  const lent = async () => {
    const lease = await session.lease(callOf('write'));
    if (lease === undefined) throw new Error('no sessions');
    return lease;
  };

  test.each(['a', 'b', 'c', 'd'])('a transaction goes where its keys are: {%s}', async (tag) => {
    const lines = [`SET {${tag}}1 x`, `SET {${tag}}2 y`, `MGET {${tag}}1 {${tag}}2`];
    expect(await transact(...lines)).toEqual([
      { result: 'OK' },
      { result: 'OK' },
      { result: ['x', 'y'] },
    ]);
  });

  test('keys of several slots are refused, and nothing is changed', async () => {
    const failure = await failureOf(transact('SET a 1', 'SET b 1', 'SET c 1'));
    expect(failure).toMatchObject({ code: 'BAD_REQUEST' });
    expect(jsonOf(await session.run(line('EXISTS a'), callOf('read')))).toEqual({ result: 0 });
  });

  test.each(['a', 'b', 'c', 'd'])('a session goes where its first key is: %s', async (key) => {
    const lease = await lent();
    await on(lease, `WATCH ${key}`);
    await on(lease, 'MULTI');
    expect(await on(lease, `SET ${key} 1`)).toEqual({ result: 'QUEUED' });
    expect(await on(lease, 'EXEC')).toEqual({ result: ['OK'] });
    await lease.close();
  });

  test('a key of another node is refused without its address', async () => {
    const lease = await lent();
    await on(lease, 'GET a');
    await on(lease, 'CLIENT SETNAME here');
    const failures = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      failures.push(await on(lease, `GET ${key}`).catch((error: unknown) => error));
    }
    const moved = failures.filter((each) => each instanceof Error);
    expect(moved.length).toBeGreaterThan(0);
    for (const each of moved) {
      expect(each).toMatchObject({ code: 'REQUEST_FAILED', details: [{ code: 'MOVED' }] });
      expect(JSON.stringify(each)).not.toContain('127.0.0.1');
    }
    await lease.close();
  });

  test.each(['a', 'b', 'c'])("a shard's channel is followed where it is: %s", async (channel) => {
    const ending = new AbortController();
    const call = callOf('read', { signal: ending.signal });
    const events = session.watch(line(`SSUBSCRIBE ${channel}`), call);
    const iterator = events?.[Symbol.asyncIterator]();
    await iterator?.next();
    await session.run(line(`SPUBLISH ${channel} hello`), callOf('write'));
    const { value } = (await iterator?.next()) ?? {};
    expect(JSON.parse(Buffer.from(value?.data ?? []).toString())).toEqual({
      channel,
      message: 'hello',
    });
    ending.abort(new Error('left'));
  });

  test.each(['a', 'b', 'c'])('what waits, waits where its key is: %s', async (key) => {
    const waiting = session.run(line(`BLPOP queue:${key} 5`), callOf('write'));
    await session.run(line(`RPUSH queue:${key} one`), callOf('write'));
    expect(jsonOf(await waiting)).toEqual({ result: [`queue:${key}`, 'one'] });
  });
});

describe('a cluster of one', () => {
  let group: RedisGroup;
  let session: RedisClient;
  let direct: DirectClient;

  beforeAll(async () => {
    group = await startCluster({ product: 'redis-8', modules: false, masters: 1 });
    session = await openOn(group);
    direct = await DirectClient.connect(group.nodes[0]?.url ?? '');
  });
  afterAll(async () => {
    direct?.close();
    await session?.close();
    await group?.stop();
  });

  test.each([
    ...['CLUSTER INFO', 'CLUSTER NODES', 'CLUSTER SHARDS', 'CLUSTER SLOTS', 'CLUSTER MYID'],
    ...['CLUSTER MYSHARDID', 'CLUSTER LINKS', 'CLUSTER KEYSLOT foo', 'CLUSTER HELP'],
    ...[
      'CLUSTER COUNTKEYSINSLOT 1',
      'CLUSTER GETKEYSINSLOT 1 10',
      'CLUSTER SLOT-STATS SLOTSRANGE 0 1',
    ],
    ...['CLUSTER REPLICAS none', 'CLUSTER SLAVES none', 'CLUSTER COUNT-FAILURE-REPORTS none'],
    ...['CLUSTER SAVECONFIG', 'CLUSTER BUMPEPOCH', 'CLUSTER ADDSLOTS 1', 'CLUSTER FORGET none'],
    ...['CLUSTER SET-CONFIG-EPOCH 1', 'CLUSTER REPLICATE none', 'CLUSTER FAILOVER'],
    ...['CLUSTER SETSLOT 1 STABLE', 'CLUSTER ADDSLOTSRANGE 1 2', 'CLUSTER DELSLOTSRANGE 99999 1'],
    ...['CLUSTER DELSLOTS 99999', 'CLUSTER FLUSHSLOTS extra', 'CLUSTER RESET neither'],
  ])('answers as the server does: %s', async (text) => {
    const said = leavesOfWire(await direct.send(...text.split(' ')), false);
    const told = await session.run(line(text), callOf('write')).then(
      (bytes) => leavesOfJson((jsonOf(bytes) as { result: unknown }).result),
      (error: { details: { message: string }[] }) => [error.details[0]?.message ?? ''],
    );
    const isText = /INFO|NODES|BUMPEPOCH/.test(text);
    expect(differenceOf(said, told, isText ? 'text differs' : 'numbers differ')).toBeUndefined();
  });
});
