/** The JSON text of a result in the making, held to the number of bytes that a caller takes. */
import { GatewayError } from '../../proto/errors.ts';

const PIECE_LENGTH = 65_536;

/** Text that grows by pieces into bytes and knows when it is over its limit, in bytes. */
export class ByteText {
  over = false;
  readonly #max: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #text = '';

  constructor(max: number) {
    this.#max = max;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) this.#flush();
  }

  /** Bytes and characters so far. */
  get length(): number {
    return this.#bytes + this.#text.length;
  }

  /** Everything between `head` and `tail`. */
  finish(head: string, tail: string): Buffer {
    const whole =
      this.#pieces.length === 0
        ? Buffer.from(head + this.#text + tail)
        : Buffer.concat([
            Buffer.from(head),
            ...this.#pieces,
            Buffer.from(this.#text),
            Buffer.from(tail),
          ]);
    if (whole.length > this.#max) this.over = true;
    return whole;
  }

  #flush(): void {
    if (this.over) {
      this.#text = '';
      return;
    }
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > this.#max) this.over = true;
  }
}

/** Results between `head` and `tail`, with commas between them. */
export function jsonList(head: string, results: readonly Buffer[], tail: string): Buffer {
  const pieces = results.flatMap((result, index) => [Buffer.from(index > 0 ? ',' : ''), result]);
  return Buffer.concat([Buffer.from(head), ...pieces, Buffer.from(tail)]);
}

/** A result of more than `max` bytes. Contract §6, "Large results". */
export function resultTooLarge(max: number): GatewayError {
  return new GatewayError(
    'RESULT_TOO_LARGE',
    `The result is larger than ${max} bytes; send Accept: application/x-ndjson to receive rows as a stream`,
  );
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
