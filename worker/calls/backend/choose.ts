/** Chooses what reaches a backend: the edge or a relay, and on which connection. */
import type { Mode } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Context } from '../../context.ts';
import type { ChosenTransport } from '../../db/schema.ts';
import type { EdgeDriver } from '../../drivers/edge/driver.ts';
import { edgeDriver } from '../../drivers/edge/index.ts';
import type { Endpoint } from '../../endpoints/access.ts';
import { envelopeOf, openConfig, serving } from '../../endpoints/config.ts';
import { giveBack } from '../../limits/heavy-work.ts';
import { chooseNodes, demandRoute, holderOf, profileOf } from '../../nodes/choose.ts';
import { callerSettings } from '../caller-settings.ts';
import type { Backend, HeldLease, Target } from './backend.ts';
import { RelayChanges } from './changes.ts';
import { EdgeBackend } from './edge.ts';
import { RelayBackend } from './relay.ts';

/**
 * The endpoint's backend under the profile in force.
 * @param held the connection that the calls run on, where it is not any
 * @throws GatewayError DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE, SESSION_NOT_FOUND
 */
export async function backendOf(
  ctx: Context,
  endpoint: Endpoint,
  mode: Mode,
  held?: HeldLease,
): Promise<Backend> {
  // A backend may take long, and does not depend on this thread meanwhile.
  giveBack(ctx.place);
  const target = targetOf(ctx, endpoint, mode);
  const driver = driverAtEdge(ctx, endpoint, target);
  if (driver) {
    demandRoute(endpoint, endpoint.placements);
    if (held) throw sessionNotFound();
    return new EdgeBackend(ctx, target, driver);
  }
  if (!held) return new RelayBackend(ctx, target, await chooseNodes(ctx, endpoint));
  const holder = await holderOf(ctx, endpoint, held.node);
  if (!holder) throw sessionNotFound();
  return new RelayBackend(ctx, target, [holder], held.leaseId);
}

/**
 * What reports changes of the endpoint's data: the connection that writes, by a relay.
 * @throws GatewayError NOT_SUPPORTED where the edge itself reaches the backend, DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE
 */
export async function changesOf(ctx: Context, endpoint: Endpoint): Promise<RelayChanges> {
  const target = targetOf(ctx, endpoint, 'write');
  if (driverAtEdge(ctx, endpoint, target)) {
    const message = `Changes are told by relays alone: set config.transport to "relay" to reach ${endpoint.row.id} by one`;
    throw new GatewayError('NOT_SUPPORTED', message);
  }
  return new RelayChanges(ctx, target, await chooseNodes(ctx, endpoint));
}

function targetOf(ctx: Context, endpoint: Endpoint, mode: Mode): Target {
  const { row } = endpoint;
  const profile = profileOf(endpoint);
  return {
    kind: row.kind,
    organization: row.orgUuid,
    endpoint: row.uuid,
    revision: row.poolRevision,
    name: row.id,
    poolKey: `${row.uuid}:${row.poolRevision}:${mode}:${profile}`,
    mode,
    profile,
    caps: row.poolLimits,
    numbersAsStrings: row.numbersAsStrings,
    session: () => callerSettings(ctx, endpoint),
    connection: async () => envelopeOf(await openConfig(ctx, endpoint), mode, profile),
  };
}

/** The same for another caller's session as for one that never existed. */
export function sessionNotFound(): GatewayError {
  return new GatewayError('SESSION_NOT_FOUND', 'There is no such session: it may have expired');
}

/** The driver, where the edge itself speaks to the backend. */
function driverAtEdge(
  ctx: Context,
  { row }: Endpoint,
  { kind, mode, profile }: Target,
): EdgeDriver | undefined {
  const { transports } = row;
  if (transports === null) return undefined;
  const name = serving((each) => transports[each] !== undefined, mode, profile);
  return isAtEdge(ctx, transports[name]) ? edgeDriver(kind) : undefined;
}

/** What the row says under the settings in force. Contract §6, "Edge or relay". */
function isAtEdge({ env, settings }: Context, chosen: ChosenTransport = 'relay'): boolean {
  if (chosen !== 'public') return chosen === 'edge';
  return env.NETWORK !== undefined && settings.HTTP_ALLOW_PRIVATE !== 'true';
}
