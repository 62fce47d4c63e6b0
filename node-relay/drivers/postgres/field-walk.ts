/** Walks along a row that is too large to keep, and finds the value that makes it so. Source: PostgreSQL manual, "DataRow". */

const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/** One row, taken piece by piece. */
export class FieldWalk {
  /** Bytes walked. */
  at = 0;
  readonly #max: number;
  #column = -1;
  /** Where the next length is. */
  #next = COUNT_BYTES;
  #length = 0;

  /** @param max of a value, in bytes */
  constructor(max: number) {
    this.#max = max;
  }

  /** The column, from 0, whose value is longer than the most, once its length is there. */
  take(piece: Buffer): number | undefined {
    const end = this.at + piece.length;
    while (this.#next + LENGTH_BYTES <= end || this.at < end) {
      if (this.at < this.#next) this.at = Math.min(this.#next, end);
      // Its bytes may come in different pieces.
      for (; this.at < end && this.at < this.#next + LENGTH_BYTES; this.at += 1) {
        const byte = piece[this.at - (end - piece.length)] ?? 0;
        this.#length = ((this.#length << 8) | byte) >>> 0;
      }
      if (this.at < this.#next + LENGTH_BYTES) return undefined;
      this.#column += 1;
      const length = this.#length | 0;
      if (length > this.#max) return this.#column;
      this.#next += LENGTH_BYTES + Math.max(0, length);
      this.#length = 0;
    }
    return undefined;
  }
}
