/** Builds a result as bytes of JSON, bounded while rows arrive. */
import { LongText, type LongWriter } from '../../../proto/long-text.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { resultTooLarge } from '../byte-text.ts';

const PIECE_LENGTH = 65_536;

/** Rows that grow by pieces into bytes, up to a limit. */
export class ResultText {
  readonly #max: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #text = '';
  #rows = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws GatewayError RESULT_TOO_LARGE */
  add(row: string): void {
    this.#add(this.#rows > 0 ? `,${row}` : row);
    this.#rows += 1;
  }

  /** A row in pieces. @throws GatewayError RESULT_TOO_LARGE */
  *addLong(write: LongWriter): Pieces<void> {
    this.add('');
    const out = new LongText(undefined, (text) => this.#add(text));
    yield* write(out);
    out.end();
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length < PIECE_LENGTH) return;
    this.#flush();
    if (this.#bytes > this.#max) throw resultTooLarge(this.#max);
  }

  /**
   * The whole result.
   * @param extras members after the others, each with a comma before it
   * @throws GatewayError RESULT_TOO_LARGE
   */
  finish(columns: string, extras: string): Buffer {
    this.#flush();
    const whole = Buffer.concat([
      Buffer.from(`{"columns":${columns},"rows":[`),
      ...this.#pieces,
      Buffer.from(`],"row_count":${this.#rows}${extras}}`),
    ]);
    if (whole.length > this.#max) throw resultTooLarge(this.#max);
    return whole;
  }

  #flush(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }
}
