/** Where the gateway may reach a node: what the URL of one may be. Contract §5, "Addresses". */
import { canonicalHost, isLoopback } from '../../proto/addresses.ts';
import { GatewayError } from '../../proto/errors.ts';
import { parseAddress } from '../../proto/networks.ts';
import type { PublicContext } from '../context.ts';
import { demandReachable } from '../drivers/edge/host.ts';
import { ownOf } from '../drivers/edge/own-addresses.ts';

type Bound = Pick<PublicContext, 'env' | 'settings'>;

/**
 * Refuses what the URL shows may not be reached; what a name resolves to is looked at when it connects.
 * A gateway that only this machine reaches may reach private addresses too.
 * @throws GatewayError INVALID_CONFIGURATION, ADDRESS_REFUSED
 */
export async function demandNodeUrl(bound: Bound, text: string): Promise<void> {
  const url = new URL(text);
  const isLocal = bound.settings.LOCAL_SERVER === 'true';
  const { protocol, username, password, search, hash } = url;
  if (username + password + search + hash !== '') {
    throw invalid('url: has credentials, a query or a fragment; leave them out');
  }
  const isPlain = protocol === 'http:' && isLocal && isLoopbackHost(url.hostname);
  if (protocol !== 'https:' && !isPlain) {
    throw invalid(
      'url: must be https; http is for loopback addresses of a gateway bound to loopback',
    );
  }
  const rules = { HTTP_ALLOW_PRIVATE: isLocal ? 'true' : 'false' } as const;
  demandReachable(url, rules, await ownOf(bound), 'The address of the node is not public');
}

function isLoopbackHost(host: string): boolean {
  const name = canonicalHost(host) ?? '';
  const address = parseAddress(name);
  return address === undefined ? name === 'localhost' : isLoopback(address);
}

function invalid(message: string): GatewayError {
  return new GatewayError('INVALID_CONFIGURATION', message, {
    details: [{ path: 'url', message: message.replace(/^url: /, '') }],
  });
}
