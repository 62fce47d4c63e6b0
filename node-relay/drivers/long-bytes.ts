/** Writes long values as JSON text in pieces, from the bytes in which servers send them: in one they would hold the thread. */
import { longJson } from '../../kinds/long-values.ts';
import type { LongText } from '../../proto/long-text.ts';
import type { Pieces } from '../../proto/work/pieces.ts';

/** Writes the bytes of one long value as JSON text. */
export type LongEncoder = (bytes: Buffer, out: LongText) => Pieces<void>;

/** Bytes that are written at once: three are four characters of base64. */
const PIECE_BYTES = 3 * 8192;

/** Writes the text that they are in UTF-8 as `JSON.stringify` does. @param took is told how many characters a piece has */
export function longUtf8(took: (characters: number) => void = () => {}): LongEncoder {
  return longString(function* (bytes) {
    for (const piece of textsOf(bytes)) yield JSON.stringify(piece).slice(1, -1);
  }, took);
}

/** Writes them as base64. @param took as of `longUtf8` */
export function longBase64(took: (characters: number) => void = () => {}): LongEncoder {
  return longString(function* (bytes) {
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      yield bytes.toString('base64', from, Math.min(from + PIECE_BYTES, bytes.length));
    }
  }, took);
}

/** Writes the text that they are in UTF-8 as `jsonOrString` does. */
export function* longJsonBytes(bytes: Buffer, out: LongText): Pieces<void> {
  const texts: string[] = [];
  for (const piece of textsOf(bytes)) {
    texts.push(piece);
    yield;
  }
  yield* longJson(texts.join(''), out);
}

function longString(
  piecesOf: (bytes: Buffer) => Generator<string>,
  took: (characters: number) => void,
): LongEncoder {
  return function* (bytes, out) {
    out.add('"');
    for (const piece of piecesOf(bytes)) {
      took(piece.length);
      out.add(piece);
      yield;
    }
    out.add('"');
  };
}

/** Pieces of the text, which part no character. */
function* textsOf(bytes: Buffer): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    yield decoder.decode(bytes.subarray(from, from + PIECE_BYTES), { stream: true });
  }
  yield decoder.decode();
}
