/** Where a connection's HTTP endpoint is, and the connection string that travels to it. */

import { invalid } from '../../../../kinds/connection-options.ts';
import { type Settings, settingsOf } from '../../../../kinds/postgres/dialect/settings.ts';
import type { Json } from '../../../../proto/json.ts';
import { isJsonObject } from '../../../../proto/json.ts';

/** How to reach and enter one database over HTTP. Holds the password: never log it. */
export interface NeonSettings {
  /** With user and password; a header of each request. */
  readonly connectionString: string;
  /** Where requests go; undefined for a host of the vendor's, whose package knows. */
  readonly url: string | undefined;
  /** Session settings of the caller's, in the order given. */
  readonly sessionSettings: Settings['sessionSettings'];
}

/** Whether a host is the vendor's. Contract §6, "Edge or relay". */
export function isNeon(host: string): boolean {
  return /^[^/]+\.neon\.tech$/i.test(host);
}

/**
 * Reads a connection. Hosts other than the vendor's are asked at the same host and port, over
 * HTTPS, or over HTTP where the connection says `sslmode=disable` or `tls: false`.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function neonSettings(connection: Json): NeonSettings {
  const { host, port, user, password, database, sslMode, sessionSettings } = settingsOf(
    withoutChannelBinding(connection),
  );
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const shown = host.includes(':') ? `[${host}]` : host;
  const own = isNeon(host);
  // The driver reads both as URLs, and complains with all that is in them.
  if (!URL.canParse(`https://${shown}:${port}`))
    throw invalid('The connection names no host that can be reached');
  const scheme = sslMode === 'disable' ? 'http' : 'https';
  return {
    connectionString: `postgresql://${login}@${shown}:${port}/${encodeURIComponent(database)}`,
    url: own ? undefined : `${scheme}://${shown}:${port}/sql`,
    sessionSettings,
  };
}

/** The vendor's console writes it into its URLs; over HTTPS there is nothing to bind. */
function withoutChannelBinding(connection: Json): Json {
  if (!isJsonObject(connection) || typeof connection.url !== 'string') return connection;
  const url = connection.url.replace(
    /([?&])channel_binding=(?:disable|prefer|require)(?=&|$)&?/i,
    '$1',
  );
  return { ...connection, url: url.replace(/[?&]$/, '') };
}
