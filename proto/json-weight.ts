/** How long a JSON text is without what may be left out, told before it is parsed. */
import type { Pieces } from './work/pieces.ts';

const [TAB, LINE, RETURN, SPACE, QUOTE, BACKSLASH, LOWER_U] = [
  0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5c, 0x75,
];
/** Bytes of `\n` and of `\u000a`. */
const [SHORT_ESCAPE, LONG_ESCAPE] = [2, 6];
/** Bytes that are looked at between two pauses. */
const PIECE = 256 * 1024;

/**
 * Whether a text has more bytes than `most`, white space between values not counted and each escape as one: its compact
 * form is then longer as well. Of what is no JSON it says nothing of use, and ends all the same.
 */
export function* isHeavierThan(bytes: Uint8Array, most: number): Pieces<boolean> {
  if (bytes.byteLength <= most) return false;
  let counted = 0;
  let isText = false;
  let pause = PIECE;
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const byte = bytes[at];
    if (isText || !isBlank(byte)) counted += 1;
    if (counted > most) return true;
    if (byte === QUOTE) isText = !isText;
    else if (byte === BACKSLASH) at += escapedBehind(bytes[at + 1]);
    if (at < pause) continue;
    pause = at + PIECE;
    yield;
  }
  return false;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE || byte === RETURN || byte === TAB;
}

/** Bytes of an escape behind its backslash. */
function escapedBehind(first: number | undefined): number {
  return (first === LOWER_U ? LONG_ESCAPE : SHORT_ESCAPE) - 1;
}
