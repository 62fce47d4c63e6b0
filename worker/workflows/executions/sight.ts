/** Who sees the values of a run. Contract §9. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import { onEndpoint } from '../../endpoints/access.ts';
import { effectiveLevel, reaches } from '../../levels.ts';
import type { Workflow } from '../access.ts';
import type { RunRecord } from '../runs/head.ts';

/** What of a run's values somebody sees: all, its `input`, `output` and `error`, or none. */
export type Sight = 'all' | 'ends' | 'none';

/** All for Admin, and who may read every endpoint that the run reached; who started it sees what their own rights reached, of another's rights the ends. */
export async function sightOf(
  ctx: Context,
  { policy }: Workflow,
  { head, reached }: Pick<RunRecord, 'head' | 'reached'>,
): Promise<Sight> {
  const isStarter = head.caller.userUuid === ctx.caller.userUuid;
  if (isStarter && head.author === undefined) return 'all';
  if (reaches(effectiveLevel(policy), 'Admin')) return 'all';
  const reads = await Promise.all(reached.map((endpoint) => mayRead(ctx, endpoint)));
  if (reads.every(Boolean)) return 'all';
  return isStarter ? 'ends' : 'none';
}

/** Whether somebody sees all values of a run. */
export async function readsAll(
  ctx: Context,
  workflow: Workflow,
  record: Pick<RunRecord, 'head' | 'reached'>,
): Promise<boolean> {
  return (await sightOf(ctx, workflow, record)) === 'all';
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
