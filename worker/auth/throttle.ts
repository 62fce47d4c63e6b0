/** Counts every check of a password, and every reset, before the work that it costs. Contract §3. */
import type { PublicContext } from '../context.ts';
import { count, type Limit, subscriberOf } from '../http/limits.ts';

const BY_ADDRESS: Limit = {
  name: 'password-by-address',
  quota: 50,
  windowSeconds: 60,
  binding: (env) => env.LIMIT_PASSWORD_BY_ADDRESS,
};
const BY_ACCOUNT: Limit = {
  name: 'password-by-account',
  quota: 30,
  windowSeconds: 60,
  binding: (env) => env.LIMIT_PASSWORD_BY_ACCOUNT,
};

/**
 * Counts a check against the caller's address.
 * @throws GatewayError RATE_LIMITED
 */
export function countForAddress(ctx: PublicContext): Promise<void> {
  return count(ctx, BY_ADDRESS, subscriberOf(ctx.address));
}

/**
 * Counts a check against an account and the caller's address: nobody else's attempts lock the
 * owner out.
 * @param accountKey the account's `usernameKey`, else the name as the client gave it
 * @throws GatewayError RATE_LIMITED
 */
export function countForAccount(ctx: PublicContext, accountKey: string): Promise<void> {
  return count(ctx, BY_ACCOUNT, `${subscriberOf(ctx.address)} ${accountKey}`);
}
