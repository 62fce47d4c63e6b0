/** Which nodes may serve a call, and in which order they are tried. nodes.md §3. */
import type { Profile } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import type { PlacementRow } from '../db/schema.ts';
import type { Node } from '../drivers/node.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { defaultNode } from './default-node.ts';

/** The profile in force on an endpoint. Spec: "Endpoint", backend profile rule. */
export function profileOf({ row }: Pick<Endpoint, 'row'>): Profile {
  return row.backendProfile ?? 'production';
}

/**
 * The nodes to try, first to last; never none. An endpoint without placements on nodes that
 * exist is served by the default node.
 * @throws GatewayError DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE
 */
export async function chooseNodes(ctx: Context, endpoint: Endpoint): Promise<readonly Node[]> {
  const node = await defaultNode(ctx.settings);
  const placements = endpoint.placements.filter(({ nodeUuid }) => nodeUuid === node.uuid);
  const profile = profileOf(endpoint);
  const onDevelopment = demandRoute(endpoint, placements);
  if (placements.length === 0) return [node];
  const fitting = placements.filter(({ poolRole }) => fits(poolRole, profile, onDevelopment));
  const chosen = inOrder(fitting, Math.random);
  if (chosen.length > 0) return chosen.map(() => node);
  throw new GatewayError('NODE_UNAVAILABLE', 'No node that may serve the endpoint is available', {
    retryAfter: RETRY_AFTER_S,
  });
}

/**
 * Whether a node is for development only.
 * @throws GatewayError DEVELOPMENT_ROUTE_MISSING
 */
export function demandRoute(
  endpoint: Pick<Endpoint, 'row'>,
  placements: readonly PlacementRow[],
): boolean {
  const onDevelopment = placements.some(({ poolRole }) => poolRole === 'development');
  const isDevelopment = profileOf(endpoint) === 'development';
  if (!isDevelopment || endpoint.row.hasDevelopmentConn || onDevelopment) return onDevelopment;
  throw new GatewayError(
    'DEVELOPMENT_ROUTE_MISSING',
    'The endpoint has the development profile, but no development_conn and no node for development',
  );
}

/** Seconds after which asking again may find a placement changed. Spec silent. */
const RETRY_AFTER_S = 5;

/** Once a placement is for development, development calls go nowhere else. */
function fits(role: PlacementRow['poolRole'], profile: Profile, onDevelopment: boolean): boolean {
  if (profile === 'production') return role !== 'development';
  return role === 'development' || (role === 'any' && !onDevelopment);
}

const USABLE: readonly PlacementRow['connectionStatus'][] = ['available', 'degraded'];

/** What decides between placements. */
type Ranked = Pick<PlacementRow, 'connectionStatus' | 'priority' | 'weight'>;

/**
 * Usable placements, first to last: the lowest priority number, available before degraded, then
 * at random by weight, where 0 comes after all others.
 */
export function inOrder<Row extends Ranked>(
  rows: readonly Row[],
  random: () => number,
): readonly Row[] {
  return (
    rows
      .filter(({ connectionStatus }) => USABLE.includes(connectionStatus))
      // Sorting by u^(1/weight) draws without replacement by weight (Efraimidis and Spirakis, 2006).
      .map((row) => ({ row, drawn: random() ** (1 / row.weight) }))
      .sort(
        (a, b) =>
          a.row.priority - b.row.priority ||
          USABLE.indexOf(a.row.connectionStatus) - USABLE.indexOf(b.row.connectionStatus) ||
          b.drawn - a.drawn,
      )
      .map(({ row }) => row)
  );
}
