/** Puts a long text together in pieces, so that it is many runs of characters and not as many objects as it has parts. */

import type { Pieces } from './work/pieces.ts';

/** UTF-16 code units of a piece, which takes about a millisecond to make of short values. */
const PIECE = 16 * 1024;
/** Every text has one. */
const START = /^/;

/**
 * The same text, as one run of characters: what was put together of many small texts stays made of them until it is searched.
 * Of a large value these are as many objects as it has members, alive until the end, and to join them is one long piece.
 */
export function flat(text: string): string {
  return START.test(text) ? text : '';
}

/** Writes a long text. */
export type LongWriter = (out: LongText) => Pieces<void>;

/** A long text in the making. */
export class LongText {
  /** Code units after which whoever writes gives way. */
  readonly perPiece: number;
  readonly #taker: ((piece: string) => void) | undefined;
  readonly #pieces: string[] = [];
  #text = '';

  /** @param taker is given each piece once it is full; without one they are kept */
  constructor(perPiece = PIECE, taker?: (piece: string) => void) {
    this.perPiece = perPiece;
    this.#taker = taker;
  }

  /** Whether a piece is full, so that it is time to give way. */
  add(text: string): boolean {
    this.#text += text;
    if (this.#text.length < this.perPiece) return false;
    this.end();
    return true;
  }

  /** What was added and kept, in its order. */
  get pieces(): readonly string[] {
    this.end();
    return this.#pieces;
  }

  /** What was added since the last piece is one, however short. */
  end(): void {
    if (this.#text === '') return;
    const piece = flat(this.#text);
    this.#text = '';
    if (this.#taker) this.#taker(piece);
    else this.#pieces.push(piece);
  }
}
