/** Cuts what a server sends into replies: each is judged by its head before its body is kept. Source: MongoDB manual, "MongoDB Wire Protocol". */
import { BsonCheck } from './check-bson.ts';
import { ReplyFault, ReplyTooLarge } from './reply-fault.ts';

/** Length, own number, number of the request, opcode. */
const HEAD_BYTES = 16;
const OP_REPLY = 1;
const OP_MSG = 2013;
/** Bytes before the document: of `OP_MSG` flags and the section's kind; of `OP_REPLY` flags, cursor, start and count. */
const BEFORE: { readonly [opcode: number]: number } = { [OP_MSG]: 5, [OP_REPLY]: 20 };
const EMPTY_DOCUMENT = 5;

/** A request that waits for its reply. */
interface Awaited {
  readonly requestId: number;
  /** Bytes that the reply may have. */
  readonly max: number;
  /** The caller checks the documents of the cursor's batch. */
  readonly leavesBatch: boolean;
}

/**
 * Replies on one connection, to one request at a time; nothing is answered that was not asked.
 * Compression is never agreed on.
 */
export class Replies {
  awaited: Awaited | undefined;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headLength = 0;
  #whole: Buffer | undefined;
  #length = 0;

  /**
   * Takes a piece of what the server sent; the reply that it ended, if any.
   * @throws ReplyFault, ReplyTooLarge
   */
  push(piece: Buffer): Buffer | undefined {
    const { awaited } = this;
    if (awaited === undefined) throw new ReplyFault('Nothing was asked');
    let at = 0;
    if (this.#headLength < HEAD_BYTES) {
      at = piece.copy(this.#head, this.#headLength, 0, HEAD_BYTES - this.#headLength);
      this.#headLength += at;
      if (this.#headLength < HEAD_BYTES) return undefined;
      this.#judge(awaited);
    }
    const whole = this.#filled(piece, at);
    if (whole === undefined) return undefined;
    this.#headLength = 0;
    this.#whole = undefined;
    this.awaited = undefined;
    check(whole, awaited);
    return whole;
  }

  #judge({ requestId, max }: Awaited): void {
    const head = this.#head;
    const length = head.readInt32LE(0);
    const before = BEFORE[head.readInt32LE(12)];
    if (before === undefined || head.readInt32LE(8) !== requestId) {
      throw new ReplyFault('The head is none of a reply');
    }
    if (length < HEAD_BYTES + before + EMPTY_DOCUMENT)
      throw new ReplyFault('The reply is too short');
    if (length > max) throw new ReplyTooLarge(`A reply has ${length} bytes`);
  }

  /** The reply once it is whole: of one piece without a copy. */
  #filled(piece: Buffer, at: number): Buffer | undefined {
    const length = this.#head.readInt32LE(0);
    if (this.#whole === undefined) {
      if (piece.length === length && at === HEAD_BYTES) return piece;
      this.#whole = Buffer.allocUnsafeSlow(length);
      this.#length = this.#head.copy(this.#whole);
    }
    if (piece.length - at > length - this.#length) throw new ReplyFault('More than a reply came');
    this.#length += piece.copy(this.#whole, this.#length, at);
    return this.#length === length ? this.#whole : undefined;
  }
}

/** @throws ReplyFault unless it is one document and nothing else */
function check(reply: Buffer, { leavesBatch }: Awaited): void {
  const opcode = reply.readInt32LE(12);
  const start = HEAD_BYTES + (BEFORE[opcode] ?? 0);
  const isOne =
    opcode === OP_MSG
      ? // No checksum, no more to come; a section of one document.
        reply.readUInt32LE(16) === 0 && reply[20] === 0
      : reply.readInt32LE(32) === 1;
  if (!isOne) throw new ReplyFault('A reply is one document');
  if (new BsonCheck(reply, leavesBatch).document(start, reply.length) !== reply.length) {
    throw new ReplyFault('There is more than a document');
  }
}
