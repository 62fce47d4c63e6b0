/** Which addresses may be connected to, decided on the address itself: the rules of both programs. Contract §5: "Addresses". */
import { type Address, groupsOf, ipv4Of, matches, networksOf, parseAddress } from './networks.ts';

/**
 * Never reached, whatever `RELAY_ALLOW` says: link-local addresses, which hold the metadata
 * services; metadata services outside of them (Alibaba, Azure, Oracle; AWS, Google and Scaleway by
 * IPv6); what is no destination (RFC 1122 §3.2.1.3, RFC 4291 §2.5.2); multicast.
 */
export const NEVER_REACHED: readonly string[] = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:42::42/128',
  'ff00::/8',
];
const NEVER = networksOf(NEVER_REACHED);

/** Not globally reachable. Source: IANA special-purpose address registries (RFC 6890 and its updates). */
export const SPECIAL_PURPOSE: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];
const SPECIAL = networksOf(SPECIAL_PURPOSE);

/** IPv6 that is routed at all; what lies outside is private, special or unassigned. */
const GLOBAL_UNICAST = networksOf(['2000::/3']);
/** Translation to IPv4: the address embedded decides (RFC 6052 §2.1). */
const NAT64 = networksOf(['64:ff9b::/96']);

/** Names of the DNS have 253 characters at most; other letters and zeros of numbers may take more to write. */
const HOST_MAX = 2_048;

/**
 * The host as it is looked up: an address in its one spelling, whatever numbers it was written
 * with (`0x7f.1`, `2130706433`, `[::1]`), or a name in lower case and ASCII. Undefined for what
 * is no host, such as a path of a Unix socket.
 */
export function canonicalHost(host: string): string | undefined {
  if (host.length > HOST_MAX) return undefined;
  const bare = /^\[.*\]$/.test(host) ? host.slice(1, -1) : host;
  const address = parseAddress(bare);
  if (address !== undefined) return address.address;
  if (/[\s/?#@:\\[\]%]/.test(bare) || bare === '') return undefined;
  const url = URL.parse(`http://${bare}/`);
  // The dot that ends an absolute name would make one name two for the allow-list.
  return url === null || url.hostname === '' ? undefined : url.hostname.replace(/\.$/, '');
}

/** Whether an address is refused whatever the configuration says, itself or by what it embeds. */
export function isNeverReached(address: Address): boolean {
  return matches(NEVER, address) || embedded(address).some((each) => matches(NEVER, each));
}

/** Whether an address is globally reachable. */
export function isPublic(address: Address): boolean {
  if (address.family === 'ipv4') return !matches(SPECIAL, address);
  if (matches(NAT64, address)) return embedded(address).every(isPublic);
  return matches(GLOBAL_UNICAST, address) && !matches(SPECIAL, address);
}

/** An address, and those of IPv4 that translators and tunnels find in it. */
export function meantBy(address: Address): Address[] {
  return [address, ...embedded(address)];
}

/** Whether an address leads to the machine that looks at it. */
export function isLoopback(address: Address): boolean {
  return matches(LOOPBACK, address) || embedded(address).some((each) => matches(LOOPBACK, each));
}
const LOOPBACK = networksOf(['127.0.0.0/8', '::1/128']);

/**
 * Where translators and tunnels find an IPv4 address in an IPv6 one, as places of hexadecimal
 * digits: NAT64 with the well-known and the local-use prefix of 96 and 48 bits (RFC 6052, RFC 8215),
 * 6to4 (RFC 3056), IPv4-translated (RFC 2765), IPv4-compatible (RFC 4291), ISATAP (RFC 5214).
 */
const EMBEDDINGS: readonly { readonly prefix: RegExp; readonly digits: readonly number[] }[] = [
  { prefix: /^0064ff9b0{16}/, digits: places(24) },
  // Bits 64 to 71 are left out.
  { prefix: /^0064ff9b0001/, digits: [...places(24), 12, 13, 14, 15, 18, 19, 20, 21] },
  { prefix: /^2002/, digits: places(4) },
  { prefix: /^0{16}ffff0000/, digits: places(24) },
  { prefix: /^0{24}(?!00000001)/, digits: places(24) },
  { prefix: /^.{16}0[02]005efe/, digits: places(24) },
];

function embedded(address: Address): Address[] {
  if (address.family === 'ipv4') return [];
  const hex = groupsOf(address)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join('');
  return (
    EMBEDDINGS.filter(({ prefix }) => prefix.test(hex))
      .flatMap(
        ({ digits }) =>
          digits
            .map((place) => hex.charAt(place))
            .join('')
            .match(/.{8}/g) ?? [],
      )
      // A prefix of another length leaves zeros where the address would be.
      .filter((each) => each !== '00000000')
      .map((each) => ({
        address: ipv4Of(Number.parseInt(each.slice(0, 4), 16), Number.parseInt(each.slice(4), 16)),
        family: 'ipv4',
      }))
  );
}

function places(first: number): number[] {
  return Array.from({ length: 8 }, (_, index) => first + index);
}
