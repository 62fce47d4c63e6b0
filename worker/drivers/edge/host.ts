/** The network as edge drivers have it: what may not be reached is refused, and how a request failed is told. */
import { canonicalHost, isNeverReached, isPublic, meantBy } from '../../../proto/addresses.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { type Address, parseAddress } from '../../../proto/networks.ts';
import type { PublicContext } from '../../context.ts';
import type { Settings } from '../../settings.ts';
import type { EdgeHost } from './driver.ts';
import { networkFailure } from './network-failure.ts';
import { type OwnAddresses, ownOf } from './own-addresses.ts';
import { demandPresent, sawAnswer, sawLoss } from './presence.ts';

/** A request of these is sent without looking whether the server is there: it changes nothing. */
const SAFE = ['GET', 'HEAD'];

/**
 * A self-hosted edge sends through its binding, whose network looks at the address that a name
 * resolved to when it connects; on the platform no private network can be reached. Literal
 * addresses are refused before.
 */
export function edgeHost(ctx: PublicContext): EdgeHost {
  const { env, settings, outside } = ctx;
  const { NETWORK } = env;
  const send = NETWORK ? (request: Request) => NETWORK.fetch(request) : outside.fetch;
  return {
    async fetch(request) {
      const url = new URL(request.url);
      const { signal, method } = request;
      signal.throwIfAborted();
      demandReachable(url, settings, await ownOf(ctx));
      // The platform may have other ways for connections than for requests: what fails there proves nothing.
      if (NETWORK && !SAFE.includes(method)) {
        await demandPresent(NETWORK, url, outside.now(), signal);
      }
      try {
        const isManual = request.redirect === 'manual';
        const sent = isManual ? request : new Request(request, { redirect: 'manual' });
        const response = await send(sent);
        sawAnswer(url, outside.now());
        return response;
      } catch (cause) {
        sawLoss(url);
        throw networkFailure(cause, signal);
      }
    },
  };
}

type Rules = Pick<Settings, 'HTTP_ALLOW_PRIVATE'>;

/**
 * Refuses what the URL itself shows may not be reached.
 * @param closed what a private address is told that the rules do not open
 * @throws GatewayError ADDRESS_REFUSED
 */
export function demandReachable(url: URL, rules: Rules, own: OwnAddresses, closed = CLOSED): void {
  const host = canonicalHost(url.hostname);
  const address = host === undefined ? undefined : parseAddress(host);
  if (host === undefined || (address && isNeverReached(address))) throw addressRefused(NEVER);
  const isPrivate = address ? isPrivateAddress(address, own) : isLocalName(host);
  if (address && !isPrivate) return;
  const isOpen = rules.HTTP_ALLOW_PRIVATE === 'true';
  if (isOpen || (address && isPublic(address))) {
    // Also at a public address of this machine.
    if (isOwnPort(url, isPrivate, own)) throw addressRefused(NEVER);
  } else if (isPrivate) throw addressRefused(closed);
}

function isPrivateAddress(address: Address, own: OwnAddresses): boolean {
  return isOwnAddress(address, own) || !isPublic(address);
}

function isOwnAddress(address: Address, { addresses }: OwnAddresses): boolean {
  return meantBy(address).some((each) => addresses.includes(each.address));
}

/**
 * Whether the port is one of ours, on what may be this machine. What a name resolves to is not
 * known here: on TLS's usual port, which we do not speak, it is taken for another's.
 */
function isOwnPort({ port, protocol }: URL, isPrivate: boolean, { ports }: OwnAddresses): boolean {
  if (port !== '') return ports.includes(port);
  if (protocol === 'https:') return isPrivate && ports.includes('443');
  return ports.includes('80');
}

/** RFC 6761, section 6.3: such names mean this machine, whatever a resolver says. */
function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

const NEVER =
  "The address is one that no setting opens: link-local, a metadata service, no destination, or the gateway's own";
const CLOSED =
  'The address is not public, and the setting HTTP_ALLOW_PRIVATE does not open it: the operator of the gateway can set HTTP_ALLOW_PRIVATE=true';

function addressRefused(message: string): GatewayError {
  return new GatewayError('ADDRESS_REFUSED', message, { details: [{ rule: 'address' }] });
}
