/** Which sessions an isolate keeps, also on a platform whose clock stands still. */
import { env } from 'cloudflare:test';
import { beforeEach, expect, test } from 'vitest';
import type { BackendClient, ConnectionEnvelope } from '../../../proto/driver.ts';
import { openContext } from '../../context.ts';
import { edgeClient, forgetEdgeClients } from './clients.ts';
import type { EdgeDriver } from './driver.ts';

const OPEN_MAX = 2_000;
const IDLE_MAX_MS = 300_000;

let now = 0;
let opened = 0;
const ENDPOINT = crypto.randomUUID();
beforeEach(() => {
  now = 0;
  opened = 0;
  forgetEdgeClients(ENDPOINT, -1);
});

const driver: EdgeDriver = {
  vendor: 'Test',
  serves: () => true,
  open(): BackendClient {
    opened += 1;
    return { run: async () => new Uint8Array(), ping: async () => 0, close: async () => {} };
  },
};
const envelope: ConnectionEnvelope = { connection: { url: 'https://a.test/' }, settings: {} };

/** As a request of its own asks for it. */
function session(name: string, revision = 1): Promise<BackendClient> {
  const ctx = openContext({
    signal: new AbortController().signal,
    env,
    outside: { now: () => now, fetch: () => Promise.reject(new Error('not to be asked')) },
    requestId: 'request-of-the-test',
    address: 'local',
    waitUntil() {},
  });
  const poolKey = `${ENDPOINT}:${revision}:${name}`;
  return edgeClient(ctx, driver, { poolKey, endpoint: ENDPOINT, revision }, async () => envelope);
}

test('a session serves the requests after it, however long the clock stands still', async () => {
  const first = await session('read');
  for (let turn = 0; turn < 10; turn += 1) expect(await session('read')).toBe(first);
  expect(opened).toBe(1);
});

test('there are no more than may be, though no time passes: the least used goes', async () => {
  for (let nth = 0; nth < OPEN_MAX; nth += 1) await session(String(nth));
  await session('0');
  expect(opened).toBe(OPEN_MAX);
  await session('one more');
  await session('0');
  expect(opened).toBe(OPEN_MAX + 1);
  await session('1');
  expect(opened).toBe(OPEN_MAX + 2);
});

test('one that nobody has used is forgotten when another is opened', async () => {
  await session('old');
  await session('used');
  now = IDLE_MAX_MS;
  await session('used');
  now = IDLE_MAX_MS + 1;
  await session('new');
  await session('used');
  expect(opened).toBe(3);
  await session('old');
  expect(opened).toBe(4);
});

test('those of an earlier configuration are forgotten, and no others', async () => {
  const before = await session('read', 1);
  const kept = await session('read', 2);
  forgetEdgeClients(ENDPOINT, 2);
  expect(await session('read', 2)).toBe(kept);
  expect(await session('read', 1)).not.toBe(before);
});
