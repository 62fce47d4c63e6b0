/** Deletes an organization: it is gone at once, and what it had is swept after the reply. */
import { tokenRevoked } from '../access/tokens.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { log } from '../log.ts';
import { type IfMatch, preconditionFailed } from '../revision.ts';
import { markDeleted, selectRevision } from './store.ts';
import { sweepOrganization } from './sweep/sweep.ts';

/**
 * Marks the organization: its tokens are refused from the next request on, within `POLICY_TTL_MS`
 * in other isolates, and its id can be used again at once. That it was deleted, and its author, goes
 * to the log: its audit goes with it.
 * @throws GatewayError TOKEN_REVOKED when it is gone already, PRECONDITION_FAILED
 */
export async function deleteOrganization(
  ctx: Context,
  ifMatch: IfMatch | undefined,
): Promise<{ message: string; orgId: string }> {
  const { db, caller, requestId } = ctx;
  const { orgUuid, orgId, userUuid } = caller;
  const deletedAt = ctx.now();
  const [marked] = await db.batch([
    markDeleted(db, orgUuid, deletedAt, ifMatch),
    auditStatement(ctx, {
      action: 'organization.delete',
      resource: `organization:${orgUuid}`,
      details: { id: orgId },
    }),
  ]);
  if (marked.length === 0) {
    const [there] = await selectRevision(db, orgUuid);
    throw there ? preconditionFailed() : tokenRevoked();
  }
  const told = { organization_deleted: orgUuid, id: orgId, by: userUuid };
  log('info', 'organization deleted', { request_id: requestId, ...told });
  ctx.afterReply(sweepOrganization(ctx, { uuid: orgUuid, deletedAt }));
  return { message: `Organization ${orgId} deleted`, orgId };
}
