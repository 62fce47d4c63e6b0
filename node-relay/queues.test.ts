/** Calls that queue for a full pool: first come, first served, and told in `/metrics`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Metrics } from './metrics.ts';
import { ENDPOINT, query, relaysOfTests, type TestRelay, targetOf } from './test/relay.ts';

const OTHER = '0c4c7d53-1f0e-4f0a-9d06-2a5f0c9a7e11';
const QUEUED = 20;

const start = relaysOfTests();

/** A call of an endpoint that may have one connection. */
function read(node: TestRelay, text: string, endpoint = ENDPOINT) {
  const target = targetOf('read', {
    sealedConnection: node.sealed,
    endpoint,
    caps: { total: 1 },
  });
  return node.client.run({ target, request: query(text) });
}

/** Samples of the metrics whose name begins so. */
async function metrics(node: TestRelay, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${node.baseUrl}/metrics`)).text();
  const samples = text.split('\n').filter((line) => line.startsWith(name));
  return Object.fromEntries(
    samples.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

const WAITING = 'relay_waiting_calls{kind="postgres",profile="production"}';

async function untilWaiting(node: TestRelay, count: number): Promise<void> {
  const waiting = async () => (await metrics(node, WAITING))[WAITING];
  await expect.poll(waiting, { interval: 5 }).toBe(count);
}

test('serves calls that wait in the order in which they came', async () => {
  const node = await start();
  const held = read(node, 'pause');
  await expect.poll(() => node.seen.running).toBe(1);
  const served: number[] = [];
  const calls: Promise<unknown>[] = [held];
  for (let call = 0; call < QUEUED; call += 1) {
    calls.push(read(node, `sleep ${(QUEUED - call) % 5}`).then(() => served.push(call)));
    await untilWaiting(node, call + 1);
  }
  node.seen.goOn();
  await Promise.all(calls);
  expect(served).toEqual(Array.from({ length: QUEUED }, (_, call) => call));
  expect(node.seen.connectionsMost).toBe(1);
});

test('tells who waits now, the longest queue, and how long calls waited', async () => {
  const node = await start();
  const held = [read(node, 'pause')];
  await expect.poll(() => node.seen.running).toBe(1);
  held.push(read(node, 'select 1'), read(node, 'select 2'));
  await untilWaiting(node, 2);
  const endFirst = node.seen.goOn;
  held.push(read(node, 'pause', OTHER));
  await expect.poll(() => node.seen.running).toBe(2);
  held.push(read(node, 'select 3', OTHER));
  await untilWaiting(node, 3);
  expect(await metrics(node, 'relay_longest_queue_calls')).toEqual({
    'relay_longest_queue_calls{kind="postgres"}': 2,
  });
  expect(await metrics(node, 'relay_waiting_calls')).toEqual({
    [WAITING]: 3,
    'relay_waiting_calls{kind="postgres",profile="development"}': 0,
  });
  const text = await (await fetch(`${node.baseUrl}/metrics`)).text();
  expect(text).not.toContain(ENDPOINT);
  await sleep(60);
  endFirst();
  node.seen.goOn();
  await Promise.all(held);
  await untilWaiting(node, 0);
  const waits = await metrics(node, 'relay_pool_wait_seconds');
  expect(waits['relay_pool_wait_seconds_count{kind="postgres"}']).toBe(3);
  // Two have waited at least as long as was slept.
  expect(waits['relay_pool_wait_seconds_sum{kind="postgres"}']).toBeGreaterThan(0.12);
  expect(await metrics(node, 'relay_longest_queue_calls')).toEqual({
    'relay_longest_queue_calls{kind="postgres"}': 0,
  });
});

test('counts no wait of calls that were served at once', async () => {
  const node = await start();
  await read(node, 'select 1');
  expect(await metrics(node, 'relay_pool_wait_seconds_count')).toEqual({});
});

test('counts calls that were refused by cause', async () => {
  const counted = new Metrics(() => ({
    ...{ pools: 0, connections: 0, queued: [], sessions: 0, keptBytes: 0, callsInFlight: 0 },
  }));
  const { refused } = counted.queues('redis');
  refused('full');
  refused('full');
  refused('time');
  const text = await counted.text();
  expect(text.match(/^relay_pool_refusals_total.*$/gm)).toEqual([
    'relay_pool_refusals_total{kind="redis",cause="full"} 2',
    'relay_pool_refusals_total{kind="redis",cause="time"} 1',
  ]);
});
