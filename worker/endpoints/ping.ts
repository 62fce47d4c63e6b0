/** Reaches an endpoint's backend and measures how long that takes. */
import type { Mode } from '../../proto/driver.ts';
import type { Context } from '../context.ts';
import { startDeadline } from '../drivers/deadline.ts';
import { callRelay } from '../drivers/relay.ts';
import type { Endpoint } from './access.ts';
import { reachOf, targetOf } from './reach.ts';

/** Milliseconds in which a backend must answer. Spec silent. */
const PING_TIMEOUT_MS = 10_000;

/**
 * Milliseconds of one round trip on an open connection that serves `mode`. The endpoint need not
 * be stored.
 * @throws GatewayError CONNECTION_FAILED, INVALID_CONFIGURATION, ADDRESS_REFUSED, POOL_EXHAUSTED, DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE, TIMED_OUT
 */
export async function pingEndpoint(ctx: Context, endpoint: Endpoint, mode: Mode): Promise<number> {
  const reach = await reachOf(ctx, endpoint, mode);
  const deadline = startDeadline(ctx, PING_TIMEOUT_MS);
  try {
    const { latencyUs } = await callRelay(ctx, { ...reach, writes: false, deadline }, (attempt) =>
      attempt.relay.ping({ target: targetOf(reach, attempt) }, attempt.options),
    );
    return Number(latencyUs) / 1000;
  } finally {
    deadline.end();
  }
}
