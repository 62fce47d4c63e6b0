/** Builds the JSON text of SQL results from the server's rows, without objects in between. */
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import {
  AT_ONCE_CHARACTERS,
  type Field,
  type RowOptions,
  rowsAffected,
  type Shape,
  type Shapes,
} from '../../../kinds/postgres/dialect/rows.ts';
import type { Call } from '../../../proto/driver.ts';
import { LongText } from '../../../proto/long-text.ts';
import { Pace, type Pieces } from '../../../proto/work/pieces.ts';
import { ByteText, resultTooLarge } from '../byte-text.ts';
import { FIELD_MAX_BYTES } from '../field-limit.ts';
import type { Source } from '../lines.ts';
import { LongRows } from '../long-rows.ts';
import type { Sink } from './exchange.ts';

/** Of a row without columns: its braces. */
const ROW_LENGTH = 2;

/** Bytes of the largest row that can be part of a result: that of a `bytea` is longer than its base64. */
function rowMaxOf(resultMaxBytes: number): number {
  return Math.min(FIELD_MAX_BYTES, 2 * resultMaxBytes + ROW_HEADS_BYTES);
}

/** Characters that are put into a result between two pauses. */
const PER_PIECE = 64 * 1024;

/** Lengths of values, which a result has not. */
const ROW_HEADS_BYTES = 65_536;

/** Told once that a result is too large: of a row that took part in it, or of one that is left out whole. */
type OnOverflow = (row: 'part' | 'whole') => void;

/** What a result is made with. */
interface Making {
  readonly shapes: Shapes;
  readonly options: RowOptions;
  readonly max: number;
  readonly onOverflow: OnOverflow;
  /** Of rows. */
  readonly source: Source;
  readonly call: Pick<Call, 'inTurn' | 'signal'>;
}

/** One SQL result in the making: `{columns, rows, row_count, rows_affected?}`. Contract §6. */
export class SqlResult implements Sink {
  rowCount = 0;
  /** Bytes of the largest row that may be part of it. */
  readonly rowMax: number;
  readonly #shapes: Shapes;
  readonly #options: RowOptions;
  readonly #body: ByteText;
  readonly #max: number;
  readonly #onOverflow: OnOverflow;
  readonly #long: LongRows<readonly FieldValue[]>;
  #fields: readonly Field[] = [];
  #shape: Shape | undefined;
  /** Rows of columns whose types are not known yet. */
  readonly #waiting: (readonly FieldValue[])[] = [];
  #waitingLength = 0;
  readonly #pace = new Pace(PER_PIECE);
  #isFirst = true;
  #overflowed = false;

  constructor({ shapes, options, max, onOverflow, source, call }: Making) {
    this.#shapes = shapes;
    this.#options = options;
    this.#max = max;
    this.rowMax = rowMaxOf(max);
    this.#body = new ByteText(max);
    this.#onOverflow = onOverflow;
    this.#long = new LongRows(source, call, (values) => this.#inPieces(values));
  }

  fields(fields: readonly Field[]): void {
    this.#fields = fields;
    this.#shape = this.#shapes.of(fields, this.#options);
  }

  row(values: readonly FieldValue[], bytes: number): void {
    this.rowCount += 1;
    if (this.#overflowed) return;
    if (this.#shape) {
      const isLong = bytes > AT_ONCE_CHARACTERS && this.#shape.isLong(values);
      if (isLong || this.#long.isWriting) this.#long.add(values);
      else this.#add(this.#shape.write(values));
    } else {
      this.#waiting.push(values);
      this.#waitingLength += ROW_LENGTH;
      for (const value of values) this.#waitingLength += value === null ? 4 : value.length;
    }
    this.#checkLength();
  }

  /** One row that is too large is as much as too many. */
  oversize(): void {
    this.rowCount += 1;
    if (this.#overflowed) return;
    this.#overflowed = true;
    this.#long.abandon();
    this.#onOverflow('whole');
  }

  /** OIDs that the registry has to learn before `finish`. */
  get unknownTypes(): readonly number[] {
    return this.#shape ? [] : this.#fields.map(({ dataTypeID }) => dataTypeID);
  }

  /**
   * Writes the rows that wait, once all types are known; undefined where all are written.
   * @throws what writing fails with, or why the signal aborts
   */
  written(): Promise<void> | undefined {
    const shape = this.#shape ?? this.#shapes.of(this.#fields, this.#options);
    this.#shape = shape;
    if (shape && this.#waiting.length > 0) {
      const isLong = this.#waitingLength > AT_ONCE_CHARACTERS;
      for (const values of this.#waiting.splice(0)) {
        if (isLong) this.#long.add(values);
        else this.#add(shape.write(values));
      }
    }
    return this.#long.written();
  }

  /** Drops the rows that wait. */
  abandon(): void {
    this.#long.abandon();
  }

  /**
   * The whole result, once its rows are written.
   * @throws GatewayError RESULT_TOO_LARGE
   */
  finish(tag: string): Buffer {
    const affected = rowsAffected(tag);
    const tail = affected === undefined ? '' : `,"rows_affected":${affected}`;
    const whole = this.#body.finish(
      `{"columns":${this.#shape?.columnsJson ?? '[]'},"rows":[`,
      `],"row_count":${this.rowCount}${tail}}`,
    );
    if (this.#overflowed || this.#body.over) throw resultTooLarge(this.#max);
    return whole;
  }

  *#inPieces(values: readonly FieldValue[]): Pieces<void> {
    const shape = this.#shape;
    if (!shape || this.#overflowed) return;
    if (shape.isLong(values)) {
      this.#add('');
      const out = new LongText(undefined, (text) => this.#body.add(text));
      yield* shape.writeLong(values, out);
      out.end();
    } else {
      const row = shape.write(values);
      this.#add(row);
      if (this.#pace.isOver(row.length)) yield;
    }
    this.#checkLength();
  }

  #add(row: string): void {
    this.#body.add(this.#isFirst ? row : `,${row}`);
    this.#isFirst = false;
  }

  #checkLength(): void {
    if (this.#overflowed) return;
    if (!this.#body.over && this.#waitingLength <= this.#max) return;
    this.#overflowed = true;
    this.#long.abandon();
    this.#onOverflow('part');
  }
}
