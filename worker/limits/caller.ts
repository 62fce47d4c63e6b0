/** Limits per user and per organization. */
import type { Context } from '../context.ts';
import { countInSteps, type SteppedLimit } from './steps.ts';

/** Spec silent. */
export const BY_USER: SteppedLimit = {
  name: 'user',
  quota: 6_000,
  windowSeconds: 60,
  step: 200,
  binding: (env) => env.LIMIT_BY_USER,
};

/** Spec silent. */
export const BY_ORGANIZATION: SteppedLimit = {
  name: 'organization',
  quota: 60_000,
  windowSeconds: 60,
  step: 2_000,
  binding: (env) => env.LIMIT_BY_ORGANIZATION,
};

/**
 * Counts a request against its user, and an allowed one also against the organization. A
 * user counts in each organization separately: one cannot affect another.
 * `RATE_LIMITS=off` switches it off.
 * @throws GatewayError RATE_LIMITED with `Retry-After`, the seconds until the window ends, and `RateLimit-Policy`
 */
export function countCaller(ctx: Context): void {
  const { orgUuid, userUuid } = ctx.caller;
  countInSteps(ctx, BY_USER, `${orgUuid} ${userUuid}`);
  countInSteps(ctx, BY_ORGANIZATION, orgUuid);
}
