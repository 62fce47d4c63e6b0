/** How calls are shared among the parts of a relay: several processes, so that what ends one leaves the others. */

/**
 * Request header that names whose call it is: the organization's UUID, and on a node that serves
 * one organization alone the endpoint's. All calls of one key reach one part.
 */
export const PART_HEADER = 'Causeway-Part';

/** Request header with the id of the endpoint that a call is about: the relay's log names it by that. */
export const ENDPOINT_HEADER = 'Causeway-Endpoint';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Index of the part that serves a key, from 0. Gateway and relay compute it alike: the gateway may
 * have a way to each part. FNV-1a of 32 bits, because keys are random already.
 */
export function partOf(key: string, parts: number): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), FNV_PRIME);
  }
  return (hash >>> 0) % parts;
}
