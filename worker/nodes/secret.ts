/** Secrets that relays enrol with. */
import { base64url } from 'jose';
import { digestOf } from '../secrets/digest.ts';

const LIFETIME_MS = 3_600_000;
const SECRET_BYTES = 32;
const encoder = new TextEncoder();

/** A secret that serves once within an hour, and what is stored of it. */
export async function newSecret(now: number) {
  const random = base64url.encode(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
  const secret = `cwn_${random}`;
  const enrolmentDigest = await secretDigest(secret);
  return { secret, stored: { enrolmentDigest, enrolmentExpiresAt: now + LIFETIME_MS } };
}

/** Under which a secret is stored: of 256 random bits, it says nothing about them. */
export function secretDigest(secret: string): Promise<string> {
  return digestOf(encoder.encode(secret));
}
