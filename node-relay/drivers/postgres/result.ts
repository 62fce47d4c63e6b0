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
import type { LongText } from '../../../proto/long-text.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { ResultRows, type RowBounds, rowMaxOf } from '../result-rows.ts';
import type { Sink } from './exchange.ts';

/** Of a row without columns: its braces. */
const ROW_LENGTH = 2;

/** Lengths of values, which a result has not. */
const ROW_HEADS_BYTES = 65_536;

/** What a result is made with. */
interface Making extends RowBounds {
  readonly shapes: Shapes;
  readonly options: RowOptions;
}

/** One SQL result in the making: `{columns, rows, row_count, rows_affected?}`. Contract §6. */
export class SqlResult implements Sink {
  rowCount = 0;
  /** Bytes of the largest row that may be part of it. */
  readonly rowMax: number;
  readonly #shapes: Shapes;
  readonly #options: RowOptions;
  readonly #max: number;
  readonly #rows: ResultRows<readonly FieldValue[]>;
  #fields: readonly Field[] = [];
  #shape: Shape | undefined;
  /** Rows of columns whose types are not known yet. */
  readonly #waiting: (readonly FieldValue[])[] = [];
  #waitingLength = 0;

  constructor({ shapes, options, ...bounds }: Making) {
    this.#shapes = shapes;
    this.#options = options;
    this.#max = bounds.max;
    this.rowMax = rowMaxOf(bounds.max, ROW_HEADS_BYTES);
    this.#rows = new ResultRows(bounds, (values, out) => this.#inPieces(values, out));
  }

  fields(fields: readonly Field[]): void {
    this.#fields = fields;
    this.#shape = this.#shapes.of(fields, this.#options);
  }

  row(values: readonly FieldValue[], bytes: number): void {
    this.rowCount += 1;
    if (this.#rows.overflowed) return;
    if (this.#shape) {
      const isLong = bytes > AT_ONCE_CHARACTERS && this.#shape.isLong(values);
      if (isLong || this.#rows.isWriting) this.#rows.addLong(values);
      else this.#rows.add(this.#shape.write(values));
      return;
    }
    this.#waiting.push(values);
    this.#waitingLength += ROW_LENGTH;
    for (const value of values) this.#waitingLength += value === null ? 4 : value.length;
    if (this.#waitingLength > this.#max) this.#rows.overflow('part');
  }

  /** One row that is too large is as much as too many. */
  oversize(): void {
    this.rowCount += 1;
    this.#rows.overflow('whole');
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
        if (isLong) this.#rows.addLong(values);
        else this.#rows.add(shape.write(values));
      }
    }
    return this.#rows.written();
  }

  /** Drops the rows that wait. */
  abandon(): void {
    this.#rows.abandon();
  }

  /**
   * The whole result, once its rows are written.
   * @throws GatewayError RESULT_TOO_LARGE
   */
  finish(tag: string): Buffer {
    const affected = rowsAffected(tag);
    const tail = affected === undefined ? '' : `,"rows_affected":${affected}`;
    return this.#rows.finish(
      `{"columns":${this.#shape?.columnsJson ?? '[]'},"rows":[`,
      `],"row_count":${this.rowCount}${tail}}`,
    );
  }

  *#inPieces(values: readonly FieldValue[], out: LongText): Pieces<void> {
    const shape = this.#shape;
    if (!shape) return;
    if (shape.isLong(values)) yield* shape.writeLong(values, out);
    else out.add(shape.write(values));
  }
}
