/** Cuts what a streaming server sends into payloads; of those that are too large only the beginning is kept. Source: MySQL Internals, "MySQL Packets". */

const HEAD = 4;
/** Bytes of a packet that another of the same payload follows. */
const PART_MAX = 0xff_ff_ff;
/** Of a payload that is too large: enough to know what it is. */
const BEGINNING_BYTES = 64;

/** A payload; `whole` is false where only its beginning was kept. */
export interface Piece {
  readonly payload: Buffer;
  readonly whole: boolean;
}

/** Takes chunks and gives payloads. */
export class PacketCutter {
  readonly #max: number;
  #chunks: Buffer[] = [];
  #have = 0;
  /** Of the payload under way: what is kept, and how long it is so far. */
  #parts: Buffer[] = [];
  #size = 0;
  /** Of its last packet: bytes that are still to come; undefined before its head. */
  #left: number | undefined;
  /** Another packet of the payload follows that one. */
  #goesOn = false;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** Whether bytes are left that were not given out. */
  get has(): boolean {
    return this.#have > 0 || this.#left !== undefined || this.#goesOn;
  }

  /** Takes what has come. */
  give(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
  }

  /** The next payload; undefined until more has come. */
  next(): Piece | undefined {
    for (;;) {
      if (this.#left === undefined) {
        if (this.#have < HEAD) return undefined;
        const length = Buffer.concat(this.#take(HEAD)).readUIntLE(0, 3);
        this.#left = length;
        this.#goesOn = length === PART_MAX;
      }
      const there = Math.min(this.#left, this.#have);
      this.#keep(this.#take(there));
      this.#size += there;
      this.#left -= there;
      if (this.#left > 0) return undefined;
      this.#left = undefined;
      if (!this.#goesOn) return this.#piece();
    }
  }

  #piece(): Piece {
    const [first = Buffer.alloc(0), ...more] = this.#parts;
    const piece = {
      payload: more.length === 0 ? first : Buffer.concat(this.#parts),
      whole: this.#size <= this.#max,
    };
    this.#parts = [];
    this.#size = 0;
    return piece;
  }

  /** Keeps parts of the payload, while it is not too large. */
  #keep(parts: readonly Buffer[]): void {
    if (this.#size > this.#max) return;
    this.#parts.push(...parts);
    const size = parts.reduce((sum, { length }) => sum + length, this.#size);
    if (size <= this.#max) return;
    const beginning = Buffer.concat(this.#parts, BEGINNING_BYTES);
    this.#parts = [beginning];
  }

  /** The first `size` bytes, which have arrived. */
  #take(bytes: number): Buffer[] {
    const taken: Buffer[] = [];
    let left = bytes;
    while (left > 0) {
      const [first] = this.#chunks;
      if (first === undefined) break;
      taken.push(first.subarray(0, left));
      if (first.length > left) this.#chunks[0] = first.subarray(left);
      else this.#chunks.shift();
      left -= Math.min(left, first.length);
    }
    this.#have -= bytes;
    return taken;
  }
}
