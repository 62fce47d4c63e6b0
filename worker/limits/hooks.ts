/** Limits of what comes to `/hooks` without a token. Spec: workflows.md §5. */
import { LruMap } from '../../proto/lru-map.ts';
import type { PublicContext } from '../context.ts';
import { count, type Limit, subscriberOf, tooMany } from './rate.ts';
import { countInSteps, type SteppedLimit } from './steps.ts';

/** Deliveries whose signature is missing or wrong, and those to no webhook at all, by address. */
const UNSIGNED: Limit = {
  name: 'unsigned-deliveries',
  quota: 60,
  windowSeconds: 60,
  binding: (env) => env.LIMIT_UNSIGNED_BY_ADDRESS,
};
/** Starts of workflows that anyone may start, by address. */
const STARTS: Limit = {
  name: 'starts',
  quota: 60,
  windowSeconds: 60,
  binding: (env) => env.LIMIT_STARTS_BY_ADDRESS,
};
/** Deliveries whose signature is right, by organization. */
const DELIVERIES: SteppedLimit = {
  name: 'deliveries',
  quota: 6_000,
  windowSeconds: 60,
  step: 200,
  binding: (env) => env.LIMIT_DELIVERIES,
};

/** Starts of workflows that anyone may start, by organization, whatever addresses they come from. Spec silent on how many. */
const STARTS_OF_ORGANIZATION: SteppedLimit = { ...DELIVERIES, name: 'starts-of-organization' };

/** Milliseconds for which an isolate remembers that an address has used up a limit: a flood then costs no question each. */
const SPENT_MS = 1_000;
/** Addresses that are remembered. */
const CAPACITY = 10_000;
/** Until when an address is refused unasked, in Unix epoch milliseconds. */
const spent = new LruMap<string, number>(CAPACITY);

/** @throws GatewayError RATE_LIMITED once an address has sent 60 in a minute */
export function countUnsigned(ctx: PublicContext): Promise<void> {
  return countByAddress(ctx, UNSIGNED);
}

/** @throws GatewayError RATE_LIMITED once an address has started 60 in a minute */
export function countStart(ctx: PublicContext): Promise<void> {
  return countByAddress(ctx, STARTS);
}

/** @throws GatewayError RATE_LIMITED once an organization has got 6,000 in a minute */
export function countDelivery(ctx: PublicContext, orgUuid: string): void {
  countInSteps(ctx, DELIVERIES, orgUuid);
}

/** @throws GatewayError RATE_LIMITED once anyone has started 6,000 of an organization in a minute; signed deliveries are counted apart */
export function countStartOf(ctx: PublicContext, orgUuid: string): void {
  countInSteps(ctx, STARTS_OF_ORGANIZATION, `starts:${orgUuid}`);
}

async function countByAddress(ctx: PublicContext, limit: Limit): Promise<void> {
  if (ctx.settings.RATE_LIMITS === 'off') return;
  const address = subscriberOf(ctx.address);
  const key = `${limit.name} ${address}`;
  const now = ctx.now();
  const until = spent.get(key) ?? 0;
  if (now < until && until <= now + SPENT_MS) throw tooMany(limit, limit.windowSeconds);
  try {
    await count(ctx, limit, address);
  } catch (refusal) {
    spent.set(key, now + SPENT_MS);
    throw refusal;
  }
}
