/** Calls that move on from a node, and what is written of it. Spec: nodes.md §3. */
import { env } from 'cloudflare:test';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, test } from 'vitest';
import type { RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import { nodes } from '../db/nodes.ts';
import { insertEndpoint, relayInMemory, startGateway } from '../test/gateway.ts';
import { relayFailure } from '../test/pinging-relay.ts';
import { insertNode } from '../test/registered-node.ts';
import { countTrips } from '../test/trips.ts';

type Methods = Partial<ServiceImpl<typeof RelayService>> & {
  /** What the process before its parts is, where that says that it takes calls. */
  readonly process?: string;
};

const answering = (rows: string): Methods => ({
  run: () => ({ result: new TextEncoder().encode(rows) }),
  status: () => ({ draining: false }),
});
const lost = () => Promise.reject(new Error('Network connection lost.'));

const hangs = () => new Promise<never>(() => {});

/** The clock of a test stands still, and calls look at it. */
const startTicking = (clock: { now: number }) =>
  setInterval(() => {
    clock.now += 50;
  }, 50);

/** As the runtime does it, and a handler in memory does not. */
const left = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** An endpoint on two nodes, first to last; what they do may be changed. */
async function start(first: Methods, second: Methods) {
  const does: (Methods | typeof lost)[] = [first, second];
  const hosts: string[] = [];
  const reached: string[] = [];
  const trips = countTrips(env.DB);
  const gateway = await startGateway('Admin', {
    bindings: { DB: trips.binding },
    fetch: (request) => {
      const at = hosts.indexOf(new URL(request.url).host);
      const method = new URL(request.url).pathname.split('/').at(-1) ?? '';
      if (method === 'Run') reached.push(String(at));
      const act = does[at] ?? lost;
      if (method === 'healthz' && typeof act !== 'function' && act.process !== undefined) {
        return Promise.resolve(new Response('', { headers: { 'Causeway-Instance': act.process } }));
      }
      return typeof act === 'function'
        ? act()
        : Promise.race([relayInMemory(act).fetch(request), left(request.signal)]);
    },
  });
  const id = await insertEndpoint(gateway);
  const uuids: string[] = [];
  for (const priority of [0, 1]) {
    const uuid = await insertNode(gateway);
    uuids.push(uuid);
    hosts.push(`${uuid}.test`);
    await gateway.call('PUT', `/endpoints/${id}/nodes/${uuid}`, { priority });
  }
  const ask = (mode: 'read' | 'write') =>
    gateway.call('POST', `/endpoints/${id}/${mode}`, {
      query: mode === 'read' ? 'select 1' : 'insert into t values (1)',
    });
  const stored = async () => {
    const [row] = await drizzle(env.DB)
      .select()
      .from(nodes)
      .where(eq(nodes.uuid, uuids[0] ?? ''));
    return row;
  };
  const statuses = async () => {
    const { body } = await gateway.call('GET', `/endpoints/${id}/nodes`);
    const { data } = body as { data: { nodes: { effective_status: string }[] } };
    return data.nodes.map(({ effective_status }) => effective_status);
  };
  return { gateway, does, reached, ask, stored, statuses, trips };
}

const failing = (thrown: ConnectError): Methods => ({
  ...answering(''),
  run: () => Promise.reject(thrown),
});

describe('a read', () => {
  test.each<[what: string, Methods]>([
    ['is stopping', failing(relayFailure('NODE_UNAVAILABLE'))],
    ['ends what it has', failing(relayFailure('SERVICE_UNAVAILABLE'))],
    ['cannot reach the backend', failing(relayFailure('CONNECTION_FAILED'))],
    ['may not reach the backend', failing(relayFailure('ADDRESS_REFUSED'))],
    ['has no connection free', failing(relayFailure('POOL_EXHAUSTED'))],
    ['breaks off', failing(new ConnectError('gone', Code.Unavailable))],
  ])('moves on from a node that %s', async (_what, methods) => {
    const { ask, reached } = await start(methods, answering('{"rows":[]}'));
    expect(await ask('read')).toMatchObject({ status: 200 });
    expect(reached).toEqual(['0', '1']);
  });

  test('of a placed endpoint makes no trip to D1 once its policy is known', async () => {
    const { ask, trips } = await start(answering('{"rows":[]}'), answering('{"rows":[]}'));
    await ask('read');
    const before = trips.count();
    for (let call = 0; call < 3; call += 1) expect((await ask('read')).status).toBe(200);
    expect(trips.count()).toBe(before);
  });

  test('does not move on from what the backend said', async () => {
    const { ask, reached } = await start(
      failing(relayFailure('REQUEST_FAILED')),
      answering('{"rows":[]}'),
    );
    expect((await ask('read')).status).toBe(400);
    expect(reached).toEqual(['0']);
  });

  test('moves on from a node that does not answer, within 3 s', async () => {
    const { ask, does, gateway, statuses, reached } = await start(
      { run: hangs, status: hangs },
      answering('{"rows":[]}'),
    );
    const ticking = startTicking(gateway.clock);
    try {
      const began = Date.now();
      expect(await ask('read')).toMatchObject({ status: 200 });
      expect(Date.now() - began).toBeLessThan(3_500);
      await gateway.settle();
      expect(await statuses()).toEqual(['unavailable', 'available']);
      expect(await ask('read')).toMatchObject({ status: 200 });
      expect(reached).toEqual(['0', '1', '1']);
      does[0] = answering('{"rows":[]}');
      await expect
        .poll(async () => {
          await ask('read');
          await gateway.settle();
          return statuses();
        })
        .toEqual(['available', 'available']);
    } finally {
      clearInterval(ticking);
    }
  });
});

describe('a write', () => {
  test.each<[what: string, Methods]>([
    ['is stopping', failing(relayFailure('NODE_UNAVAILABLE'))],
    ['cannot reach the backend', failing(relayFailure('CONNECTION_FAILED'))],
  ])('moves on from a node that %s', async (_what, methods) => {
    const { ask, reached } = await start(methods, answering('{"rows":[]}'));
    expect(await ask('write')).toMatchObject({ status: 200 });
    expect(reached).toEqual(['0', '1']);
  });

  test('that may have arrived is sent nowhere else', async () => {
    const { ask, reached } = await start(
      failing(new ConnectError('gone', Code.Unavailable)),
      answering('{"rows":[]}'),
    );
    expect(await ask('write')).toMatchObject({ status: 502, body: { code: 'OUTCOME_UNKNOWN' } });
    expect(reached).toEqual(['0']);
  });
});

test('a node that is gone is written where all isolates read it, and so is its return', async () => {
  const { ask, does, gateway, stored, statuses } = await start(
    answering('{"rows":[]}'),
    answering('{"rows":[]}'),
  );
  expect((await stored())?.unreachableAt).toBeNull();
  does[0] = lost;
  expect(await ask('read')).toMatchObject({ status: 200 });
  await gateway.settle();
  expect((await stored())?.unreachableAt).toBe(gateway.clock.now);
  expect(await statuses()).toEqual(['unavailable', 'available']);
  does[0] = answering('{"rows":[]}');
  gateway.clock.now += 5_000;
  await ask('read');
  await gateway.settle();
  expect((await stored())?.unreachableAt).toBeNull();
  expect(await statuses()).toEqual(['available', 'available']);
});

describe('no call is refused', () => {
  const both = () => start(answering('{"rows":[]}'), answering('{"rows":[]}'));

  test('while a node that seemed gone answers again', async () => {
    const { ask, does, gateway, statuses } = await both();
    does.fill(lost);
    expect(await ask('read')).toMatchObject({ status: 503 });
    await gateway.settle();
    expect(await statuses()).toEqual(['unavailable', 'unavailable']);
    does.fill(answering('{"rows":[]}'));
    gateway.clock.now += 5_000;
    const asked = await Promise.all(['read', 'write', 'read'].map((mode) => ask(mode as 'read')));
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test.each([
    ['is waited for, as the process before its parts says that it takes calls', 'one', '0'],
    ['is left for another, as nothing of it answers', undefined, '1'],
  ])('and a node whose parts are busy %s', async (_, process, answered) => {
    const { ask, does, gateway, reached, statuses } = await both();
    does[0] = {
      ...answering(''),
      ...(process && { process }),
      status: hangs,
      run: () => scheduler.wait(3_000).then(() => ({ result: new TextEncoder().encode('{}') })),
    };
    const ticking = startTicking(gateway.clock);
    expect(await ask('read')).toMatchObject({ status: 200 });
    clearInterval(ticking);
    await gateway.settle();
    expect([reached.at(-1), (await statuses())[0]]).toEqual([
      answered,
      process ? 'available' : 'unavailable',
    ]);
  });

  test('but at an address where another relay is now, which says that it takes calls', async () => {
    const { ask, does, gateway, reached, statuses } = await both();
    does[0] = lost;
    await ask('read');
    await gateway.settle();
    const refuses = () => Promise.reject(new ConnectError('', Code.Unauthenticated));
    does[0] = { process: 'another', run: refuses, status: refuses };
    for (let round = 0; round < 2; round += 1) {
      gateway.clock.now += 5_000;
      expect(await ask('read')).toMatchObject({ status: 200 });
      await gateway.settle();
      expect(await statuses()).toEqual(['unavailable', 'available']);
    }
    expect(reached.at(-1)).toBe('1');
  });

  test('since an isolate was late itself', async () => {
    const { ask, does, gateway, statuses } = await both();
    let asked = 0;
    does[0] = {
      run: hangs,
      status: () => {
        asked += 1;
        gateway.clock.now += 1_500;
        return asked < 3 ? hangs() : { draining: false };
      },
    };
    const ticking = startTicking(gateway.clock);
    try {
      void ask('read');
      await expect.poll(() => asked, { timeout: 10_000 }).toBe(3);
      await scheduler.wait(200);
      expect(await statuses()).toEqual(['available', 'available']);
    } finally {
      clearInterval(ticking);
    }
  });

  test.each([60_000, -20_000])('after a clock leapt, and leapt again by %i ms', async (leap) => {
    const { ask, does, gateway } = await both();
    expect(await ask('read')).toMatchObject({ status: 200 });
    gateway.clock.now += 60_000;
    expect(await ask('read')).toMatchObject({ status: 200 });
    does.fill(lost);
    expect(await ask('read')).toMatchObject({ status: 503 });
    await gateway.settle();
    does.fill(answering('{"rows":[]}'));
    gateway.clock.now += leap;
    expect(await ask('read')).toMatchObject({ status: 200 });
  });

  test('for what was seen by a clock that was ahead', async () => {
    const { ask, gateway, stored } = await both();
    await drizzle(env.DB)
      .update(nodes)
      .set({ unreachableAt: gateway.clock.now + 3_600_000 })
      .where(eq(nodes.orgUuid, gateway.organization.uuid));
    await ask('read');
    await gateway.settle();
    expect((await stored())?.unreachableAt).toBeNull();
    expect(await ask('read')).toMatchObject({ status: 200 });
  });
});
