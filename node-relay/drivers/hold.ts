/** Connections that are kept for as long as others please: they are never all that an endpoint has. */
import { GatewayError } from '../../proto/errors.ts';
import type { Host } from './driver.ts';

/** Takes one, and answers what gives it back. @throws GatewayError POOL_EXHAUSTED */
export function holdConnection(host: Host): () => void {
  const end = host.hold();
  if (end !== undefined) return end;
  const message =
    'As many subscriptions and requests that wait are under way as the connections of this endpoint allow';
  throw new GatewayError('POOL_EXHAUSTED', message, { retryAfter: 1 });
}
