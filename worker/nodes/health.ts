/** How a node is right now. */
import { GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import type { ConnectionStatus } from '../db/schema.ts';
import { startDeadline } from '../drivers/deadline.ts';
import type { Node } from '../drivers/node.ts';
import { callRelay } from '../drivers/relay.ts';

/** Milliseconds that a node may take to say how it is. Spec silent. */
const CHECK_TIMEOUT_MS = 2_000;

/** What a check saw. */
export interface Health {
  readonly status: Extract<ConnectionStatus, 'available' | 'draining' | 'unavailable'>;
  /** When the node answered, in Unix epoch milliseconds; null when it did not. */
  readonly lastSeen: number | null;
}

/** Asks the node. One that does not answer, or not as itself, is unavailable. */
export async function checkHealth(ctx: Context, node: Node): Promise<Health> {
  const deadline = startDeadline(ctx, CHECK_TIMEOUT_MS);
  const plan = { nodes: [node], writes: false, deadline, timing: {}, connection: noConnection };
  try {
    const { draining } = await callRelay(ctx, plan, ({ relay, options }) =>
      relay.status({}, options),
    );
    return { status: draining ? 'draining' : 'available', lastSeen: ctx.now() };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { status: 'unavailable', lastSeen: null };
  } finally {
    deadline.end();
  }
}

function noConnection(): never {
  throw new GatewayError('INTERNAL', 'A check of a node needs no connection');
}

/** Best first. */
const FROM_BEST: readonly ConnectionStatus[] = ['available', 'degraded', 'draining', 'unavailable'];

/**
 * The status an administrator set, lowered by what a check saw, never raised; `unknown` leaves
 * it to the check. Contract §5, "Nodes".
 */
export function lowered(set: ConnectionStatus, seen: Health['status']): ConnectionStatus {
  return FROM_BEST[Math.max(FROM_BEST.indexOf(set), FROM_BEST.indexOf(seen))] ?? seen;
}
