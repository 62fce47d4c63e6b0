/** Whether bytes are the BSON document that they say they are: every length within what it is in. Source: bsonspec.org. */
import { ReplyFault } from './reply-fault.ts';

/** Documents inside each other. Source: MongoDB, `maxBSONDepth`, at most 250. */
export const DEPTH_MAX = 250;
/** The length, and the zero at the end. */
const EMPTY_BYTES = 5;

/** Bytes of values of fixed length. */
const FIXED: { readonly [type: number]: number } = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};

/** Looks at documents of one reply. */
export class BsonCheck {
  readonly #bytes: Buffer;
  /** The documents of a cursor's batch are checked by their own reader. */
  readonly #leavesBatch: boolean;

  constructor(bytes: Buffer, leavesBatch = false) {
    this.#bytes = bytes;
    this.#leavesBatch = leavesBatch;
  }

  /** Looks at the document from `start`, which ends at `limit` at the latest. @returns its end @throws ReplyFault */
  document(start: number, limit: number, depth = 0, path = ''): number {
    const end = this.#sized(start, limit, depth);
    let at = start + 4;
    while (at < end - 1) {
      const type = this.#bytes[at] ?? 0;
      const nameEnd = this.#text(at + 1, end - 1);
      const name = this.#leavesBatch && depth < 2 ? this.#name(at + 1, nameEnd) : '';
      at = this.#value(type, nameEnd, end - 1, depth, name && `${path}.${name}`);
    }
    if (at !== end - 1) throw new ReplyFault('A document has not the length that it tells');
    return end;
  }

  #value(type: number, at: number, limit: number, depth: number, path: string): number {
    const fixed = FIXED[type];
    if (fixed !== undefined) return this.#within(at + fixed, limit);
    switch (type) {
      case 0x03:
      case 0x04:
        if (type === 4 && BATCHES.has(path)) return this.#batch(at, limit, depth + 1);
        return this.document(at, limit, depth + 1, path);
      case 0x02:
      case 0x0d:
      case 0x0e:
        return this.#string(at, limit);
      case 0x05:
        return this.#binary(at, limit);
      case 0x0b:
        return this.#text(this.#text(at, limit), limit);
      case 0x0c:
        return this.#within(this.#string(at, limit) + 12, limit);
      case 0x0f: {
        const end = this.document(this.#string(at + 4, limit), limit, depth + 1);
        if (this.#size(at, limit) !== end - at) throw new ReplyFault('Code has another length');
        return end;
      }
      default:
        throw new ReplyFault(`BSON has no type ${type}`);
    }
  }

  /** Documents one after another; only their borders are looked at. */
  #batch(start: number, limit: number, depth: number): number {
    const end = this.#sized(start, limit, depth);
    let at = start + 4;
    while (at < end - 1) {
      if (this.#bytes[at] !== 3) throw new ReplyFault('A batch holds documents');
      at = this.#sized(this.#text(at + 1, end - 1), end - 1, depth + 1);
    }
    if (at !== end - 1) throw new ReplyFault('A batch has not the length that it tells');
    return end;
  }

  #sized(start: number, limit: number, depth: number): number {
    if (depth > DEPTH_MAX) throw new ReplyFault('Documents are too deep');
    const size = this.#size(start, limit);
    const end = this.#within(start + size, limit);
    if (size < EMPTY_BYTES || this.#bytes[end - 1] !== 0) {
      throw new ReplyFault('A document does not end where it says');
    }
    return end;
  }

  #string(at: number, limit: number): number {
    const size = this.#size(at, limit);
    const end = this.#within(at + 4 + size, limit);
    if (size < 1 || this.#bytes[end - 1] !== 0) throw new ReplyFault('A text does not end');
    return end;
  }

  #binary(at: number, limit: number): number {
    const size = this.#size(at, limit);
    const end = this.#within(at + 5 + size, limit);
    if (size < 0) throw new ReplyFault('Bytes have a length');
    // The old binary carries its length twice.
    if (this.#bytes[at + 4] === 2 && (size < 4 || this.#size(at + 5, limit) !== size - 4)) {
      throw new ReplyFault('Bytes have two lengths');
    }
    return end;
  }

  /** The place after a text that ends in a zero. */
  #text(at: number, limit: number): number {
    const end = this.#bytes.indexOf(0, at);
    if (end < 0) throw new ReplyFault('A text does not end');
    return this.#within(end + 1, limit);
  }

  #name(at: number, end: number): string {
    return end - at < NAME_MAX ? this.#bytes.toString('latin1', at, end - 1) : '';
  }

  #size(at: number, limit: number): number {
    this.#within(at + 4, limit);
    return this.#bytes.readInt32LE(at);
  }

  #within(end: number, limit: number): number {
    if (end > limit) throw new ReplyFault('A value is longer than what it is in');
    return end;
  }
}

/** Paths of a cursor's documents. */
const BATCHES = new Set(['.cursor.firstBatch', '.cursor.nextBatch']);
const NAME_MAX = 16;
