/** Who may create an organization. Contract §3. */
import { GatewayError } from '../../proto/errors.ts';
import { bearerOf } from '../access/authenticate.ts';
import type { PublicContext } from '../context.ts';
import { count, type Limit, subscriberOf } from '../limits/rate.ts';

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

/** Compares digests, whose length and time tell nothing of what was compared. */
async function isSame(given: string, expected: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [a, b] = await Promise.all(
    [given, expected].map((each) => crypto.subtle.digest('SHA-256', encoder.encode(each))),
  );
  return a !== undefined && b !== undefined && crypto.subtle.timingSafeEqual(a, b);
}
