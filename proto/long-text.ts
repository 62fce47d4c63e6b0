/** Puts a long text together in pieces, so that it is many runs of characters and not as many objects as it has parts. */

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

/** A long text in the making. */
export class LongText {
  /** Code units after which whoever writes gives way. */
  readonly perPiece: number;
  readonly #pieces: string[] = [];
  #text = '';

  constructor(perPiece = PIECE) {
    this.perPiece = perPiece;
  }

  /** Whether a piece is full, so that it is time to give way. */
  add(text: string): boolean {
    this.#text += text;
    if (this.#text.length < this.perPiece) return false;
    this.#cut();
    return true;
  }

  /** What was added, in its order. */
  get pieces(): readonly string[] {
    this.#cut();
    return this.#pieces;
  }

  #cut(): void {
    if (this.#text === '') return;
    this.#pieces.push(flat(this.#text));
    this.#text = '';
  }
}
