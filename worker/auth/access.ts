/** On what a refresh rests. */
import { GatewayError } from '../../proto/errors.ts';
import type { Access } from '../access/access.ts';
import { policyOf } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';

/** The caller's username as it is now, and since when that was being read, in milliseconds. */
interface CurrentUser {
  readonly username: string;
  readonly readAt: number;
}

/**
 * Demands a token of a user who still is a member, and asks the database: what is remembered
 * may be a moment old, and a token made from it would outlive a change of the password.
 * @throws GatewayError TOKEN_REVOKED, BAD_REQUEST for an external token, FORBIDDEN for a key
 */
export const anyCurrentMember: Access<unknown, CurrentUser> = {
  level: 'Member',
  errors: ['FORBIDDEN'],
  async find(ctx) {
    if (ctx.caller.external) {
      const message = 'A token of an identity provider is refreshed there';
      throw new GatewayError('BAD_REQUEST', message);
    }
    if (ctx.caller.key) {
      throw new GatewayError('FORBIDDEN', 'A key is not refreshed: it is rotated by who may', {
        details: [{ rule: 'keys make, change and refresh no tokens' }],
      });
    }
    const readAt = ctx.now();
    const [standing, rules] = await ctx.db.batch([
      selectMembership(ctx.db, ctx.caller),
      selectRules(ctx.db, ctx.caller),
    ]);
    const policy = policyOf(ctx, standing, rules);
    return { resource: { username: policy.username, readAt }, policy };
  },
};
