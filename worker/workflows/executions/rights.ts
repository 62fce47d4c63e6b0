/** What a start demands of its caller, besides Write on the workflow. Spec: workflows.md §6; contract §4, §9. */
import { authorize, demand } from '../../access/access.ts';
import type { Demand } from '../../access/demand.ts';
import type { Context } from '../../context.ts';
import { onEndpoint } from '../../endpoints/access.ts';
import { loadReach } from '../../reach/load.ts';
import { onTemplate } from '../../templates/access.ts';
import { onWorkflow } from '../access.ts';
import { type NamedResource, namedIn, type VersionOf } from '../runs/order.ts';

/**
 * Refuses a caller who may not use something that a version names in the way that it does. A resource
 * that is gone is no reason to refuse: the action fails with it. Usually this takes no trip to D1.
 * @throws GatewayError FORBIDDEN
 */
export async function demandNamed(ctx: Context, version: VersionOf): Promise<Demand[]> {
  const named = await namedIn(ctx, version);
  const demands = await Promise.all(named.filter(isThere).map((each) => demandOn(ctx, each)));
  return demands.flat();
}

function isThere({ kind, endpointKind, templateVersion, workflow }: NamedResource): boolean {
  if (kind === 'endpoint') return endpointKind !== null;
  return kind === 'template' ? templateVersion !== null : workflow !== null;
}

async function demandOn(ctx: Context, { kind, target, level }: NamedResource): Promise<Demand[]> {
  if (kind === 'endpoint') {
    return (await authorize(ctx, onEndpoint(level), { endpoint: target })).demands;
  }
  if (kind === 'workflow') {
    const params = { workflow: target };
    const found = await authorize(ctx, onWorkflow('Read'), params);
    const isDoor = found.resource.row.runAs === 'author';
    return isDoor ? [...found.demands, demand({ ...found, params }, 'Write')] : found.demands;
  }
  const { resource, demands } = await authorize(ctx, onTemplate('Read'), { template: target });
  const { id, uuid, version } = resource.row;
  const reach = await loadReach(ctx, { uuid, version });
  return [...demands, ...reach.demandRun({ id, policy: resource.policy }, true)];
}
