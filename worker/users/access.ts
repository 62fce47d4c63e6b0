/** What operations on users act on: a member of the caller's organization. */
import { GatewayError } from '../../proto/errors.ts';
import { type Access, demand } from '../access/access.ts';
import { policyOf, policyOn } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import type { Context } from '../context.ts';
import {
  externalSelf,
  isAccount,
  membersNamed,
  type Subject,
  subjectNamed,
} from '../grants/subjects.ts';
import { effectiveLevel } from '../levels.ts';

/** Parameter of a path that names a user, by username or UUID. */
interface UserParams {
  readonly user: string;
}

/**
 * Demands Admin of the organization.
 * @throws GatewayError USER_NOT_FOUND
 */
export const onUser: Access<UserParams, Subject> = {
  level: 'Admin',
  errors: ['USER_NOT_FOUND'],
  find: findUser,
};

/**
 * Demands nothing for the caller's own record, and Admin of the organization for another's.
 * @throws GatewayError USER_NOT_FOUND, FORBIDDEN
 */
export const selfOrAsAdmin: Access<UserParams, Subject> = {
  level: 'Member',
  errors: ['USER_NOT_FOUND', 'FORBIDDEN'],
  async find(ctx, params) {
    const self = externalSelf(ctx, params.user);
    if (self) return { resource: self, policy: await policyOn(ctx) };
    const { resource, policy } = await findUser(ctx, params);
    if (resource.key === ctx.caller.userUuid) return { resource, policy };
    const own = demand({ held: effectiveLevel(policy), policy, params }, 'Admin');
    return { resource, policy, demands: [own] };
  },
};

async function findUser(ctx: Context, { user }: UserParams) {
  const [standing, rules, members] = await ctx.db.batch([
    selectMembership(ctx.db, ctx.caller),
    selectRules(ctx.db, ctx.caller),
    membersNamed(ctx, [user]),
  ]);
  const policy = policyOf(ctx, standing, rules);
  if (!isAccount(user)) throw new GatewayError('USER_NOT_FOUND', 'User not found in organization');
  return { resource: subjectNamed(user, members), policy };
}
