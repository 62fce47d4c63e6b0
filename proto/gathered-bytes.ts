/** Bytes that come in pieces, however small these are. */

/** Pieces below this are copied together, in bytes: each by itself would take more than it holds. */
const SMALL_MAX = 2_048;
const BLOCK_BYTES = 16_384;

/** Keeps pieces in order until they are taken as one; memory is that of the bytes, each copied twice at most. */
export class GatheredBytes {
  /** Bytes kept. */
  length = 0;
  #pieces: Uint8Array[] = [];
  #block: Uint8Array | undefined;
  /** Bytes of the block that are in use. */
  #used = 0;

  add(piece: Uint8Array): void {
    this.length += piece.byteLength;
    if (piece.byteLength > SMALL_MAX) {
      this.#seal();
      this.#pieces.push(piece);
      return;
    }
    if (this.#used + piece.byteLength > BLOCK_BYTES) this.#seal();
    this.#block ??= new Uint8Array(BLOCK_BYTES);
    this.#block.set(piece, this.#used);
    this.#used += piece.byteLength;
  }

  /** All bytes as one; nothing is kept after. */
  take(): Uint8Array {
    this.#seal();
    const { length } = this;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.length = 0;
    const [only] = pieces;
    if (only !== undefined && pieces.length === 1) return only;
    const whole = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  }

  #seal(): void {
    if (this.#block === undefined || this.#used === 0) return;
    this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
