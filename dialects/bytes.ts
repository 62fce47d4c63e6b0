/** Bytes as hexadecimal digits and as base64, the same in both programs. */

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** Characters that one call may be given as arguments. */
const PIECE_BYTES = 8_192;

/** Two lower-case digits a byte. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Bytes of an even number of digits, of either case. */
export function bytesOfHex(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(digits.length >> 1);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (digitAt(digits, 2 * at) << 4) | digitAt(digits, 2 * at + 1);
  }
  return bytes;
}

/** With padding. */
export function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES));
  }
  return btoa(binary);
}

/** Bytes of base64 in either alphabet, padded or not; a last character alone holds no byte. @throws DOMException for text that is none */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const bare = text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  const binary = atob(bare.length % 4 === 1 ? bare.slice(0, -1) : bare);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function digitAt(digits: string, at: number): number {
  const code = digits.charCodeAt(at);
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57;
}
