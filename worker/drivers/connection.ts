/** Seals what leads to a backend, so that only the relay that is meant can open it. */
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import type { ConnectionEnvelope } from '../../proto/driver.ts';
import type { Node } from './node.ts';

type EncryptionKey = Awaited<ReturnType<typeof importJWK>>;

const keys = new WeakMap<JWK, EncryptionKey>();
const encoder = new TextEncoder();

/** A connection as compact JWE to the node's key: ECDH-ES, A256GCM. RFC 7516, RFC 7518 §4.6. */
export async function sealConnection(node: Node, envelope: ConnectionEnvelope): Promise<string> {
  return new CompactEncrypt(encoder.encode(JSON.stringify(envelope)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(await publicKey(node.publicKey));
}

async function publicKey(jwk: JWK): Promise<EncryptionKey> {
  const known = keys.get(jwk);
  if (known) return known;
  const key = await importJWK(jwk, 'ECDH-ES');
  keys.set(jwk, key);
  return key;
}
