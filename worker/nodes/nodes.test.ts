/** Nodes of an endpoint and placements on them. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { nodeUuid } from '../../proto/node-id.ts';
import { failure, insertEndpoint, NOW, startGateway } from '../test/gateway.ts';
import { pingingRelay } from '../test/pinging-relay.ts';
import { NodeList } from './schema.ts';

let node = '';

beforeAll(async () => {
  const { settings } = await startGateway('Read');
  node = await nodeUuid(settings.RELAY_NODE_PUBLIC_KEY);
});

async function start(level: 'Read' | 'Admin' = 'Admin') {
  const relay = pingingRelay();
  const gateway = await startGateway(level, { relay: relay.methods });
  const id = await insertEndpoint(gateway);
  return {
    relay,
    gateway,
    id,
    list: (query = '') => gateway.call('GET', `/endpoints/${id}/nodes${query}`),
    place: (body: Json, on = node) => gateway.call('PUT', `/endpoints/${id}/nodes/${on}`, body),
  };
}

const success = (data: unknown) => ({ status: 200, body: { status: 'success', data } });
const SEEN = new Date(NOW).toISOString();
const PLAIN = {
  pool_role: 'any',
  connection_status: 'available',
  priority: 0,
  weight: 1,
  metadata: {},
};
const PLACEMENT = {
  pool_role: 'production',
  connection_status: 'degraded',
  priority: 7,
  weight: 3,
  metadata: { "it's": `"quoted"`, region: 'eu' },
};

describe('GET /endpoints/{endpoint}/nodes', () => {
  test('lists the default node where nothing was placed', async () => {
    const { list } = await start('Read');
    const reply = await list();
    const seen = { effective_status: 'available', last_seen: SEEN };
    const shown = { gateway_node_uuid: node, name: 'default', ...PLAIN, ...seen };
    expect(reply).toEqual(success({ nodes: [shown] }));
    expect(() => NodeList.parse((reply.body as { data: Json }).data)).not.toThrow();
  });

  test('shows what was placed', async () => {
    const { list, place } = await start();
    await place(PLACEMENT);
    const seen = { effective_status: 'degraded', last_seen: SEEN };
    const shown = { gateway_node_uuid: node, name: 'default', ...PLACEMENT, ...seen };
    expect(await list()).toEqual(success({ nodes: [shown] }));
  });

  test('page by page, by priority', async () => {
    const { gateway, list, place } = await start();
    const placed: [priority: number, node: string][] = [[9, node]];
    for (const [at, priority] of [10, 1_000_000, 9].entries()) {
      const made = await gateway.call('POST', '/nodes', { name: `node-${at}` });
      placed.push([priority, (made.body as { uuid: string }).uuid]);
    }
    for (const [priority, on] of placed) {
      expect(await place({ priority }, on)).toMatchObject({ status: 200 });
    }
    const shown: [number, string][] = [];
    let query = '?limit=3';
    const sizes: number[] = [];
    for (;;) {
      const { data } = (await list(query)).body as {
        data: {
          nodes: { priority: number; gateway_node_uuid: string }[];
          next_cursor?: string;
        };
      };
      sizes.push(data.nodes.length);
      shown.push(
        ...data.nodes.map((each): [number, string] => [each.priority, each.gateway_node_uuid]),
      );
      if (data.next_cursor === undefined) break;
      query = `?limit=3&cursor=${data.next_cursor}`;
    }
    expect(sizes).toEqual([3, 1]);
    const sorted = placed.toSorted(([a, one], [b, other]) => a - b || (one < other ? -1 : 1));
    expect(shown).toEqual(sorted);
  });

  test.each([
    { set: 'available', draining: false, down: false, shown: 'available' },
    { set: 'available', draining: true, down: false, shown: 'draining' },
    { set: 'available', draining: false, down: true, shown: 'unavailable' },
    { set: 'degraded', draining: false, down: false, shown: 'degraded' },
    { set: 'degraded', draining: true, down: false, shown: 'draining' },
    { set: 'draining', draining: false, down: false, shown: 'draining' },
    { set: 'unavailable', draining: true, down: false, shown: 'unavailable' },
    { set: 'unknown', draining: false, down: false, shown: 'available' },
    { set: 'unknown', draining: false, down: true, shown: 'unavailable' },
  ])('shows $set as $shown (draining: $draining, down: $down)', async (row) => {
    const { list, place, relay } = await start();
    await place({ connection_status: row.set });
    relay.state.draining = row.draining;
    relay.state.down = row.down;
    expect(await list()).toMatchObject(
      success({
        nodes: [
          {
            connection_status: row.set,
            effective_status: row.shown,
            last_seen: row.down ? null : SEEN,
          },
        ],
      }),
    );
  });
});

describe('PUT /endpoints/{endpoint}/nodes/{gateway_node_uuid}', () => {
  test('stores a record instead of the one before', async () => {
    const { place } = await start();
    expect(await place(PLACEMENT)).toEqual(success({ gateway_node_uuid: node, ...PLACEMENT }));
    expect(await place({ weight: 5 })).toEqual(
      success({ gateway_node_uuid: node, ...PLAIN, weight: 5 }),
    );
    expect((await place({}, node.toUpperCase())).status).toBe(200);
  });

  const BY_UUID = ': name it by its UUID, which GET /nodes tells';

  test.each([
    [crypto.randomUUID(), ''],
    ['default', BY_UUID],
    [`"'`, BY_UUID],
  ])('does not find node %s', async (on, hint) => {
    const { place } = await start();
    expect(await place(PLACEMENT, on)).toEqual({
      status: 404,
      body: failure('NODE_NOT_FOUND', `Node ${on} does not exist${hint}`),
    });
  });

  test.each<[body: Json, path: string]>([
    [{ pool_role: 'Production' }, 'pool_role'],
    [{ connection_status: 'up' }, 'connection_status'],
    [{ priority: -1 }, 'priority'],
    [{ priority: 1.5 }, 'priority'],
    [{ weight: '1' }, 'weight'],
    [{ weight: 1_000_001 }, 'weight'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ metadata: [] }, 'metadata'],
    [{ metadata: { a: 'x'.repeat(1025) } }, 'metadata.a'],
    [{ metadata: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, ''])) }, 'metadata'],
    [{ url: 'http://relay' }, 'body'],
    [[], 'body'],
  ])('refuses %j and stores nothing', async (body, path) => {
    const { place, list } = await start();
    expect(await place(body)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', details: [{ path }] },
    });
    expect(await list()).toMatchObject(success({ nodes: [PLAIN] }));
  });

  test('decides at once whether calls are sent', async () => {
    const { place, relay, gateway, id } = await start();
    const probe = () => gateway.call('POST', `/endpoints/${id}/test`);
    expect((await probe()).status).toBe(200);
    await place({ connection_status: 'draining' });
    const before = relay.reached.length;
    expect(await probe()).toEqual({
      status: 503,
      body: failure('NODE_UNAVAILABLE', 'No node that may serve the endpoint is available'),
    });
    expect(relay.reached).toHaveLength(before);
    await place({ connection_status: 'degraded' });
    expect((await probe()).status).toBe(200);
  });
});
