/** Escapes in strings of the server's JSON. RFC 8259 §7. */

const LETTER_U = 0x75;
const HEX_DIGITS = 4;
const ESCAPED = new Set(Array.from('"\\/bfnrt', (each) => each.charCodeAt(0)));

/** Characters of the escape whose backslash is there; undefined where it is none. */
export function escapeLength(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at + 1);
  if (ESCAPED.has(code)) return 2;
  if (code !== LETTER_U) return undefined;
  for (let digit = at + 2; digit < at + 2 + HEX_DIGITS; digit += 1) {
    if (!isHexDigit(text.charCodeAt(digit))) return undefined;
  }
  return 2 + HEX_DIGITS;
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
