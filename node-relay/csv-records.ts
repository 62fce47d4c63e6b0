/** Writes the bytes of rows as those of CSV, wherever they are cut: each byte is looked at once, and of a cell no more is kept than has come. */
import { Cells } from './csv-cells.ts';

const [QUOTE, BACKSLASH, COMMA, CR, LF, SMALL_N, SMALL_U] = [
  0x22, 0x5c, 0x2c, 0x0d, 0x0a, 0x6e, 0x75,
];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [HIGH_FIRST, LOW_FIRST, LOW_LAST] = [0xd800, 0xdc00, 0xdfff];
/** What UTF-8 has for half of a surrogate pair. */
const REPLACEMENT = 0xfffd;

/** What an escape of one letter stands for. */
const ESCAPES = new Uint8Array(256);
for (const [letter, byte] of Object.entries({ b: 8, t: 9, n: 10, f: 12, r: 13 })) {
  ESCAPES[letter.charCodeAt(0)] = byte;
}

/** Of one with four digits. */
const ESCAPE_BYTES = 6;

/** Of a hexadecimal digit; letters of either case have 1 to 6 in their last bits. */
function digitOf(byte: number): number {
  return byte < 0x40 ? byte & 0xf : (byte & 0x7) + 9;
}

type State =
  | 'row'
  | 'value'
  | 'text'
  | 'half'
  | 'escape'
  | 'code'
  | 'null'
  | 'other'
  | 'inner text'
  | 'inner escape'
  | 'behind'
  | 'end';

/** Rows that come in pieces, cut anywhere: each a line with a list. */
export class Records {
  readonly #cells = new Cells();
  #state: State = 'row';
  #depth = 0;
  /** Of an escape: its digits so far, their value, and the half of a pair that was before it. */
  #digits = 0;
  #code = 0;
  #high = 0;

  /** What the next bytes of lines add: one buffer, where no cell of an earlier piece was kept. */
  take(bytes: Uint8Array): Buffer[] {
    this.#cells.begin(bytes.length);
    for (let at = 0; at < bytes.length; ) at = this.#step(bytes, at);
    return this.#cells.end(this.#isInCell());
  }

  #isInCell(): boolean {
    switch (this.#state) {
      case 'row':
      case 'value':
      case 'null':
      case 'behind':
      case 'end':
        return false;
      default:
        return true;
    }
  }

  /** Goes on from a place, and answers up to where. */
  #step(bytes: Uint8Array, at: number): number {
    switch (this.#state) {
      case 'text':
        return this.#text(bytes, at);
      case 'inner text':
        return this.#innerText(bytes, at);
      case 'other':
        return this.#other(bytes, at);
      case 'half':
        return this.#half(bytes, at);
      case 'null':
      case 'behind':
        return this.#behind(bytes[at] ?? 0, at);
      default:
        this.#one(bytes[at] ?? 0);
        return at + 1;
    }
  }

  #one(byte: number): void {
    switch (this.#state) {
      case 'row':
        this.#state = 'value';
        break;
      case 'value':
        this.#begin(byte);
        break;
      case 'escape':
        this.#escape(byte);
        break;
      case 'code':
        this.#digit(byte);
        break;
      case 'inner escape':
        this.#cells.content(byte);
        this.#state = 'inner text';
        break;
      default:
        this.#state = 'row'; // Behind the line's end.
    }
  }

  #begin(byte: number): void {
    this.#cells.beginCell();
    if (byte === QUOTE) this.#state = 'text';
    else if (byte === CLOSE_LIST) this.#endRecord();
    else if (byte === SMALL_N) this.#state = 'null';
    else {
      this.#depth = 0;
      this.#state = 'other';
      if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth = 1;
      this.#cells.put(byte);
    }
  }

  #text(bytes: Uint8Array, from: number): number {
    let at = this.#cells.run(bytes, from);
    // Of a text of many escapes nothing but these.
    for (let end = this.#wholeEscape(bytes, at); end > at; end = this.#wholeEscape(bytes, at)) {
      at = this.#cells.run(bytes, end);
    }
    if (at === bytes.length) return at;
    const byte = bytes[at] ?? 0;
    if (byte === BACKSLASH) this.#state = 'escape';
    else if (byte === QUOTE) {
      this.#cells.quoteEmpty();
      this.#endCell();
    } else this.#cells.content(byte);
    return at + 1;
  }

  /** Behind an escape that is whole, and no half of a pair; the same place where there is none. */
  #wholeEscape(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== BACKSLASH) return at;
    const letter = bytes[at + 1];
    if (letter === undefined) return at;
    if (letter !== SMALL_U) {
      this.#cells.content(ESCAPES[letter] || letter);
      return at + 2;
    }
    const end = at + ESCAPE_BYTES;
    if (end > bytes.length) return at;
    let code = 0;
    for (let digit = at + 2; digit < end; digit += 1) code = code * 16 + digitOf(bytes[digit] ?? 0);
    if (code >= HIGH_FIRST && code <= LOW_LAST) return at;
    this.#cells.character(code);
    return end;
  }

  #innerText(bytes: Uint8Array, from: number): number {
    const at = this.#cells.run(bytes, from);
    if (at === bytes.length) return at;
    const byte = bytes[at] ?? 0;
    this.#cells.content(byte);
    if (byte === QUOTE) this.#state = 'other';
    else if (byte === BACKSLASH) this.#state = 'inner escape';
    return at + 1;
  }

  /** In a number, a word, a list or an object. */
  #other(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (this.#depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
      this.#endCell();
      return at;
    }
    this.#cells.content(byte);
    if (byte === QUOTE) this.#state = 'inner text';
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth -= 1;
    return at + 1;
  }

  #escape(letter: number): void {
    if (letter === SMALL_U) {
      this.#digits = 0;
      this.#code = 0;
      this.#state = 'code';
      return;
    }
    this.#endHalf();
    this.#state = 'text';
    this.#cells.content(ESCAPES[letter] || letter);
  }

  #digit(byte: number): void {
    this.#code = this.#code * 16 + digitOf(byte);
    this.#digits += 1;
    if (this.#digits < 4) return;
    this.#state = 'text';
    const code = this.#code;
    const isLow = code >= LOW_FIRST && code <= LOW_LAST;
    if (isLow && this.#high !== 0) {
      this.#cells.character(0x1_0000 + ((this.#high - HIGH_FIRST) << 10) + (code - LOW_FIRST));
      this.#high = 0;
      return;
    }
    this.#endHalf();
    if (code < HIGH_FIRST || code > LOW_LAST) this.#cells.character(code);
    else if (isLow) this.#cells.character(REPLACEMENT);
    else {
      this.#high = code;
      this.#state = 'half';
    }
  }

  /** Behind the first half of a pair: only an escape can be the other. */
  #half(bytes: Uint8Array, at: number): number {
    if (bytes[at] === BACKSLASH) {
      this.#state = 'escape';
      return at + 1;
    }
    this.#endHalf();
    this.#state = 'text';
    return at;
  }

  #endHalf(): void {
    if (this.#high === 0) return;
    this.#high = 0;
    this.#cells.character(REPLACEMENT);
  }

  #endCell(): void {
    this.#cells.endCell();
    this.#state = 'behind';
  }

  #behind(byte: number, at: number): number {
    if (byte === COMMA) {
      this.#cells.put(COMMA);
      this.#state = 'value';
    } else if (byte === CLOSE_LIST) this.#endRecord();
    return at + 1;
  }

  #endRecord(): void {
    this.#cells.put(CR);
    this.#cells.put(LF);
    this.#state = 'end';
  }
}
