/** What reaches the backend of each connection, the edge or a relay: decided when a configuration is stored. Contract §6, "Edge or relay". */

import { AnyCallerSettings, type CallerSettings } from '../../kinds/caller-settings.ts';
import { type Kind, kindSpec } from '../../kinds/index.ts';
import { canonicalHost } from '../../proto/addresses.ts';
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import type { ChosenTransport, ConnectionName, Transports } from '../db/schema.ts';
import type { EdgeDriver } from '../drivers/edge/driver.ts';
import { edgeDriver } from '../drivers/edge/index.ts';
import type { EndpointConfig } from './config.ts';
import { splitUrl } from './connection-url.ts';

const NAMES: readonly ConnectionName[] = ['write', 'read', 'development'];

/**
 * What `config.transport` says for all connections, else what follows from kind and host; null
 * when it is a relay for all.
 * @throws GatewayError INVALID_CONFIGURATION for `edge` where the kind has no driver there
 */
export function transportsOf(kind: Kind, config: EndpointConfig): Transports | null {
  if (vpnRouteOf(config) !== null) return overNode(config);
  const driver = edgeDriver(kind);
  const { transport } = config;
  if (transport === 'edge' && !driver) throw notAtEdge(kind);
  const chosen = NAMES.flatMap((name) => {
    const connection = config[`${name}_conn`];
    if (connection === undefined) return [];
    return [[name, asked(transport) ?? following(driver, connection)] as const];
  });
  if (chosen.every(([, each]) => each === 'relay')) return null;
  if (config.session !== undefined) throw notToldAtEdge();
  return Object.fromEntries(chosen);
}

/** What the database is to be told of who calls; null for nothing. Spec: keys-and-doors.md §3. */
export function callerSettingsIn({ session }: EndpointConfig): CallerSettings | null {
  const isAsked = isJsonObject(session) && Object.keys(session).length > 0;
  return isAsked ? AnyCallerSettings.parse(session) : null;
}

function notToldAtEdge(): GatewayError {
  const message = 'Over HTTP no session can be told who calls';
  return new GatewayError('BAD_REQUEST', message, {
    details: [{ path: 'config.session', message: 'needs config.transport "relay"' }],
  });
}

/** The one node that calls may take; null where any may. Spec: nodes.md §4 */
export function vpnRouteOf({ vpn_route: route }: EndpointConfig): string | null {
  return typeof route === 'string' ? route.toLowerCase() : null;
}

/** A relay for all. @throws GatewayError INVALID_CONFIGURATION where the configuration asks for the edge */
function overNode({ transport }: EndpointConfig): null {
  if (transport !== 'edge') return null;
  const message = 'A VPN route leads over a node, and config.transport says edge';
  throw new GatewayError('INVALID_CONFIGURATION', message, {
    details: [{ path: 'config.transport', message: 'must be relay, or left out' }],
  });
}

function asked(transport: Json | undefined): ChosenTransport | undefined {
  return transport === 'edge' || transport === 'relay' ? transport : undefined;
}

function following(driver: EdgeDriver | undefined, connection: Json): ChosenTransport {
  if (!driver) return 'relay';
  const host = hostOf(connection);
  if (host !== undefined && driver.serves(host)) return 'edge';
  return driver.anyHost ? 'public' : 'relay';
}

/** The one host that a connection names; of several, or where an option may name another, none. */
function hostOf(connection: Json): string | undefined {
  if (!isJsonObject(connection)) return undefined;
  const { url, host } = connection;
  if (typeof url !== 'string') return typeof host === 'string' ? canonicalHost(host) : undefined;
  const { hosts = '', options = '' } = splitUrl(url) ?? {};
  if (/(?:^|&)(?:host|hostaddr)=/i.test(options)) return undefined;
  return canonicalHost(hosts.replace(/:\d*$/, ''));
}

function notAtEdge(kind: Kind): GatewayError {
  const message = `${kindSpec(kind).label} endpoints are served by relays only`;
  return new GatewayError('INVALID_CONFIGURATION', message, {
    details: [{ path: 'config.transport', message: 'must be relay, or left out' }],
  });
}
