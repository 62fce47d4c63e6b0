/** Removes an endpoint with all that is held of it; its backend is not touched. */
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { deletePlacements } from '../nodes/store.ts';
import { type IfMatch, preconditionFailed } from '../revision.ts';
import { type Endpoint, endpointNotFound } from './access.ts';
import { releaseEndpoint } from './release.ts';
import { deleteEndpointRow, deleteRules, deleteUsage, selectEndpoint } from './store.ts';

/**
 * Removes row, configuration, rules, placements and counters at once; connections are closed
 * after the reply.
 * @throws GatewayError ENDPOINT_NOT_FOUND when it is gone already, PRECONDITION_FAILED
 */
export async function deleteEndpoint(
  ctx: Context,
  endpoint: Endpoint,
  ifMatch: IfMatch | undefined,
): Promise<void> {
  const { db } = ctx;
  const { orgUuid, uuid, id } = endpoint.row;
  const [deleted] = await db.batch([
    deleteEndpointRow(db, orgUuid, uuid, ifMatch),
    auditStatement(ctx, {
      action: 'endpoint.delete',
      resource: `endpoint:${uuid}`,
      details: { id },
    }),
    deleteRules(db, orgUuid, uuid),
    raiseRules(db, orgUuid),
    deletePlacements(db, orgUuid, uuid),
    deleteUsage(db, orgUuid, uuid),
  ]);
  if (deleted.length === 0) {
    const [row] = await selectEndpoint(db, orgUuid, { uuid });
    throw row ? preconditionFailed() : endpointNotFound(id);
  }
  ctx.afterReply(releaseEndpoint(ctx, endpoint));
}
