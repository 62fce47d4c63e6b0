/**
 * Rate limits. The platform's limiter counts and answers yes or no; it gives no remainder, so a
 * refusal names the policy and when to come back.
 */
import { GatewayError } from '../../proto/errors.ts';
import { upTo } from '../../proto/text-ends.ts';
import type { PublicContext } from '../context.ts';

/** One limit. Quota and window repeat what wrangler.toml gives the binding. */
export interface Limit {
  /** As `RateLimit-Policy` names it. */
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: 10 | 60;
  binding(env: PublicContext['env']): RateLimit;
}

/** Characters of a key; what is longer is cut. */
const LONGEST_KEY = 512;

/**
 * Counts one more of what `key` names. `RATE_LIMITS=off` switches it off.
 * @throws GatewayError RATE_LIMITED with `Retry-After` and `RateLimit-Policy`
 */
export async function count(ctx: PublicContext, limit: Limit, key: string): Promise<void> {
  if (ctx.settings.RATE_LIMITS === 'off') return;
  const { success } = await limit.binding(ctx.env).limit({ key: key.slice(0, LONGEST_KEY) });
  if (!success) throw tooMany(limit, limit.windowSeconds);
}

/**
 * The refusal of what is over a limit.
 * @param retryAfter seconds
 */
export function tooMany({ name, quota, windowSeconds }: Limit, retryAfter: number): GatewayError {
  return new GatewayError('RATE_LIMITED', 'Too many requests: try again later', {
    retryAfter,
    headers: { 'RateLimit-Policy': `"${name}";q=${quota};w=${windowSeconds}` },
  });
}

/**
 * The part of an address that one subscriber holds: of IPv6 the first 64 bits, since every host
 * has all of the rest to itself. Spec silent.
 */
export function subscriberOf(address: string): string {
  if (!address.includes(':')) return address;
  const url = `http://[${upTo(address, '%')}]`;
  if (!URL.canParse(url)) return address;
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  if (groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff') return address;
  return `${groups.slice(0, 4).join(':')}::/64`;
}
