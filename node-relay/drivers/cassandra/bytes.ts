/** Reads what a server wrote, and nothing besides it: a length that does not fit is a fault of the reply. */

/** A reply that breaks the protocol. Its connection ends with it. */
export class ReplyFault extends Error {
  override readonly name = 'ReplyFault';
}

/** A reply that is larger than the call may answer; its body was not read. */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge';
  /** What of the body had come with its head. */
  readonly start: Buffer;
  readonly flags: number;
  /** The column whose value it is, where that is known. */
  column: string | undefined;

  constructor(start: Buffer, flags: number) {
    super('The reply is too large');
    this.start = start;
    this.flags = flags;
  }
}

/** Reads numbers and texts after each other. Source: CQL binary protocol v4, section 3. */
export class ReplyReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** What was not read yet, without a copy. */
  rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  /** `[byte]`. @throws ReplyFault */
  byte(): number {
    return this.#bytes.readUInt8(this.#pass(1));
  }

  /** `[short]`. @throws ReplyFault */
  short(): number {
    return this.#bytes.readUInt16BE(this.#pass(2));
  }

  /** `[int]`. @throws ReplyFault */
  int(): number {
    return this.#bytes.readInt32BE(this.#pass(4));
  }

  /**
   * An `[int]` that counts what follows.
   * @param least bytes that each of them takes, at least one
   * @throws ReplyFault
   */
  count(least: number): number {
    const count = this.int();
    if (count < 0 || count * least > this.left) throw new ReplyFault(`${count} cannot follow`);
    return count;
  }

  /** `[string]`. @throws ReplyFault */
  string(): string {
    return this.take(this.short()).toString();
  }

  /** `[string list]`. @throws ReplyFault */
  strings(): string[] {
    return Array.from({ length: this.short() }, () => this.string());
  }

  /** `[bytes]`; null for none. @throws ReplyFault */
  bytes(): Buffer | null {
    const length = this.int();
    return length < 0 ? null : this.take(length);
  }

  /** `[short bytes]`. @throws ReplyFault */
  shortBytes(): Buffer {
    return this.take(this.short());
  }

  /** So many bytes, without a copy. @throws ReplyFault */
  take(length: number): Buffer {
    const start = this.#pass(length);
    return this.#bytes.subarray(start, start + length);
  }

  #pass(length: number): number {
    const start = this.#at;
    if (length < 0 || length > this.left) throw new ReplyFault(`${length} bytes are not there`);
    this.#at += length;
    return start;
  }
}
