/** Whether a delivery was signed by who knows a secret. Spec: workflows.md §5, `webhook`. */
import type { WebhookTrigger } from '../../workflows/definition/trigger-tree.ts';
import { type Header, keyBytes, readClaim } from './schemes.ts';

/** Seconds that the sender's clock may be off, either way. Spec: workflows.md §5. */
const TOLERANCE_S = 300;
const encoder = new TextEncoder();

/** A delivery as it came. */
interface Signed {
  readonly header: Header;
  readonly bytes: Uint8Array;
  /** Unix epoch milliseconds. */
  readonly now: number;
}

/** What a trigger says about its deliveries' signatures; its secrets are clear. */
export type Trusted = Omit<WebhookTrigger['authentication'], 'id'>;

/**
 * What is wrong with the signature of a delivery; undefined where it is right. Every secret is
 * compared with every signature, in constant time, whichever fits.
 */
export async function faultOfSignature(
  { secrets, ...authentication }: Trusted,
  { header, bytes, now }: Signed,
): Promise<string | undefined> {
  const claim = readClaim(authentication, header);
  if ('fault' in claim) return claim.fault;
  const { hash, signatures, prefix, signedAt } = claim;
  if (signedAt !== undefined && Math.abs(now / 1000 - signedAt) > TOLERANCE_S) {
    return `The delivery was signed more than ${TOLERANCE_S} seconds from now: look at the sender's clock`;
  }
  const signed = joined(encoder.encode(prefix), bytes);
  let isRight = false;
  for (const secret of secrets) {
    const right = await hmacOf(hash, keyBytes(authentication.scheme, secret), signed);
    for (const signature of signatures) {
      const isSame = crypto.subtle.timingSafeEqual(right, signature);
      isRight = isSame || isRight;
    }
  }
  return isRight ? undefined : 'The signature does not match';
}

async function hmacOf(hash: string, key: Uint8Array, signed: Uint8Array): Promise<ArrayBuffer> {
  const algorithm = { name: 'HMAC', hash };
  const made = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return crypto.subtle.sign('HMAC', made, signed);
}

function joined(prefix: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (prefix.byteLength === 0) return bytes;
  const whole = new Uint8Array(prefix.byteLength + bytes.byteLength);
  whole.set(prefix);
  whole.set(bytes, prefix.byteLength);
  return whole;
}
