/** Key pairs in the text form of all settings: a JWK as JSON. RFC 7517. */
import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Failure } from './failure.ts';

/** Settings that hold a private key, and what each is. */
const PRIVATE_KEYS = {
  GATEWAY_KEY: { algorithm: 'EdDSA', kty: 'OKP', crv: 'Ed25519' },
  RELAY_NODE_KEY: { algorithm: 'ECDH-ES', kty: 'EC', crv: 'P-256' },
  RELAY_SIGNING_KEY: { algorithm: 'EdDSA', kty: 'OKP', crv: 'Ed25519' },
} as const;
type PrivateKeyName = keyof typeof PRIVATE_KEYS;

/**
 * A new private key.
 * @param kid of a relay's key the UUID of its node, where that is not made of the key itself
 */
export async function newPrivateKey(setting: PrivateKeyName, kid?: string): Promise<string> {
  const { algorithm, crv } = PRIVATE_KEYS[setting];
  const { privateKey } = await generateKeyPair(algorithm, { crv, extractable: true });
  const key = await exportJWK(privateKey);
  return JSON.stringify(kid === undefined ? key : { ...key, kid });
}

/** Members of a JWK that are no secret, for the key types in use. Source: RFC 7518 §6.2.1, RFC 8037 §2. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'kid'] as const;

/**
 * The public half of a private key.
 * @throws Failure naming the setting when it holds no such key
 */
export function publicHalf(setting: PrivateKeyName, privateKey: string): string {
  const key = parseJwk(privateKey);
  if (key?.d === undefined || key.kty !== PRIVATE_KEYS[setting].kty) {
    throw new Failure(`${setting} is not a private JWK of its type; see --help.`);
  }
  const members = PUBLIC_MEMBERS.filter((member) => key[member] !== undefined);
  return JSON.stringify(Object.fromEntries(members.map((member) => [member, key[member]])));
}

/** Whether the text is a whole private key of the setting. */
export function isPrivateKey(setting: PrivateKeyName, key: string): boolean {
  try {
    return publicHalf(setting, key) !== '';
  } catch {
    return false;
  }
}

/** Names a key without telling it: each is made of 256 random bits. */
export function keyDigest(key: string): string {
  return createHash('sha256').update(`causeway key\0${key.trim()}`).digest('hex').slice(0, 16);
}

function parseJwk(text: string): JWK | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
