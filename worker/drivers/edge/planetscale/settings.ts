/** Where a connection's HTTP interface is, and its credential. */

import { invalid } from '../../../../kinds/connection-options.ts';
import { settingsOf } from '../../../../kinds/mysql/dialect/settings.ts';
import { isJsonObject, type Json } from '../../../../proto/json.ts';

/** How to reach and enter one database over HTTP. Holds the password: never log it. */
export interface PlanetScaleSettings {
  /** Without a path. */
  readonly origin: string;
  readonly user: string;
  readonly password: string;
}

/** Whether a host is the vendor's. Contract §6, "Edge or relay". */
export function isPlanetScale(host: string): boolean {
  return /^[^/]+\.psdb\.cloud$/i.test(host);
}

/**
 * Reads a connection. Hosts other than the vendor's are asked at the same host and port, over
 * HTTPS, or over HTTP where the connection turns TLS off. The database is the one that the user
 * name stands for.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function planetScaleSettings(connection: Json): PlanetScaleSettings {
  const { host, port, user, password, sslMode } = settingsOf(withoutVendorOptions(connection));
  const shown = host.includes(':') ? `[${host}]` : host;
  if (!URL.canParse(`https://${shown}:${port}`)) {
    throw invalid('The connection names no host that can be reached');
  }
  if (isPlanetScale(host)) return { origin: `https://${host}`, user, password };
  const scheme = sslMode === 'DISABLED' ? 'http' : 'https';
  return { origin: `${scheme}://${shown}:${port}`, user, password };
}

function withoutVendorOptions(connection: Json): Json {
  if (!isJsonObject(connection) || typeof connection.url !== 'string') return connection;
  const [place = '', ...rest] = connection.url.split('?');
  const options = rest.join('?').split('&');
  const others = options.filter((option) => option !== '' && !isVendors(option));
  return { ...connection, url: others.length === 0 ? place : `${place}?${others.join('&')}` };
}

/** The vendor's console writes them into its URLs; they ask for the check of certificates that HTTPS makes anyway. */
function isVendors(option: string): boolean {
  const written = option.toLowerCase();
  if (written === 'sslaccept=strict') return true;
  const checks = written.indexOf('rejectunauthorized');
  return /^ssl=(?:\{|%7b)/.test(written) && checks >= 0 && written.includes('true', checks);
}
