/** Ends a membership with all its rights; the account remains. Spec: "IAM users". */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { demand, type HeldLevel } from '../access/access.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { raiseRules, selectHighRules } from '../grants/changes/store.ts';
import { changedMeanwhile, lastSuperAdmin } from '../grants/grant.ts';
import type { Subject } from '../grants/subjects.ts';
import { deleteDigestsOfGone, deleteKeysOfGone } from '../keys/changes/store.ts';
import { hold, type IfMatch } from '../revision.ts';
import { deleteActivity } from './activity/store.ts';
import { deleteMembership, deleteRulesOfGone, noteEnded, tagOf } from './changes/store.ts';
import { selectUser } from './store.ts';

/**
 * Tokens of the user for this organization are void for the next request.
 * @throws GatewayError FORBIDDEN, PRECONDITION_FAILED, LAST_SUPER_ADMIN, EDIT_CONFLICT,
 * USER_NOT_FOUND when the user is gone
 */
export async function deleteUser(
  ctx: Context,
  user: Subject,
  standing: HeldLevel,
  ifMatch: IfMatch | undefined,
): Promise<Json> {
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
    deleteMembership(db, user.key, change, { bySuperAdmin, ifMatch }),
    auditStatement(ctx, {
      action: 'user.delete',
      resource: `user:${user.key}`,
      details: { subject: user.key },
    }),
    noteEnded(db, { orgUuid, accountUuid: user.key, now: ctx.now() }),
    deleteRulesOfGone(db, orgUuid, user.key),
    raiseRules(db, orgUuid),
    deleteActivity(db, orgUuid, user.key),
    deleteKeysOfGone(db, orgUuid, user.key),
    deleteDigestsOfGone(db, orgUuid),
  ]);
  if (removed.length > 0) {
    return { message: `User ${user.name} removed from ${caller.orgId}`, userId: user.name };
  }
  await check(); // Says what changed meanwhile, if that is why.
  const [there] = await selectUser(db, orgUuid, user.key);
  if (!there) throw new GatewayError('USER_NOT_FOUND', 'User not found in organization');
  hold(tagOf(there), ifMatch);
  throw bySuperAdmin ? lastSuperAdmin() : changedMeanwhile();
}
