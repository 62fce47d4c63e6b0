/** Changes an organization's name, description and settings. Spec: "Organization", update input. */

import { GatewayError } from '../../proto/errors.ts';
import { authorOf } from '../access/api-keys/identity.ts';
import { tokenRevoked } from '../access/tokens.ts';
import { fieldsOf } from '../audit/fields.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import type { Relief } from '../limits/quotas/audit.ts';
import { Tagged } from '../outcome.ts';
import { hold, type IfMatch, preconditionFailed } from '../revision.ts';
import type { OrganizationPatch } from './schema.ts';
import { selectRevision, updateOrganizationRow } from './store.ts';

/**
 * Changes what is given and leaves the rest. `updatedFields` names what was given, whether it
 * differs from what was or not.
 * @throws GatewayError QUOTA_EXCEEDED for more endpoints than the installation allows,
 * PRECONDITION_FAILED, TOKEN_REVOKED when the organization is gone
 */
export async function updateOrganization(
  ctx: Context,
  patch: OrganizationPatch,
  ifMatch: IfMatch | undefined,
): Promise<Tagged> {
  const { db, caller, settings } = ctx;
  refuseAboveQuota(patch, settings.QUOTAS.endpoints);
  const updatedFields = fieldsOf(patch);
  if (updatedFields.length === 0) {
    const revision = await revisionOf(ctx);
    hold(revision, ifMatch);
    const message = `Nothing of organization ${caller.orgId} was to change`;
    return new Tagged(revision, { message, updatedFields });
  }
  const by = authorOf(caller);
  const changes = {
    name: patch.name,
    description: patch.description,
    settings: { ...patch.settings },
  };
  const [[changed]] = await db.batch([
    updateOrganizationRow(db, caller.orgUuid, changes, { by, now: ctx.now(), ifMatch }),
    auditStatement(ctx, {
      action: 'organization.update',
      resource: `organization:${caller.orgUuid}`,
      details: { id: caller.orgId, fields: updatedFields },
    }),
  ]);
  if (!changed) {
    await revisionOf(ctx);
    throw preconditionFailed();
  }
  const message = `Organization ${caller.orgId} updated`;
  return new Tagged(String(changed.revision), { message, updatedFields });
}

/** The retention that a patch sets, if it sets nothing else. */
export function retentionOf({ settings, ...others }: OrganizationPatch): Relief | undefined {
  const { dataRetentionDays, ...more } = settings ?? {};
  if (dataRetentionDays === undefined || Object.keys({ ...others, ...more }).length > 0) return;
  return { retentionDays: dataRetentionDays };
}

async function revisionOf({ db, caller }: Context): Promise<string> {
  const [there] = await selectRevision(db, caller.orgUuid);
  if (!there) throw tokenRevoked();
  return String(there.revision);
}

function refuseAboveQuota({ settings }: OrganizationPatch, quota: number): void {
  if ((settings?.maxEndpoints ?? 0) <= quota) return;
  const message = `is more than the ${quota} that the installation allows`;
  throw new GatewayError('QUOTA_EXCEEDED', `settings.maxEndpoints: ${message}`, {
    details: [{ path: 'settings.maxEndpoints', message }],
  });
}
