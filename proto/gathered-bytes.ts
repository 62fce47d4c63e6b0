/** Bytes that come in pieces, however small these are. */

/** Pieces below this are joined when there are some of them, in bytes: each by itself takes more than it holds. */
const SMALL_MAX = 2_048;
const SMALL_COUNT = 64;

/** Keeps pieces in order until they are taken as one; each byte is copied twice at most. */
export class GatheredBytes {
  /** Bytes kept. */
  length = 0;
  #pieces: Uint8Array[] = [];
  /** How many of the last pieces are small, and their bytes together. */
  #small = 0;
  #smallBytes = 0;

  add(piece: Uint8Array): void {
    this.length += piece.byteLength;
    this.#pieces.push(piece);
    if (piece.byteLength > SMALL_MAX) {
      this.#small = 0;
      this.#smallBytes = 0;
      return;
    }
    this.#small += 1;
    this.#smallBytes += piece.byteLength;
    if (this.#small < SMALL_COUNT) return;
    const whole = joined(this.#pieces.splice(-SMALL_COUNT), this.#smallBytes);
    this.#pieces.push(whole);
    // What is small still is joined again with the next.
    this.#small = whole.byteLength > SMALL_MAX ? 0 : 1;
    this.#smallBytes = this.#small * whole.byteLength;
  }

  /** All bytes as one; nothing is kept after. */
  take(): Uint8Array {
    const pieces = this.#pieces;
    const { length } = this;
    this.#pieces = [];
    this.length = 0;
    this.#small = 0;
    this.#smallBytes = 0;
    const [only] = pieces;
    return only !== undefined && pieces.length === 1 ? only : joined(pieces, length);
  }
}

/** Pieces as one. @param length of all together */
export function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
