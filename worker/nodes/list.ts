/** The nodes that can serve an endpoint. Spec: nodes.md §2. */
import type { Json } from '../../proto/json.ts';
import type { Context } from '../context.ts';
import type { ConnectionStatus, PlacementRow } from '../db/schema.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { listContext, type PageQuery, readPage } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { defaultNode } from './default-node.ts';
import { checkHealth, effective } from './health.ts';
import { placementRecordOf } from './place.ts';
import { type Placed, placedOf } from './placed.ts';
import { askAgain } from './reach.ts';

/** Of the largest priority. */
const PRIORITY_DIGITS = 7;

/**
 * A page of the placements, each with how its node is, by priority and UUID; the default node where there is none.
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list
 */
export async function listNodes(ctx: Context, endpoint: Endpoint, page: PageQuery): Promise<Json> {
  const { policy, row } = endpoint;
  const list = listContext(ctx, policy.sealedDataKey, `nodes:${row.uuid}`);
  const all =
    endpoint.placements.length > 0 ? endpoint.placements : [await unplaced(ctx, endpoint)];
  const sorted = all.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const { rows: placements, next } = await readPage(list, page, {
    select: async (after = '') => sorted.filter((each) => orderOf(each) > after),
    nameOf: orderOf,
  });
  const placed = await placedOf(ctx, { ...endpoint, placements });
  return { nodes: await Promise.all(placed.map((each) => shown(ctx, each))), ...next };
}

/** Of two, the one that comes first has the lower text. */
function orderOf({ priority, nodeUuid }: PlacementRow): string {
  return `${String(priority).padStart(PRIORITY_DIGITS, '0')} ${nodeUuid}`;
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
