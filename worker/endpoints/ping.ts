/** Reaches an endpoint's backend and measures how long that takes. */
import type { Mode } from '../../proto/driver.ts';
import type { Context } from '../context.ts';
import { startDeadline } from '../drivers/deadline.ts';
import type { Endpoint } from './access.ts';
import { backendOf } from './backend/reach.ts';

/** Milliseconds in which a backend must answer. Spec silent. */
const PING_TIMEOUT_MS = 10_000;

/**
 * Milliseconds of one round trip on an open connection that serves `mode`. The endpoint need not
 * be stored.
 * @throws GatewayError CONNECTION_FAILED, INVALID_CONFIGURATION, ADDRESS_REFUSED, POOL_EXHAUSTED, DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE, TIMED_OUT
 */
export async function pingEndpoint(ctx: Context, endpoint: Endpoint, mode: Mode): Promise<number> {
  const backend = await backendOf(ctx, endpoint, mode);
  const deadline = startDeadline(ctx, PING_TIMEOUT_MS, backend.keepsTime);
  try {
    return await backend.ping(deadline);
  } finally {
    deadline.end();
  }
}
