/** Entries of logins: those that succeed, and those that do not. Written after the reply. */
import type { PublicContext } from '../context.ts';
import { type Actor, recordAfterReply } from './record.ts';
import { selectOrganization } from './store.ts';

const ACTION = 'auth.login';

/** Records a login. */
export function recordLogin(ctx: PublicContext, actor: Actor): void {
  const resource = `organization:${actor.orgUuid}`;
  recordAfterReply(ctx, actor, { action: ACTION, resource, outcome: 'success' });
}

/**
 * Records that a login failed, in the organization that it named, if there is one. A name that is no
 * member there is not recorded: an administrator may not learn who has an account elsewhere.
 * @param organization id or UUID, as the client named it
 */
export function recordFailedLogin(
  ctx: PublicContext,
  organization: string,
  member: { readonly username: string; readonly uuid: string } | undefined,
): void {
  ctx.afterReply(record(ctx, organization, member));
}

async function record(
  ctx: PublicContext,
  organization: string,
  member: { readonly username: string; readonly uuid: string } | undefined,
): Promise<void> {
  const [found] = await selectOrganization(ctx.db, organization);
  if (!found) return;
  recordAfterReply(
    ctx,
    { orgUuid: found.orgUuid, username: member?.username ?? 'unknown', uuid: member?.uuid },
    {
      action: ACTION,
      resource: `organization:${found.orgUuid}`,
      outcome: 'failed',
      details: { code: 'INVALID_CREDENTIALS' },
    },
  );
}
