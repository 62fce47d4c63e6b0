/** Whether a relay says that it takes calls, when it does not answer one. */
import { HEALTH_PATH, INSTANCE_HEADER } from '../../proto/node-health.ts';
import type { PublicContext } from '../context.ts';
import type { Node } from './node.ts';
import { sendTo } from './relay-routes.ts';

/** Asks the process before a node's parts. Answers its id; undefined where it takes no calls, or none is there. */
export async function takesCalls(
  ctx: PublicContext,
  node: Node,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const url = `${node.url}${HEALTH_PATH}`;
    const reply = await sendTo(ctx, node)(url, { redirect: 'manual', signal });
    // An organization's own node may say anything, without an end.
    void reply.body?.cancel().catch(() => {});
    // A proxy may answer such a path by itself, and names no process.
    return (reply.status === 200 && reply.headers.get(INSTANCE_HEADER)) || undefined;
  } catch {
    return undefined;
  }
}
