/** Who sees the values of a run. Contract §9. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import { onEndpoint } from '../../endpoints/access.ts';
import { effectiveLevel, reaches } from '../../levels.ts';
import { loadReach } from '../../reach/load.ts';
import { onTemplate } from '../../templates/access.ts';
import type { Workflow } from '../access.ts';
import type { Pins, RunRecord } from '../runs/head.ts';
import type { NamedResource } from '../runs/order.ts';
import { rootOf } from '../runs/sources.ts';
import { partsOf } from './parts.ts';

/** What of a run's values somebody sees: all, its `input`, `output` and `error`, or none. */
export type Sight = 'all' | 'ends' | 'none';

/** What is asked of a run. */
type Seen = Pick<RunRecord, 'head' | 'reached' | 'ended'>;

/**
 * All for Admin, and who may read every endpoint that the run reached, and until it ends that it may still reach; who started
 * it sees what their own rights reached, of another's rights the ends.
 */
export async function sightOf(ctx: Context, { policy }: Workflow, run: Seen): Promise<Sight> {
  const { head, reached, ended } = run;
  const isStarter = head.caller.userUuid === ctx.caller.userUuid;
  if (isStarter && head.author === undefined) return 'all';
  if (reaches(effectiveLevel(policy), 'Admin')) return 'all';
  const mayReadSome = await mayReadAll(ctx, reached);
  // What is seen of a run is not to be hidden because the run goes on.
  if (mayReadSome && (ended !== undefined || (await mayReadRest(ctx, run)))) return 'all';
  return isStarter ? 'ends' : 'none';
}

/** Whether somebody sees all values of a run. */
export async function readsAll(ctx: Context, workflow: Workflow, run: Seen): Promise<boolean> {
  return (await sightOf(ctx, workflow, run)) === 'all';
}

async function mayReadAll(ctx: Context, endpoints: readonly string[]): Promise<boolean> {
  const reads = await Promise.all(endpoints.map((endpoint) => mayRead(ctx, endpoint)));
  return reads.every(Boolean);
}

/** Whether a reader may read all that the run, with its subworkflows, can still reach. */
async function mayReadRest(ctx: Context, { head }: Seen): Promise<boolean> {
  const parts = await partsOf(ctx, head, async () => true);
  const found = await Promise.all(
    parts.flatMap(({ named, pins }) => named.map((each) => endpointsOf(ctx, each, pins))),
  );
  const endpoints = new Set(found.flat());
  return mayReadAll(ctx, [...endpoints]);
}

async function endpointsOf(
  ctx: Context,
  { kind, target }: NamedResource,
  pins: Pins,
): Promise<readonly string[]> {
  if (kind === 'endpoint') return [target];
  if (kind === 'workflow') return [];
  const found = await unlessGone('TEMPLATE_NOT_FOUND', () =>
    onTemplate('Read').find(ctx, { template: target }),
  );
  if (!found) return [];
  const root = rootOf(found.resource.row, { template: target }, pins);
  const { endpoints } = await loadReach(ctx, root, pins.nested);
  return endpoints.map(({ uuid }) => uuid);
}

/** False for an endpoint that is gone: it is unknown whether the caller could read it. */
async function mayRead(ctx: Context, endpoint: string): Promise<boolean> {
  const found = await unlessGone('ENDPOINT_NOT_FOUND', () =>
    onEndpoint('Read').find(ctx, { endpoint }),
  );
  return found !== undefined && reaches(effectiveLevel(found.policy), 'Read');
}

async function unlessGone<Found>(
  code: 'ENDPOINT_NOT_FOUND' | 'TEMPLATE_NOT_FOUND',
  find: () => Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await find();
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === code) return undefined;
    throw thrown;
  }
}
