/** Stores a new organization with all it begins with, or nothing. */
import { GatewayError } from '../../proto/errors.ts';
import { auditStatementBy } from '../audit/record.ts';
import type { PublicContext } from '../context.ts';
import type { OrganizationRow } from '../db/schema.ts';
import {
  type Founder,
  insertAccounts,
  insertMemberships,
  insertOrganization,
  insertResets,
  insertSuperAdmins,
  type NewAccount,
  selectOrganizationById,
} from './store.ts';

/** What an organization begins with. */
export interface FoundingPlan
  extends Pick<
    OrganizationRow,
    'uuid' | 'id' | 'name' | 'description' | 'settings' | 'sealedDataKey'
  > {
  readonly newAccounts: readonly NewAccount[];
  /** Username of the first founder. */
  readonly founderName: string;
  /** All become members and SuperAdmins; at least one. */
  readonly founders: readonly Founder[];
  readonly resets: Parameters<typeof insertResets>[2];
}

/**
 * One batch, so a race that is lost leaves nothing behind.
 * @throws GatewayError ORGANIZATION_EXISTS, ACCOUNT_EXISTS
 */
export async function foundOrganization(
  ctx: PublicContext,
  plan: FoundingPlan,
): Promise<{ Ok: string }> {
  const { db } = ctx;
  const { newAccounts, founders, founderName, resets, ...organization } = plan;
  const now = ctx.now();
  const by = founders[0]?.uuid ?? '';
  const row = {
    ...organization,
    createdAt: now,
    updatedAt: now,
    lastModifiedBy: by,
    revision: now,
    rulesRevision: now,
    deletedAt: null,
    membersEndedAt: 0,
  };
  const keys = newAccounts.map(({ usernameKey }) => usernameKey);
  const actor = { orgUuid: plan.uuid, username: founderName, uuid: by };
  const [made, , , , , , holders] = await db.batch([
    insertOrganization(db, row, keys),
    auditStatementBy(ctx, actor, {
      action: 'organization.create',
      resource: `organization:${plan.uuid}`,
      details: { id: plan.id },
    }),
    insertAccounts(db, plan.uuid, newAccounts, now),
    insertMemberships(db, plan.uuid, founders, by, now),
    insertSuperAdmins(db, plan.uuid, founders, by, now),
    insertResets(db, plan.uuid, resets),
    selectOrganizationById(db, plan.id),
  ]);
  if (made.length > 0) return { Ok: `Organization ${plan.id} was created with UUID ${plan.uuid}` };
  if (holders.length > 0) {
    throw new GatewayError('ORGANIZATION_EXISTS', `Organization ${plan.id} already exists`);
  }
  throw new GatewayError('ACCOUNT_EXISTS', 'A user of that name was created meanwhile');
}
