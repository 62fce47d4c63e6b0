/** What endpoints that nobody uses cost a relay: no connections, little memory, and at last nothing. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Kind } from '../kinds/index.ts';
import { parseAllowList } from './allow-list.ts';
import { Connections } from './connections.ts';
import { Dialer } from './dial.ts';
import type { Driver } from './drivers/driver.ts';
import { drivers } from './drivers/index.ts';
import { callOf } from './drivers/test/host.ts';
import { heldBytes } from './drivers/test/memory.ts';
import { POOL_IDLE_MAX_MS, Pools } from './pools.ts';
import { Seals } from './seals.ts';
import { IDLE_MAX_MS } from './slots.ts';
import type { CallTarget } from './target.ts';
import { memoryDriver } from './test/memory-driver.ts';
import { type Keys, makeKeys, seal } from './test/relay.ts';

const ENDPOINTS = 1_000;
/** Bytes that an idle endpoint may hold: 1,000 may hold 50 MB. */
const ENDPOINT_MAX_BYTES = 50_000;

const keys: Keys = await makeKeys();

function poolsOf(given: Readonly<Record<string, Driver>>): Pools {
  const dialer = new Dialer({
    allow: parseAllowList('*'),
    setting: 'RELAY_ALLOW',
    ownPort: () => undefined,
    gateway: undefined,
  });
  return new Pools({
    drivers: given,
    connections: new Connections([keys.nodePrivate]),
    dialer,
    httpDialer: dialer,
    seals: new Seals([{ d: 'a2V5IG9mIGEgbm9kZSBpbiB0ZXN0cw' }]),
    onFault: (cause) => expect.fail(String(cause)),
  });
}

function targetOf(kind: Kind, sealed: string): CallTarget {
  const endpoint = randomUUID();
  return {
    kind,
    organization: '',
    endpoint,
    revision: '1',
    session: undefined,
    poolKey: `${endpoint}:1:read:production`,
    mode: 'read',
    profile: 'production',
    sealed,
    caps: { total: 0, production: 0, development: 0 },
  };
}

describe('endpoints used once', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('hold no connection a minute later, and nothing five minutes later', async () => {
    const { driver, seen } = memoryDriver();
    const pools = poolsOf({ postgres: driver });
    const sealed = await seal(keys.nodePublic);
    const targets = Array.from({ length: ENDPOINTS }, () => targetOf('postgres', sealed));
    for (const target of targets) {
      const { client, leave } = await pools.enter(target);
      await client.run({ type: 'query', query: 'select 1' }, callOf('read'));
      leave();
    }
    expect([pools.connections, seen.connections, pools.size]).toEqual([
      ENDPOINTS,
      ENDPOINTS,
      ENDPOINTS,
    ]);
    await vi.advanceTimersByTimeAsync(IDLE_MAX_MS);
    expect([pools.connections, seen.connections, pools.size]).toEqual([0, 0, ENDPOINTS]);
    await vi.advanceTimersByTimeAsync(POOL_IDLE_MAX_MS);
    expect([pools.size, seen.closed, pools.queued]).toEqual([0, ENDPOINTS, []]);
    const [first] = targets;
    if (first === undefined) throw new Error('There is no target');
    await expect(pools.enter({ ...first, sealed: '' })).rejects.toMatchObject({
      code: 'CONNECTION_UNKNOWN',
    });
    await pools.close();
  });
});

describe('an idle endpoint', () => {
  const COUNT = 200;

  test.each<[Kind, { readonly url: string }]>([
    ['postgres', { url: 'postgresql://app:secret@127.0.0.1:1/app' }],
    ['mysql', { url: 'mysql://app:secret@127.0.0.1:1/app' }],
    ['redis', { url: 'redis://127.0.0.1:1' }],
    ['mongo', { url: 'mongodb://127.0.0.1:1/app' }],
    ['clickhouse', { url: 'http://127.0.0.1:1' }],
    ['http', { url: 'http://127.0.0.1:1' }],
  ])('of kind %s holds at most 50 kB', async (kind, connection) => {
    const pools = poolsOf(drivers);
    const sealed = await seal(keys.nodePublic, { connection });
    const open = async () => (await pools.enter(targetOf(kind, sealed))).leave();
    for (let first = 0; first < 10; first += 1) await open();
    const before = await heldBytes();
    for (let each = 0; each < COUNT; each += 1) await open();
    const held = (await heldBytes()) - before;
    expect(pools.size).toBe(COUNT + 10);
    expect(held / COUNT).toBeLessThan(ENDPOINT_MAX_BYTES);
    await pools.close();
  });
});
