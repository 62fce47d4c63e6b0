/** Finds the ends of HTTP/1.1 replies in what a socket brings, without making text of their bodies. */

const [CR, LF, COLON, SEMICOLON] = [0x0d, 0x0a, 0x3a, 0x3b];
const LOWER_CASE = 0x20;
const OK = Buffer.from('HTTP/1.1 200');
/** Bytes of a head; longer ones are a fault. */
const HEAD_MAX = 64 * 1024;
/** Of a reply that is no 200, what is told of it. */
const TOLD_MAX = 600;
const LENGTH = Buffer.from('content-length');
const ENCODING = Buffer.from('transfer-encoding');
const CHUNKED = 'chunked';

/** Where in a reply the next byte stands. */
type Place = 'head' | 'body' | 'size' | 'extension' | 'chunk' | 'chunk end' | 'trailer';

/** Counts whole replies of one connection. Takes bodies of a given length and chunked ones. */
export class Replies {
  #place: Place = 'head';
  /** Bytes of a head that is not whole yet. */
  #kept: Buffer | undefined;
  /** Bytes of the body or of the chunk that have not come yet. */
  #left = 0;
  #size = 0;
  /** Bytes of the line of a trailer. */
  #line = 0;

  /**
   * Takes what has come; answers how many replies it has ended.
   * @throws Error at a reply that is not 200, or has no length
   */
  take(piece: Uint8Array): number {
    let bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    if (this.#kept !== undefined) {
      bytes = Buffer.concat([this.#kept, bytes]);
      this.#kept = undefined;
    }
    let ended = 0;
    let at = 0;
    while (at < bytes.length) {
      const next = this.#step(bytes, at);
      if (next < 0) break;
      at = next;
      if (this.#isWhole) {
        ended += 1;
        this.#isWhole = false;
        this.#place = 'head';
      }
    }
    return ended;
  }

  #isWhole = false;

  /** Goes on at a byte; answers where to go on next, or -1 when more has to come first. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#place) {
      case 'head':
        return this.#head(bytes, at);
      case 'body':
      case 'chunk': {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        if (this.#left === 0) {
          if (this.#place === 'body') this.#isWhole = true;
          else this.#place = 'chunk end';
        }
        return at + taken;
      }
      case 'chunk end':
        if (bytes[at] === LF) this.#place = 'size';
        return at + 1;
      case 'trailer':
        return this.#trailer(bytes, at);
      case 'size':
      case 'extension':
        return this.#sizeLine(bytes, at);
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = headEnd(bytes, at);
    if (end < 0) {
      if (bytes.length - at > HEAD_MAX) throw new Error('The head of a reply does not end');
      // A copy: the socket's buffer is used again.
      this.#kept = Buffer.from(bytes.subarray(at));
      return -1;
    }
    if (!startsWith(bytes, at, OK)) {
      throw new Error(`Not a 200: ${bytes.toString('latin1', at, at + TOLD_MAX)}`);
    }
    this.#lengthOf(bytes, at, end);
    return end;
  }

  /** Reads the lines of a head; a client would read them all, but these two decide. */
  #lengthOf(bytes: Buffer, start: number, end: number): void {
    for (let at = lineEnd(bytes, start); at < end - 2; at = lineEnd(bytes, at)) {
      if (isNamed(bytes, at, LENGTH)) {
        this.#left = decimal(bytes, at + LENGTH.length + 1);
        if (this.#left === 0) this.#isWhole = true;
        this.#place = 'body';
        return;
      }
      if (!isNamed(bytes, at, ENCODING)) continue;
      const value = bytes.toString('latin1', at + ENCODING.length + 1, lineEnd(bytes, at)).trim();
      if (value.toLowerCase() !== CHUNKED) throw new Error(`Transfer-Encoding: ${value}`);
      this.#place = 'size';
      this.#size = 0;
      return;
    }
    throw new Error('The reply has no length');
  }

  #sizeLine(bytes: Buffer, at: number): number {
    const byte = bytes[at] ?? 0;
    if (byte === LF) {
      this.#left = this.#size;
      this.#place = this.#size === 0 ? 'trailer' : 'chunk';
      this.#size = 0;
      this.#line = 0;
    } else if (byte === SEMICOLON) this.#place = 'extension';
    else if (byte !== CR && this.#place === 'size') this.#size = this.#size * 16 + hex(byte);
    return at + 1;
  }

  /** Lines up to an empty one. */
  #trailer(bytes: Buffer, at: number): number {
    const byte = bytes[at];
    if (byte === LF) {
      if (this.#line === 0) this.#isWhole = true;
      this.#line = 0;
    } else if (byte !== CR) this.#line += 1;
    return at + 1;
  }
}

/** Where the head that begins at a byte ends; -1 where it does not. */
function headEnd(bytes: Buffer, start: number): number {
  const end = bytes.indexOf('\r\n\r\n', start, 'latin1');
  return end < 0 ? -1 : end + 4;
}

/** Where the next line begins. */
function lineEnd(bytes: Buffer, at: number): number {
  return bytes.indexOf(LF, at) + 1;
}

function startsWith(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let index = 0; index < wanted.length; index += 1) {
    if (bytes[at + index] !== wanted[index]) return false;
  }
  return true;
}

/** Whether a line is of the header with that name, in lower case. */
function isNamed(bytes: Buffer, at: number, name: Buffer): boolean {
  if (bytes[at + name.length] !== COLON) return false;
  for (let index = 0; index < name.length; index += 1) {
    if (((bytes[at + index] ?? 0) | LOWER_CASE) !== ((name[index] ?? 0) | LOWER_CASE)) return false;
  }
  return true;
}

function decimal(bytes: Buffer, start: number): number {
  let value = 0;
  for (let at = start; ; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) value = value * 10 + byte - 0x30;
    else if (byte !== LOWER_CASE && byte !== 0x09) return value;
  }
}

/** @throws Error for what is no hexadecimal digit */
function hex(byte: number): number {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  if (Number.isNaN(digit)) throw new Error('The size of a chunk is no number');
  return digit;
}
