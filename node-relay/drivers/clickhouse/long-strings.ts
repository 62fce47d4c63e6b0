/** Finds the long strings of a reply's rows ahead of reading them, in pieces: in one they would hold the thread. */
import type { Pieces } from '../../../proto/work/pieces.ts';

/** Characters of a string that is told. */
const LONG = 16 * 1024;
/** Characters that are looked at between two pauses. */
const PIECE = 64 * 1024;
const [QUOTE, BACKSLASH, LETTER_U] = [0x22, 0x5c, 0x75];
const HEX_DIGITS = 4;
const ESCAPED = new Set(Array.from('"\\/bfnrt', (each) => each.charCodeAt(0)));

/** Of each long string whose escapes are those of JSON: behind its closing quote, by its opening one. */
export type StringEnds = ReadonlyMap<number, number>;

/** Looks through JSON texts, or whatever else there is. */
export function* longStringsIn(text: string): Pieces<StringEnds> {
  const ends = new Map<number, number>();
  let pause = PIECE;
  for (let start = text.indexOf('"'); start >= 0; ) {
    let at = start + 1;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
      at += code === BACKSLASH ? escapeAt(text, at) : 1;
      if (at >= text.length) return ends;
      if (at <= pause) continue;
      pause = at + PIECE;
      yield;
    }
    if (at - start > LONG) ends.set(start, at + 1);
    start = text.indexOf('"', at + 1);
  }
  return ends;
}

/** How long the escape is; of none as long as the rest: what is no JSON has no strings. */
function escapeAt(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  if (ESCAPED.has(code)) return 2;
  if (code !== LETTER_U) return text.length;
  for (let digit = at + 2; digit < at + 2 + HEX_DIGITS; digit += 1) {
    if (!isHexDigit(text.charCodeAt(digit))) return text.length;
  }
  return 2 + HEX_DIGITS;
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
