/** Finds the long strings of a reply's rows ahead of reading them, in pieces: in one they would hold the thread. */
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { escapeLength } from './escapes.ts';

/** Characters of a string that is told. */
const LONG = 16 * 1024;
/** Characters that are looked at between two pauses. */
const PIECE = 64 * 1024;
/** Characters as long as a string takes besides its own. */
const STRING = 8;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Of each long string whose escapes are those of JSON: behind its closing quote, by its opening one. */
export type StringEnds = ReadonlyMap<number, number>;

/** Looks through JSON texts, or whatever else there is: what follows an escape that is none is not looked at. @param long as tests choose it */
export function* longStringsIn(text: string, long = LONG): Pieces<StringEnds> {
  const ends = new Map<number, number>();
  const pace = new Pace(PIECE);
  for (let start = text.indexOf('"'); start >= 0; ) {
    let at = start + 1;
    while (text.charCodeAt(at) !== QUOTE) {
      const length = lengthAt(text, at);
      if (length === undefined) return ends;
      at += length;
      if (pace.isOver(length)) yield;
    }
    if (at - start > long) ends.set(start, at + 1);
    if (pace.isOver(STRING)) yield;
    start = text.indexOf('"', at + 1);
  }
  return ends;
}

/** Of a character or an escape; undefined where there is none. */
function lengthAt(text: string, at: number): number | undefined {
  if (at >= text.length) return undefined;
  return text.charCodeAt(at) === BACKSLASH ? escapeLength(text, at) : 1;
}
