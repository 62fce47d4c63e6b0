/** Who sees the values of a run. Contract §9. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import { onEndpoint } from '../../endpoints/access.ts';
import { effectiveLevel, reaches } from '../../levels.ts';
import type { Workflow } from '../access.ts';
import type { RunRecord } from '../runs/head.ts';

/** Whether the caller started the run, is Admin, or may read every endpoint that the run reached. */
export async function readsAll(
  ctx: Context,
  { policy }: Workflow,
  { head, reached }: Pick<RunRecord, 'head' | 'reached'>,
): Promise<boolean> {
  if (head.caller.userUuid === ctx.caller.userUuid) return true;
  if (reaches(effectiveLevel(policy), 'Admin')) return true;
  const reads = await Promise.all(reached.map((endpoint) => mayRead(ctx, endpoint)));
  return reads.every(Boolean);
}

/** False for an endpoint that is gone: it is unknown whether the caller could read it. */
async function mayRead(ctx: Context, endpoint: string): Promise<boolean> {
  try {
    const { policy } = await onEndpoint('Read').find(ctx, { endpoint });
    return reaches(effectiveLevel(policy), 'Read');
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === 'ENDPOINT_NOT_FOUND') return false;
    throw thrown;
  }
}
