/** Cuts what a streaming server sends into messages; of those that are too large only the beginning is kept. Source: PostgreSQL manual, "Message Formats". */
import { Unreadable } from '../../loss.ts';

/** A letter, and a length that counts itself. */
const HEAD = 5;
const LENGTH_BYTES = 4;
/** Of a message that is too large: enough to know what it is. */
const BEGINNING_BYTES = 64;

/** A message; `whole` is false where only its beginning was kept. */
export interface Piece {
  readonly letter: number;
  readonly body: Buffer;
  readonly whole: boolean;
}

/** Takes chunks and gives messages. */
export class MessageCutter {
  readonly #max: number;
  #chunks: Buffer[] = [];
  #have = 0;
  /** Bytes of a message that is too large, still to come. */
  #skip = 0;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** Whether bytes are left that were not given out. */
  get has(): boolean {
    return this.#have > 0;
  }

  /** Takes what has come. */
  give(chunk: Buffer): void {
    const skipped = Math.min(this.#skip, chunk.length);
    this.#skip -= skipped;
    const rest = chunk.subarray(skipped);
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#have += rest.length;
  }

  /** The next message; undefined until more has come. @throws Unreadable */
  next(): Piece | undefined {
    if (this.#have < HEAD) return undefined;
    const head = this.#joined(HEAD);
    const letter = head.readUInt8(0);
    const length = head.readUInt32BE(1) - LENGTH_BYTES;
    if (length < 0) throw new Unreadable('a length less than its own');
    if (length > this.#max) return this.#beginning(letter, length);
    if (this.#have < HEAD + length) return undefined;
    const body = this.#joined(HEAD + length).subarray(HEAD, HEAD + length);
    this.#drop(HEAD + length);
    return { letter, body, whole: true };
  }

  #beginning(letter: number, length: number): Piece | undefined {
    const wanted = Math.min(length, BEGINNING_BYTES);
    if (this.#have < HEAD + wanted) return undefined;
    const body = Buffer.from(this.#joined(HEAD + wanted).subarray(HEAD, HEAD + wanted));
    const there = Math.min(this.#have, HEAD + length);
    this.#drop(there);
    this.#skip = HEAD + length - there;
    return { letter, body, whole: false };
  }

  /** The first chunk, made to hold so many bytes: a message in many chunks is joined once. */
  #joined(bytes: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= bytes) return first;
    const joined = Buffer.concat(this.#chunks, this.#have);
    this.#chunks = [joined];
    return joined;
  }

  #drop(bytes: number): void {
    let left = bytes;
    while (left > 0) {
      const first = this.#chunks[0] ?? Buffer.alloc(0);
      if (first.length > left) this.#chunks[0] = first.subarray(left);
      else this.#chunks.shift();
      left -= Math.min(left, first.length);
    }
    this.#have -= bytes;
  }
}
