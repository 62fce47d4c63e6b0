/** Bytes as the server writes them: in hex, or escaped where a caller has set `bytea_output` so. Source: PostgreSQL's documentation, "Binary Data Types". */
import { base64Of, bytesOfHex } from '../../../proto/bytes.ts';
import { type LongEncoder, longBytes } from '../../long-values.ts';

const HEX = '\\x';
const BACKSLASH = 0x5c;
/** Bytes that are written at once: base64 has no padding between pieces. */
const PIECE = 3 * 8 * 1024;

/** Base64 as JSON text. */
export function byteaToJson(text: string): string {
  return `"${base64Of(text.startsWith(HEX) ? bytesOfHex(text.slice(2)) : escaped(text, 0).bytes)}"`;
}

/** The same of a long value, in pieces. */
export const longBytea: LongEncoder = function* (text, out) {
  if (text.startsWith(HEX)) return yield* longBytes(text, out);
  out.add('"');
  for (let at = 0; at < text.length; ) {
    const { bytes, next } = escaped(text, at, PIECE);
    out.add(base64Of(bytes));
    at = next;
    yield;
  }
  out.add('"');
};

/** Reads from a place on: a backslash is doubled, or has the byte in three octal digits behind it; all else is ASCII. */
function escaped(text: string, from: number, most = text.length) {
  const bytes = new Uint8Array(Math.min(most, text.length - from));
  let [at, count] = [from, 0];
  while (at < text.length && count < most) {
    const code = text.charCodeAt(at);
    const isDoubled = code === BACKSLASH && text.charCodeAt(at + 1) === BACKSLASH;
    const isOctal = code === BACKSLASH && !isDoubled;
    bytes[count] = isOctal ? Number.parseInt(text.slice(at + 1, at + 4), 8) : code;
    at += isOctal ? 4 : isDoubled ? 2 : 1;
    count += 1;
  }
  return { bytes: bytes.subarray(0, count), next: at };
}
