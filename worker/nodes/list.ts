/** The nodes that can serve an endpoint. Spec: nodes.md §2. */
import type { Json } from '../../proto/json.ts';
import type { Context } from '../context.ts';
import type { ConnectionStatus, PlacementRow } from '../db/schema.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { listContext, type PageQuery, readCursor } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { defaultNode } from './default-node.ts';
import { checkHealth, effective } from './health.ts';
import { placementRecordOf } from './place.ts';
import { type Placed, placedOf } from './placed.ts';
import { askAgain } from './reach.ts';

/**
 * Each placement with how its node is, by priority and UUID; the default node where there is none.
 * All are on one page.
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list
 */
export async function listNodes(
  ctx: Context,
  endpoint: Endpoint,
  { cursor }: PageQuery,
): Promise<Json> {
  const { policy, row } = endpoint;
  await readCursor(listContext(ctx, policy.sealedDataKey, `nodes:${row.uuid}`), cursor);
  const placements =
    endpoint.placements.length > 0 ? endpoint.placements : [await unplaced(ctx, endpoint)];
  const placed = await placedOf(ctx, { ...endpoint, placements });
  return { nodes: await Promise.all(placed.map((each) => shown(ctx, each))) };
}

/** What holds for an endpoint that was never placed. */
async function unplaced({ settings }: Context, { row }: Endpoint): Promise<PlacementRow> {
  return {
    orgUuid: row.orgUuid,
    endpointUuid: row.uuid,
    nodeUuid: (await defaultNode(settings)).uuid,
    poolRole: 'any',
    connectionStatus: 'available',
    priority: 0,
    weight: 1,
    metadata: {},
  };
}

async function shown(ctx: Context, placed: Placed): Promise<{ [member: string]: Json }> {
  const { status, lastSeen } = await seen(ctx, placed);
  return {
    ...placementRecordOf(placed.placement),
    name: placed.name,
    effective_status: status,
    last_seen: lastSeen === null ? null : isoTime(lastSeen),
  };
}

/** The default node is asked just now; others say by themselves how they are. */
async function seen(
  ctx: Context,
  { placement, node, row, status, seen: own }: Placed,
): Promise<{ readonly status: ConnectionStatus; readonly lastSeen: number | null }> {
  if (node?.default) {
    const health = await checkHealth(ctx, node);
    return { ...health, status: effective(placement.connectionStatus, health.status) };
  }
  if (node && own === 'unavailable') askAgain(ctx, node);
  return { status, lastSeen: row?.lastSeenAt ?? null };
}
