/** How a relay signs what it sends to the gateway, and how that is checked: one code for both programs. Spec: nodes.md §1. */
import { base64url, type JWK } from 'jose';
import { INSTANCE_HEADER } from './node-health.ts';

/** Request headers of a signed request, and the reply header with the nonce for the next one. */
export const NODE_HEADERS = {
  /** The process that asks: a UUID of its own. */
  instance: INSTANCE_HEADER,
  /** What the gateway gave last; each serves once. */
  nonce: 'Causeway-Nonce',
  /** Ed25519 in base64url. */
  signature: 'Causeway-Signature',
} as const;

/** What is signed of a request. */
interface SignedRequest {
  readonly method: string;
  /** From the root, without a query: `/api/v1/nodes/<uuid>/beat`. */
  readonly path: string;
  readonly instance: string;
  /** Empty where there is none. */
  readonly body: Uint8Array;
  readonly nonce: string;
}

const ED25519 = { name: 'Ed25519' };
/** Of a signature. RFC 8032 §5.1.6 */
const SIGNATURE_BYTES = 64;
const encoder = new TextEncoder();

/** The signature of a request, by a private Ed25519 JWK. */
export async function signRequest(key: JWK, request: SignedRequest): Promise<string> {
  const { kty = '', crv = '', x = '', d = '' } = key;
  const own = await crypto.subtle.importKey('jwk', { kty, crv, x, d }, ED25519, false, ['sign']);
  const signature = await crypto.subtle.sign(ED25519, own, await signedText(request));
  return base64url.encode(new Uint8Array(signature));
}

/** Whether the signature is of this request, by the holder of a public Ed25519 JWK. */
export async function isSigned(
  key: JWK,
  request: SignedRequest,
  signature: string,
): Promise<boolean> {
  const { kty = '', crv = '', x = '' } = key;
  const theirs = await crypto.subtle.importKey('jwk', { kty, crv, x }, ED25519, false, ['verify']);
  const bytes = bytesOf(signature);
  // The edge runtime throws at another length.
  if (bytes?.byteLength !== SIGNATURE_BYTES) return false;
  return crypto.subtle.verify(ED25519, theirs, bytes, await signedText(request));
}

/** No part can hold a line break, so no two requests have one text. */
async function signedText({
  method,
  path,
  instance,
  body,
  nonce,
}: SignedRequest): Promise<Uint8Array<ArrayBuffer>> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(body));
  const lines = ['causeway-node', method, path, instance, nonce];
  const text = lines.map((each) => each.replaceAll('\n', ' '));
  return new Uint8Array(
    encoder.encode([...text, base64url.encode(new Uint8Array(digest))].join('\n')),
  );
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(base64url.decode(text));
  } catch {
    return undefined; // No base64url.
  }
}
