/**
 * How an organization's audit entries are chained and the chain's head is signed: one code for
 * the gateway and for verifiers. Contract §13; RFC 8785, FIPS 180-4, RFC 8032, RFC 7638.
 */
import canonicalize from 'canonicalize';
import { base64url, calculateJwkThumbprint, type JWK } from 'jose';

/** An entry as `GET /audit` shows it; `seq` and `hash` are null until it is chained. */
export interface AuditEntry {
  readonly org_uuid: string;
  readonly seq: number | null;
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string;
  readonly actor: string;
  readonly action: string;
  readonly resource: string;
  readonly outcome: string;
  readonly address: string;
  readonly request_id: string;
  readonly details: object;
  readonly repeats: number;
  readonly hash: string | null;
}

/** A place in a chain: the entry of that number, and its hash; number 0 is before the first. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** A place in a chain as the gateway vouches for it. */
export interface SignedHead extends Link {
  /** When it was signed: ISO 8601, UTC, milliseconds. */
  readonly time: string;
  /** Thumbprint of the public key. RFC 7638. */
  readonly key_id: string;
  /** Ed25519 over the canonical form, base64url. */
  readonly signature: string;
}

/**
 * What a signature says about the entry: that it was the newest then, or that retention removed all
 * up to it. A signature of the first sort never counts as one of the second.
 */
export type HeadSort = 'newest' | 'removed';

/** Where every chain begins. */
export const START: Link = { seq: 0, hash: '0'.repeat(64) };

const encoder = new TextEncoder();
const ED25519 = { name: 'Ed25519' };

/**
 * SHA-256, in hexadecimal, of the canonical JSON of all the entry's members but `hash`, with its
 * number and the hash of the entry before it as `prev_hash`.
 * @throws Error when a text in it is not well-formed Unicode
 */
export async function linkOf(entry: AuditEntry, before: Link): Promise<Link> {
  const { hash: _hash, ...members } = entry;
  const seq = before.seq + 1;
  const bytes = canonical({ ...members, seq, prev_hash: before.hash });
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { seq, hash };
}

/**
 * Signs a place in an organization's chain.
 * @param key a private Ed25519 JWK
 * @param now Unix epoch milliseconds
 */
export async function signHead(
  key: JWK,
  orgUuid: string,
  { seq, hash }: Link,
  { sort, now }: { readonly sort: HeadSort; readonly now: number },
): Promise<SignedHead> {
  const head = { seq, hash, time: new Date(now).toISOString(), key_id: await keyIdOf(key) };
  const { kty = '', crv = '', x = '', d = '' } = key;
  const signing = await crypto.subtle.importKey('jwk', { kty, crv, x, d }, ED25519, false, [
    'sign',
  ]);
  const signature = await crypto.subtle.sign(ED25519, signing, signedBytes(orgUuid, head, sort));
  return { ...head, signature: base64url.encode(new Uint8Array(signature)) };
}

/** Whether one of these public keys signed the head for this organization, as of that sort. */
export async function isSigned(
  head: SignedHead,
  orgUuid: string,
  sort: HeadSort,
  keys: readonly JWK[],
): Promise<boolean> {
  for (const { kty = '', crv = '', x = '' } of keys) {
    if ((await keyIdOf({ kty, crv, x })) !== head.key_id) continue;
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, ED25519, false, ['verify']);
    const bytes = signedBytes(orgUuid, head, sort);
    return crypto.subtle.verify(ED25519, key, base64url.decode(head.signature), bytes);
  }
  return false;
}

/** What names a key in heads; of a private JWK, that of its public half. */
function keyIdOf({ kty = '', crv = '', x = '' }: JWK): Promise<string> {
  return calculateJwkThumbprint({ kty, crv, x });
}

/** `type` keeps these bytes apart from everything else that the gateway signs. */
function signedBytes(
  orgUuid: string,
  { seq, hash, time, key_id }: Omit<SignedHead, 'signature'>,
  sort: HeadSort,
) {
  return canonical({ type: `causeway.audit.${sort}`, org_uuid: orgUuid, seq, hash, time, key_id });
}

function canonical(value: object): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encoder.encode(canonicalize(value)));
}
