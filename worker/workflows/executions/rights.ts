/** What a start, or whoever lets a run go on, needs besides Write on the workflow. Spec: workflows.md §6; contract §4, §9. */
import { authorize } from '../../access/access.ts';
import type { Demand } from '../../access/demand.ts';
import type { Context } from '../../context.ts';
import { onEndpoint } from '../../endpoints/access.ts';
import { loadReach } from '../../reach/load.ts';
import { onTemplate } from '../../templates/access.ts';
import { askChild } from '../runs/child-rights.ts';
import type { Pins, RunHead } from '../runs/head.ts';
import { type NamedResource, namedIn, type VersionOf } from '../runs/order.ts';
import { rootOf } from '../runs/sources.ts';
import { isThere, partsOf } from './parts.ts';

/**
 * Refuses a caller who may not use something that a version names in the way that it does: of a subworkflow, may not run it.
 * Usually this takes no trip to D1.
 * @throws GatewayError FORBIDDEN
 */
export async function demandNamed(ctx: Context, version: VersionOf): Promise<Demand[]> {
  const named = (await namedIn(ctx, version)).filter(isThere);
  const demands = await Promise.all(
    named.map(async (each) =>
      each.kind === 'workflow'
        ? (await askChild(ctx, each.target, undefined)).demands
        : demandOn(ctx, each),
    ),
  );
  return demands.flat();
}

/**
 * Refuses a caller who has not all the rights that a run needs to go on: on what its pinned versions name, and on what its
 * subworkflows do, but for those with rights of their own.
 * @throws GatewayError FORBIDDEN
 */
export async function demandRun(
  ctx: Context,
  head: Pick<RunHead, 'workflow' | 'pins' | 'depth'>,
): Promise<Demand[]> {
  const demands: Demand[] = [];
  const parts = await partsOf(ctx, head, async (named, version) => {
    const asked = await askChild(ctx, named, version);
    demands.push(...asked.demands);
    return !asked.isDoor;
  });
  for (const { named, pins } of parts) {
    const others = named.filter(({ kind }) => kind !== 'workflow');
    demands.push(...(await Promise.all(others.map((each) => demandOn(ctx, each, pins)))).flat());
  }
  return demands;
}

/** @param pins versions that count instead of those in force */
async function demandOn(
  ctx: Context,
  { kind, target, level }: NamedResource,
  pins?: Pins,
): Promise<Demand[]> {
  if (kind === 'endpoint') {
    return (await authorize(ctx, onEndpoint(level), { endpoint: target })).demands;
  }
  const { resource, demands } = await authorize(ctx, onTemplate('Read'), { template: target });
  const { id, uuid, version } = resource.row;
  const root = pins ? rootOf({ uuid, version }, { template: target }, pins) : { uuid, version };
  const reach = await loadReach(ctx, root, pins?.nested);
  return [...demands, ...reach.demandRun({ id, policy: resource.policy }, true)];
}
