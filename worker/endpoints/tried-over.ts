/** Over which nodes a configuration is tried before it is stored. Spec: nodes.md §4; else silent. */
import type { Profile } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import type { PlacementRow } from '../db/schema.ts';
import { defaultNode } from '../nodes/default-node.ts';
import { selectNode } from '../nodes/store.ts';
import type { Endpoint } from './access.ts';
import type { EndpointConfig } from './config.ts';
import { vpnRouteOf } from './transport.ts';

/** What says which nodes serve an endpoint. */
export type ServedBy = Pick<Endpoint, 'placements' | 'nodes'>;

/**
 * Over the node of a VPN route alone, as if the endpoint were placed there: a new one is not yet. Without one,
 * over the nodes that serve the endpoint.
 * @throws GatewayError INVALID_CONFIGURATION for a route over a node that the organization does not have
 */
export async function triedOver(
  ctx: Context,
  config: EndpointConfig,
  served: ServedBy = { placements: [], nodes: [] },
): Promise<ServedBy> {
  const route = vpnRouteOf(config);
  if (route === null) return { placements: served.placements, nodes: served.nodes };
  const { orgUuid } = ctx.caller;
  const nodes = await selectNode(ctx.db, orgUuid, route);
  if (nodes.length === 0 && route !== (await defaultNode(ctx.settings)).uuid) {
    const message = `config.vpn_route: there is no node ${route}`;
    throw new GatewayError('INVALID_CONFIGURATION', message, {
      details: [{ path: 'config.vpn_route', message: 'is no node of the organization' }],
    });
  }
  return { placements: [placementOn(orgUuid, route)], nodes };
}

function placementOn(orgUuid: string, nodeUuid: string): PlacementRow {
  const plain = { poolRole: 'any', connectionStatus: 'available', metadata: {} } as const;
  return { ...plain, orgUuid, endpointUuid: '', nodeUuid, priority: 0, weight: 1 };
}

/** A trial under a profile: where the endpoint is not placed for that one, over any node that it is placed on. */
export function underProfile(trial: Endpoint, profile: Profile): Endpoint {
  const row = { ...trial.row, backendProfile: profile };
  const isFor = ({ poolRole }: PlacementRow) => poolRole === profile || poolRole === 'any';
  if (trial.placements.some(isFor)) return { ...trial, row };
  const placements = trial.placements.map((each) => ({ ...each, poolRole: 'any' as const }));
  return { ...trial, row, placements };
}
