/** Builds the JSON text of SQL results from the server's rows, without objects in between. */
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import {
  type Field,
  type RowOptions,
  rowsAffected,
  type Shape,
  type Shapes,
} from '../../../kinds/postgres/dialect/rows.ts';
import { ByteText, resultTooLarge } from '../byte-text.ts';
import { FIELD_MAX_BYTES } from '../field-limit.ts';
import type { Sink } from './exchange.ts';

/** Of a row without columns: its braces. */
const ROW_LENGTH = 2;

/** Bytes of the largest row that can be part of a result: that of a `bytea` is longer than its base64. */
function rowMaxOf(resultMaxBytes: number): number {
  return Math.min(FIELD_MAX_BYTES, 2 * resultMaxBytes + ROW_HEADS_BYTES);
}

/** Lengths of values, which a result has not. */
const ROW_HEADS_BYTES = 65_536;

/** Told once that a result is too large: of a row that took part in it, or of one that is left out whole. */
type OnOverflow = (row: 'part' | 'whole') => void;

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
  #fields: readonly Field[] = [];
  #shape: Shape | undefined;
  /** Rows of columns whose types are not known yet. */
  readonly #waiting: (readonly FieldValue[])[] = [];
  #waitingLength = 0;
  #overflowed = false;

  constructor(shapes: Shapes, options: RowOptions, max: number, onOverflow: OnOverflow) {
    this.#shapes = shapes;
    this.#options = options;
    this.#max = max;
    this.rowMax = rowMaxOf(max);
    this.#body = new ByteText(max);
    this.#onOverflow = onOverflow;
  }

  fields(fields: readonly Field[]): void {
    this.#fields = fields;
    this.#shape = this.#shapes.of(fields, this.#options);
  }

  row(values: readonly FieldValue[]): void {
    this.rowCount += 1;
    if (this.#overflowed) return;
    if (this.#shape) {
      this.#add(this.#shape, values, this.rowCount === 1);
    } else {
      this.#waiting.push(values);
      this.#waitingLength += ROW_LENGTH;
      for (const value of values) this.#waitingLength += value === null ? 4 : value.length;
    }
    if (this.#body.over || this.#waitingLength > this.#max) {
      this.#overflowed = true;
      this.#onOverflow('part');
    }
  }

  /** One row that is too large is as much as too many. */
  oversize(): void {
    this.rowCount += 1;
    if (this.#overflowed) return;
    this.#overflowed = true;
    this.#onOverflow('whole');
  }

  /** OIDs that the registry has to learn before `finish`. */
  get unknownTypes(): readonly number[] {
    return this.#shape ? [] : this.#fields.map(({ dataTypeID }) => dataTypeID);
  }

  /**
   * The whole result.
   * @throws GatewayError RESULT_TOO_LARGE
   */
  finish(tag: string): Buffer {
    const shape = this.#shape ?? this.#shapes.of(this.#fields, this.#options);
    if (shape)
      for (const [at, values] of this.#waiting.entries()) this.#add(shape, values, at === 0);
    const affected = rowsAffected(tag);
    const tail = affected === undefined ? '' : `,"rows_affected":${affected}`;
    const whole = this.#body.finish(
      `{"columns":${shape?.columnsJson ?? '[]'},"rows":[`,
      `],"row_count":${this.rowCount}${tail}}`,
    );
    if (this.#overflowed || this.#body.over) throw resultTooLarge(this.#max);
    return whole;
  }

  #add({ write }: Shape, values: readonly FieldValue[], first: boolean): void {
    this.#body.add(first ? write(values) : `,${write(values)}`);
  }
}
