/** Names made of digests: of a relay node, by its public key, so that no one can answer for another. */
import { calculateJwkThumbprint, type JWK } from 'jose';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * The node's UUID: the key's `kid` where that is a UUID, so that a node can change its key; else the
 * first 16 bytes of its public key's thumbprint (RFC 7638) as a UUID of version 8 (RFC 9562).
 * Audience of call tokens, and `gateway_node_uuid`.
 */
export async function nodeUuid(publicKey: JWK): Promise<string> {
  const { kid } = publicKey;
  if (typeof kid === 'string' && UUID.test(kid)) return kid;
  const thumbprint = await calculateJwkThumbprint(publicKey, 'sha256');
  const digest = Uint8Array.from(atob(thumbprint.replaceAll('-', '+').replaceAll('_', '/')), (c) =>
    c.charCodeAt(0),
  );
  return uuidOfDigest(digest);
}

/** The first 16 bytes of a digest as a UUID of version 8 (RFC 9562). */
export function uuidOfDigest(digest: Uint8Array): string {
  const bytes = digest.slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}
