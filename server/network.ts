/** The network in which a self-hosted edge reaches backends by itself: what it refuses at connect. Contract §6, "http kind". */
import { NEVER_REACHED, SPECIAL_PURPOSE } from '../proto/addresses.ts';

/** A service binding of the runtime; `deny` wins where it is narrower. */
interface NetworkBinding {
  readonly network: { readonly allow: string[]; readonly deny: string[] };
}

/** IPv6 outside of what is routed, and of what NAT64 turns into IPv4. */
const UNROUTED: readonly string[] = [
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b:1::/48',
  '100::/8',
  '200::/7',
  '400::/6',
  '800::/5',
  '1000::/4',
  '4000::/2',
  '8000::/1',
];
/** The runtime would take the whole network's first address for any address of this machine. */
const ANY: readonly string[] = ['0.0.0.0/32', '::/128'];

/**
 * Public addresses only, by the same lists as all else that connects; with `allowPrivate` private
 * ones too, link-local and metadata addresses never.
 * @param own addresses of this machine: public ones are no others' than private ones are
 */
export function backendNetwork(allowPrivate: boolean, own: readonly string[] = []): NetworkBinding {
  if (allowPrivate) {
    return {
      network: { allow: ['public', 'private'], deny: withTranslated([...NEVER_REACHED, ...ANY]) },
    };
  }
  const here = own.map((each) => `${each}/${each.includes(':') ? 128 : 32}`);
  const closed = [...NEVER_REACHED, ...SPECIAL_PURPOSE, ...UNROUTED, ...ANY, ...here];
  const deny = withTranslated(closed);
  return { network: { allow: ['public'], deny } };
}

/** The networks, and those of IPv4 as NAT64 reaches them. RFC 6052, section 2.1. */
function withTranslated(networks: readonly string[]): string[] {
  const translated = networks
    .filter((each) => !each.includes(':'))
    .map((each) => {
      const [address = '', prefix] = each.split('/');
      return `64:ff9b::${address}/${96 + Number(prefix)}`;
    });
  return [...new Set([...networks, ...translated])];
}
