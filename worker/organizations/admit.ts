/** Who may create an organization. Contract §3. */
import { GatewayError } from '../../proto/errors.ts';
import { bearerOf } from '../access/authenticate.ts';
import type { PublicContext } from '../context.ts';
import { count, type Limit, subscriberOf } from '../limits/rate.ts';
import { isSame } from '../secrets/compare.ts';

const NEW_BY_ADDRESS: Limit = {
  name: 'new-by-address',
  quota: 60,
  windowSeconds: 60,
  binding: (env) => env.LIMIT_NEW_BY_ADDRESS,
};

/**
 * Every caller; if `NEW_ORG_TOKEN` is set, only callers with it as their bearer token.
 * @throws GatewayError RATE_LIMITED, TOKEN_REQUIRED, TOKEN_INVALID
 */
export async function admitFounder(
  ctx: PublicContext,
  authorization: string | null,
): Promise<void> {
  await count(ctx, NEW_BY_ADDRESS, subscriberOf(ctx.address));
  const { NEW_ORG_TOKEN } = ctx.settings;
  if (NEW_ORG_TOKEN === undefined) return;
  const given = bearerOf(authorization);
  if (!(await isSame(given, NEW_ORG_TOKEN))) {
    throw new GatewayError('TOKEN_INVALID', 'Invalid token format');
  }
}
