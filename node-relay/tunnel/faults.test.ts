/** Tunnels that are lost: what their calls are told, and how soon they are there again. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { memoryDriver } from '../test/memory-driver.ts';
import { failureOf, query, targetOf } from '../test/relay.ts';
import { startProxies } from './test/proxy.ts';
import { startTunnelledRelay, type TunnelledRelay } from './test/relay.ts';

const { driver, seen } = memoryDriver();
let node: TunnelledRelay;
let proxies: Awaited<ReturnType<typeof startProxies>>;
let edgePort = 0;
let sealedConnection: string;
beforeAll(async () => {
  proxies = await startProxies(() => edgePort);
  node = await startTunnelledRelay({
    drivers: { postgres: driver },
    gateway({ port }) {
      edgePort = port;
      return `http://127.0.0.1:${proxies.port}`;
    },
  });
  sealedConnection = await node.sealFor({});
  await vi.waitUntil(() => opened() === 2, { timeout: 20_000 });
});
afterAll(async () => {
  await node.stop();
  proxies.stop();
});

const opened = () => node.lines.filter((line) => line.includes('"tunnel open"')).length;
const run = (text: string, name = '') =>
  node.client.run(
    { target: targetOf('read', { sealedConnection, caps: { total: 8 } }), request: query(text) },
    { headers: name === '' ? {} : { 'Test-Call': name } },
  );

test('a connection whose proxy is killed takes its calls with it, and no others; it is dialled again within 2 s', async () => {
  const calls = ['a', 'b', 'c', 'd'].map((name) => {
    const ended = failureOf(run('hang', name));
    const state = { how: '' };
    void ended.then(({ message }) => {
      state.how = message;
    });
    return { name, state };
  });
  await expect.poll(() => seen.running).toBe(4);
  const killed = performance.now();
  proxies.processes[0]?.kill('SIGKILL');
  // The two share them.
  await expect.poll(() => calls.filter(({ state }) => state.how !== '').length).toBe(2);
  await expect.poll(() => seen.running).toBe(2);
  expect((await run('select 1')).result.byteLength).toBeGreaterThan(0);
  await expect.poll(opened, { interval: 10 }).toBe(3);
  expect(performance.now() - killed).toBeLessThan(4_000);
  expect(calls.filter(({ state }) => state.how !== '').map(({ state }) => state.how)).toEqual([
    'HTTP 503',
    'HTTP 503',
  ]);
  for (const { name, state } of calls) if (state.how === '') await node.leave(name);
  await expect.poll(() => seen.running).toBe(0);
});

test('one that stands still is given up: its calls fail within 3 s, and others go on', async () => {
  const calls = Promise.allSettled([failureOf(run('hang', 'e')), failureOf(run('hang', 'f'))]);
  await expect.poll(() => seen.running).toBe(2);
  const stopped = performance.now();
  proxies.processes[1]?.kill('SIGSTOP');
  const first = await Promise.race([failureOf(run('hang', 'g')), failureOf(run('hang', 'h'))]);
  expect(first.message).toBe('HTTP 503');
  // Half a second for a look, on a machine that does other things, too.
  expect(performance.now() - stopped).toBeLessThan(6_000);
  for (const name of ['e', 'f', 'g', 'h']) await node.leave(name);
  proxies.processes[1]?.kill('SIGKILL');
  await calls;
  await expect.poll(opened).toBeGreaterThan(3);
  expect((await run('select 1')).result.byteLength).toBeGreaterThan(0);
});
