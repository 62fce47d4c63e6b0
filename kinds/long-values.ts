/** Writes long values as JSON text in pieces: in one they would hold the thread. */
import { base64Of, bytesOfHex } from '../proto/bytes.ts';
import { isJsonInPieces } from '../proto/is-json.ts';
import type { LongText } from '../proto/long-text.ts';
import type { Pieces } from '../proto/work/pieces.ts';
import { isEscaped, onOneLine } from './json-forms.ts';

/** Writes the server's text of one long value as JSON text. */
export type LongEncoder = (text: string, out: LongText) => Pieces<void>;

/** As `JSON.stringify` writes a text. */
export function* longString(text: string, out: LongText): Pieces<void> {
  out.add('"');
  for (const piece of slices(text, out.perPiece)) {
    out.add(JSON.stringify(piece).slice(1, -1));
    yield;
  }
  out.add('"');
}

/** As `jsonOrString` writes a text. */
export function* longJson(text: string, out: LongText): Pieces<void> {
  if (!(yield* isJsonInPieces(text, Number.POSITIVE_INFINITY))) {
    yield* longString(text, out);
    return;
  }
  for (const piece of slices(text, out.perPiece)) {
    out.add(onOneLine(piece));
    yield;
  }
}

/** As `plainString` writes a text. */
export function* longPlain(text: string, out: LongText): Pieces<void> {
  if (isEscaped(text)) {
    yield* longString(text, out);
    return;
  }
  out.add('"');
  for (const piece of slices(text, out.perPiece)) {
    out.add(piece);
    yield;
  }
  out.add('"');
}

/** Pieces of so many code units; the halves of a surrogate pair stay together. */
function* slices(text: string, length: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = from + length;
    const isPair = isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end));
    const piece = text.slice(from, isPair ? end + 1 : end);
    yield piece;
    from += piece.length;
  }
}

/** Digits of bytes that are written at once: three bytes are four characters of base64. */
const DIGITS = 6 * 8192;

/** Of `\x` and two digits a byte, the bytes as base64. */
export function* longBytes(text: string, out: LongText): Pieces<void> {
  out.add('"');
  for (let from = 2; from < text.length; from += DIGITS) {
    out.add(base64Of(bytesOfHex(text.slice(from, from + DIGITS))));
    yield;
  }
  out.add('"');
}

/** What cannot be divided, as one piece. */
export function undividedLong(encode: (text: string) => string): LongEncoder {
  return function* (text, out) {
    out.add(encode(text));
    yield;
  };
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
