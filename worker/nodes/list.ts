/** The nodes that can serve an endpoint. Contract §5, "Nodes". */
import type { Json } from '../../proto/json.ts';
import type { Context } from '../context.ts';
import type { PlacementRow } from '../db/schema.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { type PageQuery, readCursor } from '../shapes/cursor.ts';
import { DEFAULT_NODE_NAME, defaultNode } from './default-node.ts';
import { checkHealth, lowered } from './health.ts';
import { placementRecordOf } from './place.ts';

/**
 * Each node with its placement, or the default where there is none, by UUID. All are
 * on one page.
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list
 */
export async function listNodes(
  ctx: Context,
  { row, placements, policy }: Endpoint,
  { cursor }: PageQuery,
): Promise<Json> {
  const { settings, caller } = ctx;
  const { sealedDataKey } = policy;
  const list = `nodes:${row.uuid}`;
  await readCursor({ settings, orgUuid: caller.orgUuid, sealedDataKey, list }, cursor);
  const node = await defaultNode(settings);
  const { status, lastSeen } = await checkHealth(ctx, node);
  const placement: PlacementRow = placements.find(({ nodeUuid }) => nodeUuid === node.uuid) ?? {
    orgUuid: row.orgUuid,
    endpointUuid: row.uuid,
    nodeUuid: node.uuid,
    poolRole: 'any',
    connectionStatus: 'available',
    priority: 0,
    weight: 1,
    metadata: {},
  };
  const shown = {
    ...placementRecordOf(placement),
    name: DEFAULT_NODE_NAME,
    connection_status: lowered(placement.connectionStatus, status),
    last_seen: lastSeen === null ? null : new Date(lastSeen).toISOString(),
  };
  return { nodes: [shown] };
}
