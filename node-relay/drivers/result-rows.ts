/** The rows of one SQL result in the making: as text, long ones in pieces, held to the number of bytes that a caller takes. */
import type { Call } from '../../proto/driver.ts';
import { LongText } from '../../proto/long-text.ts';
import { Pace, type Pieces } from '../../proto/work/pieces.ts';
import { ByteText, resultTooLarge } from './byte-text.ts';
import { FIELD_MAX_BYTES } from './field-limit.ts';
import type { Source } from './lines.ts';
import { LongRows } from './long-rows.ts';

/** Told once that a result is too large: of a row that took part in it, or of one that is left out whole. */
type OnOverflow = (row: 'part' | 'whole') => void;

/** What a result is held to, and whence it comes. */
export interface RowBounds {
  /** Bytes. */
  readonly max: number;
  readonly onOverflow: OnOverflow;
  /** Of rows. */
  readonly source: Source;
  readonly call: Pick<Call, 'inTurn' | 'signal'>;
}

/** Characters that are put into a result between two pauses. */
const PER_PIECE = 64 * 1024;

/** Bytes of the largest row that may be part of a result: bytes are longer in some protocols than their base64. @param heads what a row has besides its values */
export function rowMaxOf(resultMaxBytes: number, heads: number): number {
  return Math.min(FIELD_MAX_BYTES, 2 * resultMaxBytes + heads);
}

/** Rows in their order. */
export class ResultRows<Long extends object> {
  /** Whether more came than the caller takes: what comes now is dropped. */
  overflowed = false;
  readonly #max: number;
  readonly #onOverflow: OnOverflow;
  readonly #body: ByteText;
  readonly #long: LongRows<Long>;
  readonly #pace = new Pace(PER_PIECE);
  #isFirst = true;

  /** @param write writes a row that was added as a long one, or behind it */
  constructor(
    { max, onOverflow, source, call }: RowBounds,
    write: (row: Long, out: LongText) => Pieces<void>,
  ) {
    this.#max = max;
    this.#onOverflow = onOverflow;
    this.#body = new ByteText(max);
    this.#long = new LongRows(source, call, (row) => this.#inPieces(row, write));
  }

  /** Whether rows that come now are added as long ones, however short. */
  get isWriting(): boolean {
    return this.#long.isWriting;
  }

  /** Characters and bytes so far. */
  get length(): number {
    return this.#body.length;
  }

  add(row: string): void {
    if (this.overflowed) return;
    this.#add(row);
    if (this.#body.over) this.overflow('part');
  }

  addLong(row: Long): void {
    if (!this.overflowed) this.#long.add(row);
  }

  overflow(row: 'part' | 'whole'): void {
    if (this.overflowed) return;
    this.overflowed = true;
    this.#long.abandon();
    this.#onOverflow(row);
  }

  /** Settles when no row waits; undefined where none does. @throws what writing fails with, or why the signal aborts */
  written(): Promise<void> | undefined {
    return this.#long.written();
  }

  /** Drops the rows that wait. */
  abandon(): void {
    this.#long.abandon();
  }

  /** All rows between two texts, once they are written. @throws GatewayError RESULT_TOO_LARGE */
  finish(head: string, tail: string): Buffer {
    const whole = this.#body.finish(head, tail);
    if (this.overflowed || this.#body.over) throw resultTooLarge(this.#max);
    return whole;
  }

  *#inPieces(row: Long, write: (row: Long, out: LongText) => Pieces<void>): Pieces<void> {
    if (this.overflowed) return;
    this.#add('');
    const before = this.#body.length;
    const out = new LongText(undefined, (text) => this.#body.add(text));
    yield* write(row, out);
    out.end();
    if (this.#body.over) this.overflow('part');
    else if (this.#pace.isOver(this.#body.length - before)) yield;
  }

  #add(row: string): void {
    this.#body.add(this.#isFirst ? row : `,${row}`);
    this.#isFirst = false;
  }
}
