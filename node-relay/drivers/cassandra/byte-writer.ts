/** Bytes that are written one after another into one buffer, which grows. */

const FIRST_BYTES = 256;

export class ByteWriter {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  write(bytes: Uint8Array): void {
    const at = this.#take(bytes.byteLength);
    this.#buffer.set(bytes, at);
  }

  /** Writes a signed integer; answers its place, for `setInt32`. */
  int32(value: number): number {
    const at = this.#take(4);
    this.#buffer.writeInt32BE(value, at);
    return at;
  }

  /** Writes an integer anew. @param at as `int32` answered */
  setInt32(at: number, value: number): void {
    this.#buffer.writeInt32BE(value, at);
  }

  /** All that was written. Nothing may be written any more. */
  take(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #take(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#buffer.byteLength) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, 2 * this.#buffer.byteLength));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    return at;
  }
}
