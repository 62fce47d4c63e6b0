/** Which nodes serve a call. */
import { env } from 'cloudflare:test';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { PlacementRow } from '../db/schema.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { NOW, startGateway } from '../test/gateway.ts';
import { contextOf } from '../test/nodes.ts';
import { type Candidate, chooseNodes, holderOf, inOrder } from './choose.ts';
import { defaultNode } from './default-node.ts';

type Ranked = Candidate & { name: string };

const ranked = (
  name: string,
  status: Candidate['status'],
  priority: number,
  weight = 1,
): Ranked => ({ name, status, priority, weight });
const names = (rows: readonly Ranked[]) => rows.map(({ name }) => name);

const STATUSES = ['available', 'degraded', 'unavailable', 'draining', 'unknown'] as const;
const anyCandidates = fc.array(
  fc.record({
    status: fc.constantFrom(...STATUSES),
    priority: fc.integer({ min: 0, max: 3 }),
    weight: fc.integer({ min: 0, max: 1000 }),
  }),
  { maxLength: 12 },
);

describe('inOrder', () => {
  test('draws by weight, within 2 % over 100,000 draws', () => {
    const weights = [1, 3, 6, 10];
    const rows = weights.map((weight) => ranked(String(weight), 'available', 0, weight));
    const drawn = new Map<string, number>();
    for (let draw = 0; draw < 100_000; draw += 1) {
      const [first = ''] = names(inOrder(rows, Math.random));
      drawn.set(first, (drawn.get(first) ?? 0) + 1);
    }
    for (const weight of weights) {
      const share = (drawn.get(String(weight)) ?? 0) / 100_000;
      expect(Math.abs(share - weight / 20)).toBeLessThan(0.02);
    }
  });

  test('never takes one that is not usable, and leaves out none that is', () => {
    fc.assert(
      fc.property(anyCandidates, (rows) => {
        const usable = rows.filter(({ status }) => status === 'available' || status === 'degraded');
        const chosen = inOrder(rows, Math.random);
        expect(new Set(chosen)).toEqual(new Set(usable));
        expect(chosen).toHaveLength(usable.length);
      }),
    );
  });

  test('takes a degraded one only when no available one of its priority is left, and weight 0 last', () => {
    fc.assert(
      fc.property(anyCandidates, (rows) => {
        const chosen = inOrder(rows, Math.random);
        const rank = (each: Candidate) =>
          each.priority * 10 + (each.status === 'degraded' ? 2 : 0) + (each.weight === 0 ? 1 : 0);
        const ranks = chosen.map(rank);
        expect(ranks).toEqual([...ranks].sort((one, other) => one - other));
      }),
    );
  });
});

