/** How long the messages of a Connect stream are, as they arrive. Source: connectrpc.com/docs/protocol, "Streaming". */

import { Code, ConnectError } from '@connectrpc/connect';

/** One byte of flags, four of length. */
const HEAD_BYTES = 5;
/** Of the message that ends the stream: JSON, read at once. */
const IS_END = 0b10;

/** Follows one stream. */
export class Messages {
  /** Bytes that are still to come of the message at hand. */
  #left = 0;
  /** All of it. */
  #length = 0;
  readonly #head = new Uint8Array(HEAD_BYTES);
  #headBytes = 0;
  readonly #endMax: number;

  /** @param endMax bytes of the message that ends the stream */
  constructor(endMax: number) {
    this.#endMax = endMax;
  }

  /** Takes a part of the stream; answers the length of the message that it leaves open, 0 for none. @throws ConnectError for an end that is too large */
  take(part: Uint8Array): number {
    for (let at = 0; at < part.byteLength; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, part.byteLength - at);
        this.#left -= taken;
        at += taken;
        continue;
      }
      this.#head[this.#headBytes] = part[at] ?? 0;
      this.#headBytes += 1;
      at += 1;
      if (this.#headBytes < HEAD_BYTES) continue;
      this.#headBytes = 0;
      this.#length = new DataView(this.#head.buffer).getUint32(1);
      this.#left = this.#length;
      const isEnd = ((this.#head[0] ?? 0) & IS_END) !== 0;
      if (isEnd && this.#length > this.#endMax)
        throw new ConnectError('too large', Code.ResourceExhausted);
    }
    return this.#left > 0 ? this.#length : 0;
  }
}
