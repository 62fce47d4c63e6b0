/** Ends a membership with all its rights; the account remains. Spec: "IAM users". */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { demand, type Standing } from '../access/access.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { selectHighRules } from '../grants/changes/store.ts';
import { changedMeanwhile, lastSuperAdmin } from '../grants/grant.ts';
import { selectMembers } from '../grants/store.ts';
import type { Subject } from '../grants/subjects.ts';
import { deleteActivity } from './activity/store.ts';
import { deleteMembership, deleteRulesOfGone } from './store.ts';

/**
 * Tokens of the user for this organization are void for the next request.
 * @throws GatewayError FORBIDDEN, LAST_SUPER_ADMIN, EDIT_CONFLICT, USER_NOT_FOUND when he is gone
 */
export async function removeUser(ctx: Context, user: Subject, standing: Standing): Promise<Json> {
  const { db, caller } = ctx;
  const { orgUuid } = caller;
  const change = { orgUuid, scope: 'everything', entries: [[user.key, null]] } as const;
  const check = async () => {
    const high = await selectHighRules(db, change);
    demand(standing, high.length > 0 ? 'SuperAdmin' : 'Admin');
  };
  await check();
  const bySuperAdmin = standing.held === 'SuperAdmin';
  const [removed] = await db.batch([
    deleteMembership(db, user.key, change, bySuperAdmin),
    auditStatement(ctx, {
      action: 'user.delete',
      resource: `user:${user.key}`,
      details: { subject: user.key },
    }),
    deleteRulesOfGone(db, orgUuid, user.key),
    deleteActivity(db, orgUuid, user.key),
  ]);
  if (removed.length > 0) {
    return { message: `User ${user.name} removed from ${caller.orgId}`, userId: user.name };
  }
  await check(); // Says what changed meanwhile, if that is why.
  const members = await selectMembers(db, orgUuid, [user.key]);
  if (members.length === 0) {
    throw new GatewayError('USER_NOT_FOUND', 'User not found in organization');
  }
  throw bySuperAdmin ? lastSuperAdmin() : changedMeanwhile();
}
