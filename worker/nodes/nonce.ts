/**
 * Nonces that relays sign with. Nothing is kept of those given, so that asking for many takes no
 * room and takes none from anybody; those used are kept by the node's object until they expire.
 */
import { keyedDigest } from '../secrets/digest.ts';
import type { Settings } from '../settings.ts';

/** Life of a nonce in milliseconds; a relay beats far more often. Spec silent. */
const LIFETIME_MS = 5 * 60 * 1000;
const PURPOSE = 'nodes: nonce';
const encoder = new TextEncoder();

type Keys = Pick<Settings, 'INSTALLATION_KEY' | 'INSTALLATION_KEY_PREVIOUS'>;

/** A nonce for one request of this node. */
export async function newNonce(settings: Keys, nodeUuid: string, now: number): Promise<string> {
  const text = `${(now + LIFETIME_MS).toString(36)}.${crypto.randomUUID()}`;
  return `${text}.${await sealOf(settings.INSTALLATION_KEY, nodeUuid, text)}`;
}

/** When a nonce expires, in Unix epoch milliseconds; undefined when it is not one of this node, or has expired. */
export async function expiryOf(
  settings: Keys,
  nodeUuid: string,
  nonce: string,
  now: number,
): Promise<number | undefined> {
  const [expires = '', random = '', seal = ''] = nonce.split('.');
  const expiresAt = Number.parseInt(expires, 36);
  if (!(expiresAt > now) || nonce.length > 200) return undefined;
  for (const key of [settings.INSTALLATION_KEY, settings.INSTALLATION_KEY_PREVIOUS]) {
    if (key === undefined) continue;
    // What is compared is a keyed digest: how long that takes says nothing about the key.
    if ((await sealOf(key, nodeUuid, `${expires}.${random}`)) === seal) return expiresAt;
  }
  return undefined;
}

function sealOf(key: string, nodeUuid: string, text: string): Promise<string> {
  return keyedDigest(key, PURPOSE, encoder.encode(`${nodeUuid}\n${text}`));
}
