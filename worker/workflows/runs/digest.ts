/** A digest that is there at once, within a transaction. */
import { createHash } from 'node:crypto';

const encoder = new TextEncoder();

/** SHA-256, in hexadecimal digits. */
export function digestNow(text: string): string {
  return createHash('sha256').update(encoder.encode(text)).digest('hex');
}

/** The same of bytes that come one after another. */
export function startDigest() {
  return createHash('sha256');
}
