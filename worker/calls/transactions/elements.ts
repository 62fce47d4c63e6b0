/** The elements of a JSON array as the texts that they were written as. */
import type { Pieces } from '../../../proto/work/pieces.ts';

/** Characters that are looked at between two pauses. */
const PIECE = 64 * 1024;
/** What decides where an element ends, and what may hide it. */
const SIGN = /["[\]{},]/g;
const DEEPER: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** @param text of an array that is known to be JSON */
export function* elementsInPieces(text: string): Pieces<string[]> {
  const elements: string[] = [];
  const take = (from: number, to: number) => {
    if (to > from) elements.push(text.slice(from, to).trim());
  };
  let [depth, from, at, pause] = [0, 1, 0, PIECE];
  for (;;) {
    SIGN.lastIndex = at;
    const { 0: sign, index = 0 } = SIGN.exec(text) ?? {};
    if (sign === undefined) return elements;
    at = sign === '"' ? endOfText(text, index) : index + 1;
    depth += DEEPER[sign] ?? 0;
    if (depth === 0 || (depth === 1 && sign === ',')) {
      take(from, index);
      from = at;
    }
    if (at < pause) continue;
    pause = at + PIECE;
    yield;
  }
}

/** Behind the quote that ends the text that begins there. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (end < 0 || backslashes % 2 === 0) return end < 0 ? text.length : end + 1;
  }
}
