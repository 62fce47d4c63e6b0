/** Bounds how often relays may ask before they have proven anything. */

import { NODE_HEADERS } from '../../proto/node-signature.ts';
import type { PublicContext } from '../context.ts';
import { count, type Limit, subscriberOf } from '../limits/rate.ts';
import type { Asking } from '../route.ts';
import { demandNonce } from './proof.ts';

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

/** The same, of a request with a body: without a nonce it is not read. @throws GatewayError RATE_LIMITED, NODE_SIGNATURE_INVALID */
export async function admitSigned(ctx: PublicContext, { params, header }: Asking): Promise<void> {
  await admitRelay(ctx);
  const { node = '' } = params;
  await demandNonce(ctx, node.toLowerCase(), header(NODE_HEADERS.nonce) ?? '');
}
