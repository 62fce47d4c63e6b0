/** Builds the JSON text of SQL results from the server's rows, without objects in between. */
import type { FieldValue } from '../../../dialects/postgres/encode.ts';
import {
  type Field,
  type RowOptions,
  rowsAffected,
  type Shape,
  type Shapes,
} from '../../../dialects/postgres/rows.ts';
import { ByteText, tooLarge } from '../byte-text.ts';
import type { Sink } from './wire.ts';

/** One SQL result in the making: `{columns, rows, row_count, rows_affected?}`. Contract §6. */
export class SqlResult implements Sink {
  rowCount = 0;
  readonly #shapes: Shapes;
  readonly #options: RowOptions;
  readonly #body: ByteText;
  readonly #max: number;
  readonly #onOverflow: () => void;
  #fields: readonly Field[] = [];
  #shape: Shape | undefined;
  /** Rows of columns whose types are not known yet. */
  readonly #waiting: (readonly FieldValue[])[] = [];
  #waitingLength = 0;
  #overflowed = false;

  constructor(shapes: Shapes, options: RowOptions, max: number, onOverflow: () => void) {
    this.#shapes = shapes;
    this.#options = options;
    this.#max = max;
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
      for (const value of values) this.#waitingLength += value === null ? 4 : value.length;
    }
    if (this.#body.over || this.#waitingLength > this.#max) {
      this.#overflowed = true;
      this.#onOverflow();
    }
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
    if (this.#overflowed || this.#body.over) throw tooLarge(this.#max);
    return whole;
  }

  #add({ write }: Shape, values: readonly FieldValue[], first: boolean): void {
    this.#body.add(first ? write(values) : `,${write(values)}`);
  }
}
