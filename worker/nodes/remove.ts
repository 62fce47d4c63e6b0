/** Takes an endpoint off a node. Spec: nodes.md §2. */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { deletePlacement, selectPlacement } from './store.ts';

/**
 * Removes the placement, also one on a node that was deleted. Without the last one the default node serves the endpoint again.
 * @throws GatewayError NODE_NOT_FOUND for a node that the endpoint is not placed on, LAST_PLACEMENT
 */
export async function removePlacement(
  ctx: Context,
  { row }: Endpoint,
  named: string,
  confirmed: boolean,
): Promise<Json> {
  const { db } = ctx;
  const { orgUuid, uuid: endpointUuid, id } = row;
  const placement = { endpointUuid, nodeUuid: named.toLowerCase() };
  const [placed, removed] = await db.batch([
    selectPlacement(db, orgUuid, placement),
    deletePlacement(db, orgUuid, placement, confirmed),
    auditStatement(ctx, {
      action: 'endpoint.nodes.delete',
      resource: `endpoint:${endpointUuid}`,
      details: { id, node: placement.nodeUuid },
    }),
  ]);
  if (removed.length > 0) return { message: `Endpoint ${id} is no longer placed on the node` };
  if (placed.length > 0) {
    throw new GatewayError(
      'LAST_PLACEMENT',
      `It is the last placement of endpoint ${id}: remove it with ?confirm=true`,
    );
  }
  throw new GatewayError('NODE_NOT_FOUND', `Endpoint ${id} is not placed on node ${named}`);
}
