/** How an API key is written, and what is kept of it. Spec: keys-and-doors.md §1, "Form". */
import { crc32 } from './crc32.ts';

const PREFIX = 'cwk_';
const RANDOM_BYTES = 32;
const BODY_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = /^cwk_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const encoder = new TextEncoder();

/** Whether a bearer token says that it is an API key, whatever is wrong with it. */
export function isKeyLike(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** Whether a text is one that `writeKey` could have made: its checksum is right. */
export function isWhole(token: string): boolean {
  const [, body, checksum] = KEY.exec(token) ?? [];
  return body !== undefined && checksumOf(body) === checksum;
}

/** A new key, which is told once. */
export function newKey(): string {
  return writeKey(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}

/** The key of 32 bytes. */
export function writeKey(bytes: Uint8Array): string {
  const body = inBase62(
    bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n),
    BODY_LENGTH,
  );
  return PREFIX + body + checksumOf(body);
}

function checksumOf(body: string): string {
  return inBase62(BigInt(crc32(encoder.encode(body))), CHECKSUM_LENGTH);
}

/** Filled with `0` on the left. */
function inBase62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
