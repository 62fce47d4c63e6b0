/** Sends a call whose answer is one JSON result, and hands that on unread. Contract §6, "Large results". */
import { GatewayError } from '../../proto/errors.ts';
import type { RunResponse } from '../../proto/gen/relay/v1/relay_pb.ts';
import { TIMEOUT_MAX_MS } from '../../proto/kinds/members.ts';
import type { Context } from '../context.ts';
import { startDeadline } from '../drivers/deadline.ts';
import type { Node } from '../drivers/node.ts';
import { bodyOf, open } from '../drivers/pieces.ts';
import { type Attempt, callRelay } from '../drivers/relay.ts';
import { JsonBytes } from '../http/route.ts';
import type { Reach } from './reach.ts';
import { countCall } from './usage/count.ts';

/**
 * The result's bytes; of a large one, which the relay kept, a stream of them.
 * @throws GatewayError what the call may end in
 */
export async function resultOf(
  ctx: Context,
  reach: Reach,
  timeoutMs: number,
  send: (attempt: Attempt) => Promise<RunResponse>,
): Promise<JsonBytes> {
  const deadline = startDeadline(ctx, timeoutMs);
  const plan = { ...reach, writes: reach.mode === 'write', deadline };
  try {
    const { response, node } = await callRelay(ctx, plan, async (attempt) => ({
      response: await send(attempt),
      node: attempt.node,
    }));
    ctx.timing.backend = Number(response.backendUs) / 1000;
    const { collectId, result } = response;
    const json = collectId === '' ? result : await collect(ctx, reach, node, collectId);
    countCall(ctx, reach.endpoint, reach.mode);
    return new JsonBytes(json);
  } catch (thrown) {
    countCall(ctx, reach.endpoint, reach.mode, thrown);
    throw thrown;
  } finally {
    deadline.end();
  }
}

/**
 * Fetches a kept result from the node that keeps it. The deadline was the backend's: how long
 * the client takes to read is bounded by the longest there is.
 */
async function collect(
  ctx: Context,
  { mode, connection }: Reach,
  node: Node,
  collectId: string,
): Promise<ReadableStream<Uint8Array>> {
  const deadline = startDeadline(ctx, TIMEOUT_MAX_MS);
  const plan = { nodes: [node], writes: false, deadline, connection };
  try {
    const pieces = await callRelay(ctx, plan, ({ relay, options }) =>
      open(relay.collect({ collectId }, options)),
    );
    return bodyOf(pieces, {
      ended: deadline.end,
      cancelled() {
        deadline.abort();
        deadline.end();
      },
      failed() {
        deadline.end();
        return undefined; // Half a JSON text has no place for an error: the connection breaks off.
      },
    });
  } catch (cause) {
    deadline.end();
    throw lost(mode === 'write', cause);
  }
}

function lost(written: boolean, cause: unknown): GatewayError {
  return written
    ? new GatewayError('OUTCOME_UNKNOWN', 'The request took effect, but its result was lost', {
        cause,
      })
    : new GatewayError('NODE_UNAVAILABLE', 'The result was lost on its way', {
        cause,
        retryAfter: 1,
      });
}