describe('chooseNodes', () => {
  let ctx: Context;
  let node = '';

  beforeAll(async () => {
    const { settings } = await startGateway('Read');
    ctx = { ...contextOf({}).ctx, settings } as Context; // No caller is asked for.
    node = (await defaultNode(settings)).uuid;
  });

  type Case = {
    profile: 'production' | 'development' | null;
    conn?: boolean;
    roles: readonly PlacementRow['poolRole'][];
    status?: PlacementRow['connectionStatus'];
    /** Of those placed for development, where it differs. */
    development?: PlacementRow['connectionStatus'];
    on?: string;
    answer: 'chosen' | 'DEVELOPMENT_ROUTE_MISSING' | 'NODE_UNAVAILABLE';
  };

  const choose = ({ profile, conn = false, roles, on = node, ...row }: Case) =>
    chooseNodes(ctx, {
      row: { backendProfile: profile, hasDevelopmentConn: conn, vpnRoute: null },
      nodes: [],
      placements: roles.map((poolRole) => ({
        nodeUuid: on,
        poolRole,
        connectionStatus:
          (poolRole === 'development' ? row.development : undefined) ?? row.status ?? 'available',
        priority: 0,
        weight: 1,
      })),
    } as unknown as Endpoint).then(
      (nodes) => (nodes.map(({ uuid }) => uuid).includes(node) ? 'chosen' : 'none'),
      (thrown: unknown) => (thrown instanceof GatewayError ? thrown.code : thrown),
    );

  test.each<Case>([
    { profile: null, roles: [], answer: 'chosen' },
    { profile: 'production', roles: [], answer: 'chosen' },
    { profile: 'production', roles: ['production'], answer: 'chosen' },
    { profile: 'production', roles: ['any'], answer: 'chosen' },
    { profile: 'production', roles: ['development'], answer: 'NODE_UNAVAILABLE' },
    { profile: 'production', roles: ['any'], status: 'unavailable', answer: 'NODE_UNAVAILABLE' },
    {
      profile: 'production',
      roles: ['any'],
      on: 'a node that is gone',
      answer: 'NODE_UNAVAILABLE',
    },
    { profile: 'development', roles: [], answer: 'DEVELOPMENT_ROUTE_MISSING' },
    { profile: 'development', roles: ['any'], answer: 'DEVELOPMENT_ROUTE_MISSING' },
    { profile: 'development', roles: ['production'], answer: 'DEVELOPMENT_ROUTE_MISSING' },
    { profile: 'development', roles: ['development'], answer: 'chosen' },
    {
      profile: 'development',
      roles: ['development'],
      status: 'draining',
      answer: 'NODE_UNAVAILABLE',
    },
    {
      profile: 'development',
      roles: ['development'],
      on: 'a node that is gone',
      answer: 'NODE_UNAVAILABLE',
    },
    { profile: 'development', conn: true, roles: [], answer: 'chosen' },
    { profile: 'development', conn: true, roles: ['any'], answer: 'chosen' },
    { profile: 'development', conn: true, roles: ['development'], answer: 'chosen' },
    {
      profile: 'development',
      conn: true,
      roles: ['any', 'development'],
      development: 'draining',
      answer: 'NODE_UNAVAILABLE',
    },
    { profile: 'development', conn: true, roles: ['production'], answer: 'NODE_UNAVAILABLE' },
  ])('$profile, development_conn $conn, placed $roles $status on $on: $answer', async (row) => {
    expect(await choose(row)).toBe(row.answer);
  });

  const registered = (uuid: string, more: Partial<NodeRow> = {}) =>
    ({
      orgUuid: 'org',
      uuid,
      url: `https://${uuid}.test`,
      sealingKey: JSON.parse(env.RELAY_NODE_PUBLIC_KEY),
      kinds: ['postgres'],
      lastSeenAt: NOW,
      draining: false,
      stopping: false,
      unreachableAt: null,
      ...more,
    }) as NodeRow;

  /** An endpoint that is placed on these nodes, first to last. */
  const placedOn = (rows: readonly NodeRow[], more: object = {}, placed = rows) =>
    ({
      row: { uuid: 'e', kind: 'postgres', backendProfile: null, vpnRoute: null, ...more },
      nodes: rows,
      placements: placed.map(({ uuid }, priority) => ({
        nodeUuid: uuid,
        poolRole: 'any',
        connectionStatus: 'available',
        priority,
        weight: 1,
      })),
    }) as unknown as Endpoint;
  const chosen = (endpoint: Endpoint) =>
    chooseNodes(ctx, endpoint).then(
      (nodes) => nodes.map(({ uuid }) => uuid),
      (thrown: unknown) => (thrown instanceof GatewayError ? thrown.code : thrown),
    );

  test.each<[how: string, more: Partial<NodeRow>]>([
    ['was never heard', { lastSeenAt: null }],
    ['was not heard for more than 30 s', { lastSeenAt: NOW - 30_001 }],
    ['calls do not reach', { unreachableAt: NOW - 1 }],
    ['is drained', { draining: true }],
    ['is about to stop', { stopping: true }],
    ['is not enrolled', { sealingKey: null }],
    ['does not serve the kind', { kinds: ['redis'] }],
  ])('leaves out a node that %s', async (how, more) => {
    const rows = [registered(`${how}-1`, more), registered(`${how}-2`)];
    expect(await chosen(placedOn(rows))).toEqual([`${how}-2`]);
    expect(await chosen(placedOn(rows.slice(0, 1)))).toBe('NODE_UNAVAILABLE');
  });

  test('keeps to a VPN route, and to nothing where that is not placed or not available', async () => {
    const rows = [registered('v-1'), registered('v-2')];
    expect(await chosen(placedOn(rows, { vpnRoute: 'v-2' }))).toEqual(['v-2']);
    expect(await chosen(placedOn(rows, { vpnRoute: 'v-3' }))).toBe('NODE_UNAVAILABLE');
    expect(await chosen(placedOn([], { vpnRoute: 'v-1' }))).toBe('NODE_UNAVAILABLE');
    const gone = [registered('v-1'), registered('v-2', { unreachableAt: NOW - 1 })];
    expect(await chosen(placedOn(gone, { vpnRoute: 'v-2' }))).toBe('NODE_UNAVAILABLE');
    const development = placedOn(rows, { vpnRoute: 'v-1', backendProfile: 'development' });
    expect(await chosen(development)).toBe('DEVELOPMENT_ROUTE_MISSING');
  });

  test('lets a session go on on a node that is drained, and on none that is not placed', async () => {
    const endpoint = placedOn([registered('s-1', { draining: true }), registered('s-2')]);
    expect((await holderOf(ctx, endpoint, 's-1'))?.uuid).toBe('s-1');
    expect(await holderOf(ctx, endpoint, 's-3')).toBeUndefined();
    expect(await holderOf(ctx, endpoint, node)).toBeUndefined();
  });
});
