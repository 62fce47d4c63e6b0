/** Digests, as names of what they are of: open ones, and ones that reveal nothing without the installation's key. */
import { base64url } from 'jose';

const encoder = new TextEncoder();

/** SHA-256, in hexadecimal digits. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', bytes));
}

/**
 * HMAC-SHA-256 in hexadecimal digits, under a key derived from `installationKey` for this
 * `purpose` alone (HKDF, RFC 5869).
 */
export async function keyedDigest(
  installationKey: string,
  purpose: string,
  bytes: Uint8Array,
): Promise<string> {
  const raw = base64url.decode(installationKey);
  const root = await crypto.subtle.importKey('raw', raw, 'HKDF', false, ['deriveKey']);
  const key = await crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(purpose) },
    root,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign'],
  );
  return hex(await crypto.subtle.sign('HMAC', key, bytes));
}

function hex(digest: ArrayBuffer): string {
  const bytes = new Uint8Array(digest);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** SHA-256 of a text, in base64url. */
export async function textDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return base64url.encode(new Uint8Array(digest));
}
