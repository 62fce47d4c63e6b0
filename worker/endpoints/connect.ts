/** Connects with a configuration before it is stored, and reaches a backend to measure how long that takes. Contract §5, first point. */

import type { Kind } from '../../kinds/index.ts';
import type { Mode, Profile, Warning } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { Policy } from '../access/policy.ts';
import type { Pinged } from '../calls/backend/backend.ts';
import { backendOf } from '../calls/backend/choose.ts';
import type { Context } from '../context.ts';
import type { Transports } from '../db/schema.ts';
import { startDeadline, withinDeadline } from '../drivers/deadline.ts';
import type { Endpoint } from './access.ts';
import { type EndpointConfig, sealConfig } from './config.ts';
import { releaseEndpoint } from './release.ts';
import { vpnRouteOf } from './transport.ts';
import { type ServedBy, triedOver, underProfile } from './tried-over.ts';

/** Which calls use which connection. */
const CONNECTIONS: readonly (readonly [member: string, mode: Mode, profile: Profile])[] = [
  ['write_conn', 'write', 'production'],
  ['read_conn', 'read', 'production'],
  ['development_conn', 'write', 'development'],
];

/**
 * Reaches the backend over each connection that the configuration has, by the nodes that serve the
 * endpoint, and answers what there is to warn of.
 * @throws GatewayError what `pingEndpoint` throws; `details` name the connection
 */
export async function connectAll(
  ctx: Context,
  policy: Policy,
  tried: Tried,
  served?: ServedBy,
): Promise<Warning[]> {
  const { config } = tried;
  const trial = await trialOf(ctx, policy, tried, await triedOver(ctx, config, served));
  const given = CONNECTIONS.filter(([member]) => config[member] !== undefined);
  try {
    const pinged = await Promise.all(
      given.map(([member, mode, backendProfile]) =>
        pingEndpoint(ctx, underProfile(trial, backendProfile), mode).catch((thrown: unknown) => {
          throw naming(thrown, `config.${member}`);
        }),
      ),
    );
    return distinct(pinged.flatMap(({ warnings }) => warnings));
  } finally {
    ctx.afterReply(releaseEndpoint(ctx, trial));
  }
}

/** Connections with one credential warn of the same. */
export function distinct(warnings: readonly Warning[]): Warning[] {
  const byText = warnings.map((each) => [`${each.code} ${each.message}`, each] as const);
  return [...new Map(byText).values()];
}

/** What is tried. */
interface Tried {
  readonly kind: Kind;
  readonly config: EndpointConfig;
  readonly transports: Transports | null;
}

/** An endpoint of this attempt alone: no pool that a stored one uses holds what was never stored. */
async function trialOf(
  ctx: Context,
  policy: Policy,
  { kind, config, transports }: Tried,
  served: ServedBy,
): Promise<Endpoint> {
  const uuid = crypto.randomUUID();
  const row = {
    orgUuid: ctx.caller.orgUuid,
    uuid,
    id: uuid,
    kind,
    description: '',
    sealedConfig: await sealConfig(ctx, { uuid, sealedDataKey: policy.sealedDataKey }, config),
    hasDevelopmentConn: config.development_conn !== undefined,
    backendProfile: null,
    poolLimits: { total: 0, production: 0, development: 0 },
    transports,
    vpnRoute: vpnRouteOf(config),
    numbersAsStrings: config.numbers === 'string',
    // What connects and measures is not the caller's statement.
    callerSettings: null,
    oncePlace: null,
    revision: 1,
    poolRevision: 1,
    createdAt: ctx.now(),
    updatedAt: ctx.now(),
  };
  return { row, policy, ...served };
}

/** A failure that has no details yet names the connection it is of. */
function naming(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  const { code, message, cause, retryAfter } = thrown;
  // Its one entry is the rule that refused it.
  const isAddress = code === 'ADDRESS_REFUSED';
  if (thrown.details.length > 0 && !isAddress) return thrown;
  return new GatewayError(code, message, {
    cause,
    details: [...thrown.details, { path, message }],
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Milliseconds in which a backend must answer: more than a connection may take, so that its failure is told. Spec silent. */
const PING_TIMEOUT_MS = 15_000;

/**
 * One round trip on an open connection that serves `mode`, in milliseconds, and what there is to warn of. The
 * endpoint does not have to be stored.
 * @throws GatewayError CONNECTION_FAILED, INVALID_CONFIGURATION, ADDRESS_REFUSED, POOL_EXHAUSTED, DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE, TIMED_OUT
 */
export async function pingEndpoint(ctx: Context, endpoint: Endpoint, mode: Mode): Promise<Pinged> {
  const backend = await backendOf(ctx, endpoint, mode);
  const deadline = startDeadline(ctx, PING_TIMEOUT_MS, backend.keepsTime);
  return withinDeadline(deadline, (own) => backend.ping(own));
}
