/** Removes an endpoint with all that is held of it; its backend is not touched. */
import { GatewayError } from '../../proto/errors.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { tellFollower } from '../data-changes/tell.ts';
import { raiseRules } from '../grants/changes/store.ts';
import { deletePlacements } from '../nodes/store.ts';
import { type IfMatch, isHeld, preconditionFailed } from '../revision.ts';
import { selectUsers } from '../workflows/store.ts';
import { type Endpoint, endpointNotFound } from './access.ts';
import { tagOf } from './record.ts';
import { releaseEndpoint } from './release.ts';
import { deleteEndpointRow, deleteRules, deleteUsage, selectEndpoint } from './store.ts';

/**
 * Removes row, configuration, rules, placements and counters at once; connections are closed
 * after the reply. Answers the ids of the workflows that used it: they fail from then on.
 * @throws GatewayError ENDPOINT_IN_USE with what uses it, ENDPOINT_NOT_FOUND when it is gone already, PRECONDITION_FAILED
 */
export async function deleteEndpoint(
  ctx: Context,
  endpoint: Endpoint,
  held: { readonly ifMatch: IfMatch | undefined; readonly confirmed: boolean },
): Promise<readonly string[]> {
  const { db } = ctx;
  const { orgUuid, uuid, id } = endpoint.row;
  const [users, deleted] = await db.batch([
    selectUsers(db, orgUuid, 'endpoint', endpoint.row),
    deleteEndpointRow(db, endpoint.row, held),
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
  const workflows = users.map((each) => each.id);
  if (deleted.length === 0) {
    const [row] = await selectEndpoint(db, orgUuid, { uuid });
    if (!row) throw endpointNotFound(id);
    throw isHeld(tagOf(row), held.ifMatch) ? inUse(id, workflows) : preconditionFailed();
  }
  ctx.afterReply(releaseEndpoint(ctx, endpoint));
  ctx.afterReply(tellFollower(ctx, endpoint));
  return workflows;
}

function inUse(id: string, workflows: readonly string[]): GatewayError {
  return new GatewayError(
    'ENDPOINT_IN_USE',
    `Endpoint ${id} is in use: delete it with ?confirm=true`,
    { details: [{ rule: 'in use', workflows }] },
  );
}
