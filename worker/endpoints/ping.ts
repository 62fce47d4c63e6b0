/** Reaches an endpoint's backend and measures how long that takes. */
import type { Mode } from '../../proto/driver.ts';
import type { Context } from '../context.ts';
import { startDeadline } from '../drivers/deadline.ts';
import type { Endpoint } from './access.ts';
import type { Pinged } from './backend/backend.ts';
import { backendOf } from './backend/choose.ts';

/** Milliseconds in which a backend must answer: more than a connection may take, so that its failure is told. Spec silent. */
const PING_TIMEOUT_MS = 15_000;

/**
 * One round trip on an open connection that serves `mode`, in milliseconds, and what there is to warn of. The
 * endpoint need not be stored.
 * @throws GatewayError CONNECTION_FAILED, INVALID_CONFIGURATION, ADDRESS_REFUSED, POOL_EXHAUSTED, DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE, TIMED_OUT
 */
export async function pingEndpoint(ctx: Context, endpoint: Endpoint, mode: Mode): Promise<Pinged> {
  const backend = await backendOf(ctx, endpoint, mode);
  const deadline = startDeadline(ctx, PING_TIMEOUT_MS, backend.keepsTime);
  try {
    return await backend.ping(deadline);
  } finally {
    deadline.end();
  }
}
