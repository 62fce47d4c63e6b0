/** Tokens of password resets: 256 random bits; only a digest of them is kept. */

import { base64url } from 'jose';
import { textDigest } from '../secrets/digest.ts';

/** How long a reset can be completed. Contract §3. */
const RESET_LIFETIME_MS = 30 * 60 * 1000;
const TOKEN_BYTES = 32;

/** A token to send, and what is stored of it. */
interface ResetToken {
  readonly token: string;
  readonly tokenDigest: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Makes a token that lives 30 minutes. */
export async function newResetToken(now: number): Promise<ResetToken> {
  const token = base64url.encode(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
  return { token, tokenDigest: await textDigest(token), expiresAt: now + RESET_LIFETIME_MS };
}
