/** An endpoint's configuration: the only place where it is sealed and opened. Contract §5. */
import type { ConnectionEnvelope, ConnectionUse, Mode, Profile } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json, parseJson } from '../../proto/json.ts';
import type { Context } from '../context.ts';
import type { ConnectionName } from '../db/schema.ts';
import { type SealingContext, seal, unseal } from '../secrets/seal.ts';
import type { Endpoint } from './access.ts';

/** Member `config` as the client gave it, after its kind's schema passed. Holds credentials: never log it. */
export type EndpointConfig = { readonly [member: string]: Json };

/** Seals a configuration to the one endpoint it belongs to. */
export function sealConfig(
  ctx: Context,
  endpoint: SealedFor,
  config: EndpointConfig,
): Promise<string> {
  return seal(sealingContext(ctx, endpoint), JSON.stringify(config));
}

/**
 * The endpoint's configuration in clear text.
 * @throws GatewayError INTERNAL when it was not sealed for this endpoint of this organization
 */
export async function openConfig(ctx: Context, endpoint: Endpoint): Promise<EndpointConfig> {
  const { row, policy } = endpoint;
  const sealedFor = { uuid: row.uuid, sealedDataKey: policy.sealedDataKey };
  const opened = parseJson(await unseal(sealingContext(ctx, sealedFor), row.sealedConfig));
  if (!isJsonObject(opened)) throw new GatewayError('INTERNAL', 'A stored secret cannot be opened');
  return opened;
}

/** Which endpoint a configuration is sealed to, and under which data key. */
interface SealedFor {
  readonly uuid: string;
  readonly sealedDataKey: string;
}

function sealingContext(ctx: Context, { uuid, sealedDataKey }: SealedFor): SealingContext {
  const { settings, caller } = ctx;
  return { settings, orgUuid: caller.orgUuid, sealedDataKey, purpose: `endpoint:${uuid}` };
}

/** A member that says how to reach a backend. */
const isConnection = (member: string) => member.endsWith('_conn');

/**
 * Of the connections that there are, the one that serves `mode` under `profile`. `read_conn` serves
 * reads; without it `write_conn` does; under the development profile `development_conn` does both,
 * when there is one.
 */
export function serving(
  has: (name: ConnectionName) => boolean,
  mode: Mode,
  profile: Profile,
): ConnectionName {
  if (profile === 'development' && has('development')) return 'development';
  return mode === 'read' && has('read') ? 'read' : 'write';
}

/** What is needed to reach the backend: the connection in use, and the members besides the connections. */
export function envelopeOf(
  config: EndpointConfig,
  mode: Mode,
  profile: Profile,
): ConnectionEnvelope {
  const has = (each: ConnectionName) => config[`${each}_conn`] !== undefined;
  const name = serving(has, mode, profile);
  const connection = config[`${name}_conn`] ?? null;
  const settings = Object.entries(config).filter(([member]) => !isConnection(member));
  return { connection, use: useOf(name, has('read')), settings: Object.fromEntries(settings) };
}

function useOf(name: ConnectionName, reader: boolean): ConnectionUse {
  if (name === 'development') return 'development';
  if (name === 'read') return 'reads';
  return reader ? 'writes' : 'all';
}
