/** How the backend of an endpoint is reached: its pool, its nodes, and the connection when asked for. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Caps, ConnectionEnvelope, Mode, Profile } from '../../proto/driver.ts';
import type { TargetSchema } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { Context } from '../context.ts';
import type { Node } from '../drivers/node.ts';
import type { Attempt } from '../drivers/relay.ts';
import { chooseNodes, profileOf } from '../nodes/choose.ts';
import type { Endpoint } from './access.ts';
import { envelopeOf, openConfig } from './config.ts';

/** One backend, as calls in one mode reach it. */
export interface Reach {
  readonly kind: string;
  readonly endpoint: string;
  /** The pool's, not the row's: what closes connections raises it. */
  readonly revision: number;
  readonly mode: Mode;
  readonly profile: Profile;
  readonly caps: Caps;
  readonly nodes: readonly Node[];
  /** Opens the configuration: expensive, and asked only when a node does not know the pool. */
  connection(): Promise<ConnectionEnvelope>;
}

/**
 * The endpoint's backend under the profile in force.
 * @throws GatewayError DEVELOPMENT_ROUTE_MISSING, NODE_UNAVAILABLE
 */
export async function reachOf(ctx: Context, endpoint: Endpoint, mode: Mode): Promise<Reach> {
  const { row } = endpoint;
  const profile = profileOf(endpoint);
  return {
    kind: row.kind,
    endpoint: row.uuid,
    revision: row.poolRevision,
    mode,
    profile,
    caps: row.poolLimits,
    nodes: await chooseNodes(ctx, endpoint),
    connection: async () => envelopeOf(await openConfig(ctx, endpoint), mode, profile),
  };
}

/** The backend as a call names it. */
export function targetOf(
  { kind, endpoint, revision, mode, profile, caps }: Reach,
  { sealedConnection }: Pick<Attempt, 'sealedConnection'>,
): MessageInitShape<typeof TargetSchema> {
  const poolKey = `${endpoint}:${revision}:${mode}:${profile}`;
  return { kind, endpoint, poolKey, mode, profile, caps, sealedConnection };
}
