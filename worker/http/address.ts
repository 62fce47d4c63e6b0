/** The caller's address, from the one source that clients cannot write to. */

/** The header that the front of a self-hosted gateway writes; it removes what clients send under it. */
export const PEER_HEADER = 'X-Causeway-Peer';

/** What is used when nothing trustworthy says. */
const UNKNOWN = 'unknown';

/**
 * The caller's address. `peer` is the setting PEER:
 * `local`: bound to loopback, every caller is this machine;
 * `front:<secret>`: the front wrote `X-Causeway-Peer: <secret> <address>`;
 * `header:<name>`: a proxy named by TRUSTED_PROXY wrote the header's last entry;
 * empty: the deployed platform, which writes CF-Connecting-IP itself.
 */
export function addressOf(headers: Headers, peer: string): string {
  if (peer === 'local') return 'local';
  if (peer.startsWith('front:')) return fromFront(headers, peer.slice('front:'.length));
  if (peer.startsWith('header:')) return lastEntry(headers.get(peer.slice('header:'.length)));
  return headers.get('CF-Connecting-IP') ?? UNKNOWN;
}

function fromFront(headers: Headers, secret: string): string {
  const [proof, address] = (headers.get(PEER_HEADER) ?? '').split(' ');
  return proof === secret && address ? address : UNKNOWN;
}

function lastEntry(list: string | null): string {
  const last = list?.split(',').at(-1)?.trim();
  return last === undefined || last === '' ? UNKNOWN : last;
}
