/** Says how a node serves an endpoint. Spec: "Node placement record". */
import type { Json } from '../../proto/json.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { PlacementRow } from '../db/schema.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { nodeNotFound } from './access.ts';
import { defaultNode } from './default-node.ts';
import type { PlacementBody } from './schema.ts';
import { selectNode, upsertPlacement } from './store.ts';

/**
 * Stores the placement instead of the one before.
 * @throws GatewayError NODE_NOT_FOUND for a node that this organization does not have
 */
export async function placeOnNode(
  ctx: Context,
  { row }: Endpoint,
  nodeNamed: string,
  body: PlacementBody,
): Promise<Json> {
  const nodeUuid = await demandNode(ctx, nodeNamed);
  const placement: PlacementRow = {
    orgUuid: row.orgUuid,
    endpointUuid: row.uuid,
    nodeUuid,
    poolRole: body.pool_role,
    connectionStatus: body.connection_status,
    priority: body.priority,
    weight: body.weight,
    metadata: body.metadata,
  };
  await ctx.db.batch([
    upsertPlacement(ctx.db, row.orgUuid, placement),
    auditStatement(ctx, {
      action: 'endpoint.nodes.set',
      resource: `endpoint:${row.uuid}`,
      details: { id: row.id, node: nodeUuid },
    }),
  ]);
  return placementRecordOf(placement);
}

/** Its UUID, when it is the default node or one of the organization's. @throws GatewayError NODE_NOT_FOUND */
async function demandNode({ db, settings, caller }: Context, named: string): Promise<string> {
  const uuid = named.toLowerCase();
  if (uuid === (await defaultNode(settings)).uuid) return uuid;
  const [row] = await selectNode(db, caller.orgUuid, uuid);
  if (!row) throw nodeNotFound(named);
  return uuid;
}

/** A placement as the wire shows it. */
export function placementRecordOf(placement: PlacementRow): { [member: string]: Json } {
  return {
    gateway_node_uuid: placement.nodeUuid,
    pool_role: placement.poolRole,
    connection_status: placement.connectionStatus,
    priority: placement.priority,
    weight: placement.weight,
    metadata: { ...placement.metadata },
  };
}
