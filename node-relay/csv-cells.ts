/** The bytes of cells of CSV in the making: of a cell no more is kept than has come. RFC 4180 */

const [QUOTE, BACKSLASH, COMMA, CR, LF] = [0x22, 0x5c, 0x2c, 0x0d, 0x0a];
/** No byte makes more than two; what an earlier piece has left adds a few. */
const GROWTH = 2;
const LEFT_BYTES = 16;
const OPENING_QUOTE = Buffer.from('"');

/** What a cell is quoted for (RFC 4180 §2), and where a text's bytes are no longer its own. */
const isMark = new Uint8Array(256);
for (const code of [QUOTE, COMMA, CR, LF, BACKSLASH]) isMark[code] = 1;

/** Writes cells; each piece that comes is begun and ended. */
export class Cells {
  #out = Buffer.alloc(0);
  #length = 0;
  /** What is whole before `#out`. */
  #parts: Buffer[] = [];
  /** Where the cell begins in `#out`, and what came of it in earlier pieces while nobody knew whether it is quoted. */
  #cell = 0;
  #held: Buffer[] = [];
  #isQuoted = false;

  /** Makes room for what bytes of rows become. */
  begin(bytes: number): void {
    this.#out = Buffer.allocUnsafe(bytes * GROWTH + LEFT_BYTES);
    this.#length = 0;
    this.#cell = 0;
  }

  /** What was written since then. @param isInCell whether a cell goes on in the next piece */
  end(isInCell: boolean): Buffer[] {
    const isOpen = isInCell && !this.#isQuoted;
    const whole = isOpen ? this.#cell : this.#length;
    if (whole > 0) this.#parts.push(this.#out.subarray(0, whole));
    // It is copied: of a short cell the whole piece would be kept.
    if (isOpen && this.#length > whole) {
      this.#held.push(Buffer.from(this.#out.subarray(whole, this.#length)));
    }
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  beginCell(): void {
    this.#cell = this.#length;
    this.#isQuoted = false;
  }

  endCell(): void {
    if (this.#isQuoted) this.put(QUOTE);
    else this.#letGo();
  }

  /** Quotes a text that is empty: nothing at all is NULL. */
  quoteEmpty(): void {
    if (this.#length === this.#cell && this.#held.length === 0) this.#quote();
  }

  /** Copies up to the next mark. */
  run(bytes: Uint8Array, from: number): number {
    const out = this.#out;
    let length = this.#length;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] as number; // Within its length.
      if (isMark[byte] === 1) break;
      out[length] = byte;
      length += 1;
    }
    this.#length = length;
    return at;
  }

  character(code: number): void {
    if (code < 0x80) this.content(code);
    else if (code < 0x800) {
      this.put(0xc0 | (code >> 6));
      this.put(0x80 | (code & 0x3f));
    } else {
      if (code < 0x1_0000) this.put(0xe0 | (code >> 12));
      else {
        this.put(0xf0 | (code >> 18));
        this.put(0x80 | ((code >> 12) & 0x3f));
      }
      this.put(0x80 | ((code >> 6) & 0x3f));
      this.put(0x80 | (code & 0x3f));
    }
  }

  /** A byte of a cell, for which it may have to be quoted. */
  content(byte: number): void {
    if (isMark[byte] === 1 && byte !== BACKSLASH) {
      this.#quote();
      if (byte === QUOTE) this.put(QUOTE);
    }
    this.put(byte);
  }

  #quote(): void {
    if (this.#isQuoted) return;
    this.#isQuoted = true;
    if (this.#held.length > 0) {
      // It began in an earlier piece, so that nothing else is before it in this one.
      this.#parts.push(OPENING_QUOTE);
      this.#letGo();
    } else {
      this.#out.copyWithin(this.#cell + 1, this.#cell, this.#length);
      this.#out[this.#cell] = QUOTE;
      this.#length += 1;
    }
  }

  #letGo(): void {
    for (const each of this.#held) this.#parts.push(each);
    this.#held = [];
  }

  put(byte: number): void {
    this.#out[this.#length] = byte;
    this.#length += 1;
  }
}
