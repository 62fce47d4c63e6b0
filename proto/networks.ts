/** IP addresses as numbers, and the networks that they lie in. */

import { upTo } from './text-ends.ts';

/** An address in the one spelling that comparisons use: IPv4, or IPv6 without an IPv4 address mapped into it. */
export interface Address {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
}

/** Networks of both families. */
export type Networks = readonly Network[];

interface Network {
  readonly family: Address['family'];
  /** Groups of 16 bits. */
  readonly groups: readonly number[];
  /** How many bits an address shares with it. */
  readonly prefix: number;
}

/** No address is longer: IPv6 with an IPv4 address at its end. */
const ADDRESS_MAX = 45;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV6 = /^[\da-f:]+(?:\d+\.\d+\.\d+\.\d+)?$/i;

/** An address in any spelling of its family, also with a zone; undefined for what is no address. */
export function parseAddress(text: string): Address | undefined {
  const bare = upTo(text, '%');
  if (bare.length > ADDRESS_MAX) return undefined;
  if (IPV4.test(bare)) return { address: bare, family: 'ipv4' };
  const address = bare.includes(':') && IPV6.test(bare) ? canonicalIpv6(bare) : undefined;
  if (address === undefined) return undefined;
  const groups = groupsOf({ address, family: 'ipv6' });
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return { address: ipv4Of(groups[6], groups[7]), family: 'ipv4' };
  return { address, family: 'ipv6' };
}

/** RFC 5952, as URLs write hosts; undefined for what is no address. */
function canonicalIpv6(text: string): string | undefined {
  return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
}

/** Networks from CIDR notation, which is taken to be right. */
export function networksOf(cidrs: readonly string[]): Networks {
  return cidrs.flatMap((cidr) => {
    const [text = '', prefix] = cidr.split('/');
    const address = parseAddress(text);
    if (address === undefined) return [];
    return [{ family: address.family, groups: groupsOf(address), prefix: Number(prefix) }];
  });
}

/** Whether an address lies in one of the networks. */
export function matches(networks: Networks, address: Address): boolean {
  const groups = groupsOf(address);
  return networks.some(
    (network) =>
      network.family === address.family &&
      network.groups.every((group, index) => {
        const bits = Math.min(Math.max(network.prefix - index * 16, 0), 16);
        const mask = (0xffff << (16 - bits)) & 0xffff;
        return (group & mask) === ((groups[index] ?? 0) & mask);
      }),
  );
}

/** An address's groups of 16 bits: two, or eight. */
export function groupsOf({ address, family }: Address): number[] {
  if (family === 'ipv4') {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  }
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...gap, ...after].map((group) => Number.parseInt(group, 16));
}

/** An IPv4 address from its halves. */
export function ipv4Of(high = 0, low = 0): string {
  return [(high >> 8) & 0xff, high & 0xff, (low >> 8) & 0xff, low & 0xff].join('.');
}
