/** What `RELAY_ALLOW` opens besides public addresses. Contract §5: "Addresses". */
import { canonicalHost } from '../proto/addresses.ts';
import { GatewayError } from '../proto/errors.ts';
import {
  type Address,
  matches,
  type Networks,
  networksOf,
  parseAddress,
} from '../proto/networks.ts';

/** Hosts, networks and ports that are opened; `everything` is the entry `*`. */
export interface AllowList {
  readonly everything: boolean;
  readonly networks: Networks;
  /** `host` for all its ports, `host port` for one. */
  readonly hosts: ReadonlySet<string>;
}

/**
 * Reads entries separated by commas: CIDRs, addresses, host names, each of the latter two
 * also with a port, or `*`.
 * @throws GatewayError INVALID_CONFIGURATION naming the entry
 */
export function parseAllowList(text: string): AllowList {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const networks: string[] = [];
  const hosts = new Set<string>();
  for (const entry of entries) {
    if (entry === '*') continue;
    if (entry.includes('/')) networks.push(network(entry));
    else hosts.add(hostAndPort(entry));
  }
  return { everything: entries.includes('*'), networks: networksOf(networks), hosts };
}

/** Whether the list opens an address that was reached by `host`; both in their one spelling. */
export function isAllowed(
  list: AllowList,
  { host, address, port }: { host: string; address: Address; port: number },
): boolean {
  if (list.everything || matches(list.networks, address)) return true;
  return [host, address.address].some(
    (each) => list.hosts.has(each) || list.hosts.has(`${each} ${port}`),
  );
}

function network(entry: string): string {
  const [address = '', prefix = ''] = entry.split('/');
  const parsed = parseAddress(address);
  const longest = parsed?.family === 'ipv4' ? 32 : 128;
  if (parsed === undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > longest) {
    throw invalid(entry);
  }
  return `${parsed.address}/${prefix}`;
}

function hostAndPort(entry: string): string {
  const whole = canonicalHost(entry);
  if (whole !== undefined) return whole;
  const [, name = '', port = ''] = /^(.+):(\d{1,5})$/.exec(entry) ?? [];
  const host = canonicalHost(name);
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) throw invalid(entry);
  return `${host} ${Number(port)}`;
}

function invalid(entry: string): GatewayError {
  return new GatewayError(
    'INVALID_CONFIGURATION',
    `RELAY_ALLOW: ${entry} is no network, host, host:port or *`,
  );
}
