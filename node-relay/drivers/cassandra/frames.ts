/** Cuts what a server sends into frames: each is judged by its head before its body is kept. Source: CQL binary protocol v4, section 2. */
import { ReplyFault, ReplyTooLarge } from './bytes.ts';

/** The version of the protocol that is spoken: the newest that the driver writes, and the oldest with markers that may be left unset. */
export const PROTOCOL = 4;

/** Direction, version, flags, stream, opcode, length. */
const HEAD_BYTES = 9;
const RESPONSE = 0x80 | PROTOCOL;
/** Tracing, custom payload, warnings; compression is never agreed on. */
const FLAGS = 0x02 | 0x04 | 0x08;

/** A server's messages. */
export const Opcode = {
  error: 0x00,
  ready: 0x02,
  authenticate: 0x03,
  result: 0x08,
  authChallenge: 0x0e,
  authSuccess: 0x10,
} as const;
const OPCODES = new Set<number>(Object.values(Opcode));

/** A message of the server's. */
export interface Frame {
  readonly opcode: number;
  readonly flags: number;
  readonly body: Buffer;
}

/**
 * Frames of one connection, on which there is one question at a time: it has the stream 0, and
 * nothing is answered that was not asked, no event either.
 */
export class Frames {
  /** Bytes that the next body may have. */
  max: number;
  /** A question waits for its answer. */
  awaited = false;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headLength = 0;
  #body: Buffer | undefined;
  #bodyLength = 0;

  constructor(max: number) {
    this.max = max;
  }

  /**
   * Takes a piece of what the server sent; the frame that it ended, if any.
   * @throws ReplyFault, ReplyTooLarge
   */
  push(piece: Buffer): Frame | undefined {
    let at = 0;
    if (this.#headLength < HEAD_BYTES) {
      at = piece.copy(this.#head, this.#headLength, 0, HEAD_BYTES - this.#headLength);
      this.#headLength += at;
      if (!this.awaited) throw new ReplyFault('nothing was asked');
      if (this.#headLength < HEAD_BYTES) return undefined;
      this.#judge(piece.subarray(at));
    }
    const body = this.#filled(piece, at);
    if (body === undefined) return undefined;
    this.#headLength = 0;
    this.#body = undefined;
    this.awaited = false;
    return { opcode: this.#head.readUInt8(4), flags: this.#head.readUInt8(1), body };
  }

  #judge(start: Buffer): void {
    const head = this.#head;
    const isOurs =
      head[0] === RESPONSE &&
      ((head[1] ?? 0) & ~FLAGS) === 0 &&
      head.readInt16BE(2) === 0 &&
      OPCODES.has(head.readUInt8(4));
    if (!isOurs) throw new ReplyFault('the head is none of an answer');
    this.#bodyLength = 0;
    if (head.readUInt32BE(5) > this.max) throw new ReplyTooLarge(start, head.readUInt8(1));
  }

  /** The body once it is whole: of one piece without a copy. */
  #filled(piece: Buffer, at: number): Buffer | undefined {
    const length = this.#head.readUInt32BE(5);
    const missing = length - this.#bodyLength;
    const here = piece.length - at;
    if (here > missing) throw new ReplyFault('more was sent than an answer');
    if (this.#body === undefined) {
      if (here === length) return piece.subarray(at);
      this.#body = Buffer.allocUnsafeSlow(length);
    }
    this.#bodyLength += piece.copy(this.#body, this.#bodyLength, at);
    return this.#bodyLength === length ? this.#body : undefined;
  }
}
