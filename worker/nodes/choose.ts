/** Which nodes may serve a call, and in which order they are tried. nodes.md §3. */
import type { Profile } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import type { ConnectionStatus, PlacementRow } from '../db/schema.ts';
import type { Node } from '../drivers/node.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { defaultNode } from './default-node.ts';
import { type Placed, placedOf } from './placed.ts';
import { askAgain, comesBack, isAvoided } from './reach.ts';

/** The profile in force on an endpoint. Spec: "Endpoint", backend profile rule. */
export function profileOf({ row }: Pick<Endpoint, 'row'>): Profile {
  return row.backendProfile ?? 'production';
}

/**
 * The nodes to try, first to last; never none. An endpoint that was never placed is served by the
 * default node, any other by its placements alone.
 * @throws GatewayError DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE
 */
export async function chooseNodes(ctx: Context, endpoint: Endpoint): Promise<readonly Node[]> {
  const { row, placements } = endpoint;
  const onDevelopment = demandRoute(endpoint, placements);
  if (placements.length === 0 && row.vpnRoute === null) return [await defaultNode(ctx.settings)];
  const placed = await fittingOf(ctx, endpoint, onDevelopment);
  for (const each of placed) lookAfter(ctx, each);
  let chosen = usableOf(placed);
  // What seems gone may only have been late: a machine stood still, a clock leapt.
  if (chosen.length === 0 && (await comesBack(ctx, placed.flatMap(goneOf)))) {
    chosen = usableOf(await fittingOf(ctx, endpoint, onDevelopment));
  }
  if (chosen.length === 0) throw noneAvailable(row.vpnRoute);
  return avoidedLast(ctx, chosen, row.uuid);
}

/** The placements that may serve the endpoint's calls, whatever their nodes do. */
async function fittingOf(
  ctx: Context,
  endpoint: Endpoint,
  onDevelopment: boolean,
): Promise<readonly Placed[]> {
  const { vpnRoute } = endpoint.row;
  const profile = profileOf(endpoint);
  return (await placedOf(ctx, endpoint)).filter(
    ({ placement, serves }) =>
      serves &&
      fits(placement.poolRole, profile, onDevelopment) &&
      (vpnRoute === null || vpnRoute === placement.nodeUuid),
  );
}

function usableOf(placed: readonly Placed[]): readonly Node[] {
  return inOrder(placed.map(candidateOf), Math.random).flatMap(({ node }) => node ?? []);
}

/** Those that the endpoint's calls do badly on are tried after all others. */
function avoidedLast(ctx: Context, nodes: readonly Node[], endpoint: string): readonly Node[] {
  if (nodes.length === 1) return nodes;
  const first: Node[] = [];
  const last: Node[] = [];
  for (const node of nodes) {
    if (isAvoided(ctx, node, endpoint, first.length === 0)) last.push(node);
    else first.push(node);
  }
  return [...first, ...last];
}

/**
 * The node that holds a session, also one that takes no new calls.
 * @returns undefined where the endpoint is not placed on it any more
 */
export async function holderOf(
  ctx: Context,
  endpoint: Endpoint,
  uuid: string,
): Promise<Node | undefined> {
  demandRoute(endpoint, endpoint.placements);
  const own = await defaultNode(ctx.settings);
  if (endpoint.placements.length === 0) return uuid === own.uuid ? own : undefined;
  const placed = await placedOf(ctx, endpoint);
  return placed.find(({ placement }) => placement.nodeUuid === uuid)?.node;
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

/** Seconds after which asking again may find a node back. Spec silent. */
const RETRY_AFTER_S = 2;

function noneAvailable(vpnRoute: string | null): GatewayError {
  const message =
    vpnRoute === null
      ? 'No node that may serve the endpoint is available'
      : 'The node of the VPN route is not available, or the endpoint is not placed on it for this profile';
  return new GatewayError('NODE_UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S });
}

/** Once a placement is for development, development calls go nowhere else. */
function fits(role: PlacementRow['poolRole'], profile: Profile, onDevelopment: boolean): boolean {
  if (profile === 'production') return role !== 'development';
  return role === 'development' || (role === 'any' && !onDevelopment);
}

/** One that was reached before and is not now is asked again while calls would take it. */
function lookAfter(ctx: Context, placed: Placed): void {
  for (const node of goneOf(placed)) askAgain(ctx, node);
}

function goneOf({ node, seen }: Placed): readonly Node[] {
  return node && seen === 'unavailable' ? [node] : [];
}

/** What decides between placements. */
export interface Candidate {
  readonly status: ConnectionStatus;
  readonly priority: number;
  readonly weight: number;
}

function candidateOf({ placement, node, status }: Placed) {
  return { node, status, priority: placement.priority, weight: placement.weight };
}

const USABLE: readonly ConnectionStatus[] = ['available', 'degraded'];

/**
 * Usable candidates, first to last: the lowest priority number, available before degraded, then
 * at random by weight, where 0 comes after all others.
 */
export function inOrder<Each extends Candidate>(
  candidates: readonly Each[],
  random: () => number,
): readonly Each[] {
  return (
    candidates
      .filter(({ status }) => USABLE.includes(status))
      // Sorting by u^(1/weight) draws without replacement by weight (Efraimidis and Spirakis, 2006).
      .map((each) => ({ each, drawn: random() ** (1 / each.weight) }))
      .sort(
        (a, b) =>
          a.each.priority - b.each.priority ||
          USABLE.indexOf(a.each.status) - USABLE.indexOf(b.each.status) ||
          b.drawn - a.drawn,
      )
      .map(({ each }) => each)
  );
}
