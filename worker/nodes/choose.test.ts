/** Which nodes serve a call. */
import { createExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import type { PlacementRow } from '../db/schema.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { startGateway } from '../test/gateway.ts';
import { chooseNodes, inOrder } from './choose.ts';
import { defaultNode } from './default-node.ts';

type Ranked = Pick<PlacementRow, 'connectionStatus' | 'priority' | 'weight'> & { name: string };

const ranked = (
  name: string,
  connectionStatus: PlacementRow['connectionStatus'],
  priority: number,
  weight = 1,
): Ranked => ({ name, connectionStatus, priority, weight });
const names = (rows: readonly Ranked[]) => rows.map(({ name }) => name);

describe('inOrder', () => {
  test('leaves out what is neither available nor degraded', () => {
    const rows = (['available', 'degraded', 'unavailable', 'draining', 'unknown'] as const).map(
      (status) => ranked(status, status, 0),
    );
    expect(names(inOrder(rows, () => 0.5))).toEqual(['available', 'degraded']);
  });

  test('puts the lowest priority number first, then available before degraded', () => {
    const rows = [
      ranked('late', 'available', 2),
      ranked('first but degraded', 'degraded', 1, 1000),
      ranked('first', 'available', 1),
    ];
    expect(names(inOrder(rows, Math.random))).toEqual(['first', 'first but degraded', 'late']);
  });

  test('draws by weight', () => {
    const rows = [ranked('one', 'available', 0, 1), ranked('three', 'available', 0, 3)];
    const draws = Array.from({ length: 4000 }, () => names(inOrder(rows, Math.random))[0]);
    const share = draws.filter((name) => name === 'three').length / draws.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.8);
  });

  test('puts weight 0 after all others', () => {
    const rows = [ranked('none', 'available', 0, 0), ranked('some', 'available', 0, 1)];
    for (const drawn of [0.001, 0.5, 0.999]) {
      expect(names(inOrder(rows, () => drawn))).toEqual(['some', 'none']);
    }
  });
});

describe('chooseNodes', () => {
  let ctx: Context;
  let node = '';

  beforeAll(async () => {
    const { settings } = await startGateway('Read');
    ctx = { ...createExecutionContext(), settings } as unknown as Context; // It uses nothing else.
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
      row: { backendProfile: profile, hasDevelopmentConn: conn },
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
    { profile: 'production', roles: ['any'], on: 'a node that is gone', answer: 'chosen' },
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
      answer: 'DEVELOPMENT_ROUTE_MISSING',
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
});
