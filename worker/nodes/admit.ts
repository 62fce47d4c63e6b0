/** Bounds how often relays may ask before they have proven anything. */
import type { PublicContext } from '../context.ts';
import { count, type Limit, subscriberOf } from '../limits/rate.ts';

/** A relay beats six times a minute: a hundred of them behind one address have room. Spec silent. */
const NODES_BY_ADDRESS: Limit = {
  name: 'nodes-by-address',
  quota: 600,
  windowSeconds: 60,
  binding: (env) => env.LIMIT_NODES_BY_ADDRESS,
};

/** Counts a request of a relay by its address. @throws GatewayError RATE_LIMITED */
export function admitRelay(ctx: PublicContext): Promise<void> {
  return count(ctx, NODES_BY_ADDRESS, subscriberOf(ctx.address));
}
