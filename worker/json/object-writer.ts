/** Writes a large object member by member, so that neither it nor its text is ever held whole but as bytes. */
import type { Json } from '../../proto/json.ts';
import { bytesInPieces } from '../../proto/json-bytes.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { writtenText } from '../../proto/written-json.ts';
import { resultTooLarge } from './limits.ts';

/** UTF-16 code units that are encoded at once. */
const PIECE = 64 * 1024;
const encoder = new TextEncoder();

/** An object that is being written. Its caller makes sure that no name comes twice. */
export class ObjectWriter {
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #text = '{';
  #isEmpty = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws GatewayError RESULT_TOO_LARGE */
  put(name: string, value: Json): void {
    const comma = this.#isEmpty ? '' : ',';
    this.#isEmpty = false;
    this.#text += `${comma}${JSON.stringify(name)}:${jsonText(value)}`;
    if (this.#text.length > PIECE) this.#encode();
  }

  /**
   * The same, of a large value.
   * @throws GatewayError RESULT_TOO_LARGE
   */
  *putInPieces(name: string, value: Json): Pieces<void> {
    this.#text += `${this.#isEmpty ? '' : ','}${JSON.stringify(name)}:`;
    this.#isEmpty = false;
    this.#encode();
    this.#add(yield* bytesInPieces(value));
  }

  /**
   * The whole object.
   * @throws GatewayError RESULT_TOO_LARGE
   */
  finish(): Uint8Array {
    this.#text += '}';
    this.#encode();
    const whole = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  }

  #encode(): void {
    const piece = encoder.encode(this.#text);
    this.#text = '';
    this.#add(piece);
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#bytes += piece.byteLength;
    if (this.#bytes > this.#maxBytes) throw resultTooLarge(this.#maxBytes);
  }
}

/** Most values are numbers and short texts, for which a call of the serializer is dear. */
function jsonText(value: Json): string {
  return typeof value === 'number' || value === null ? String(value) : writtenText(value);
}
