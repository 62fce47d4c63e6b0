/** Runs a call whose answer is one JSON result, and hands that on unread. Contract §6, "Large results". */
import type { Context } from '../context.ts';
import { type Deadline, startDeadline } from '../drivers/deadline.ts';
import { JsonBytes } from '../http/route.ts';
import type { Backend, Result } from './backend/backend.ts';
import { countCall } from './usage/count.ts';

/**
 * The result's bytes; of a large one that a relay kept, a stream of them.
 * @throws GatewayError what the call may end in
 */
export async function resultOf(
  ctx: Context,
  { endpoint, mode, keepsTime }: Backend,
  timeoutMs: number,
  call: (deadline: Deadline) => Promise<Result>,
): Promise<JsonBytes> {
  const deadline = startDeadline(ctx, timeoutMs, keepsTime);
  try {
    const json = await call(deadline);
    countCall(ctx, endpoint, mode);
    return new JsonBytes(json);
  } catch (thrown) {
    countCall(ctx, endpoint, mode, thrown);
    throw thrown;
  } finally {
    deadline.end();
  }
}
