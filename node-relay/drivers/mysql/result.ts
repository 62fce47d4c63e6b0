/** Builds SQL results from the server's rows. */
import type { Column } from '../../../kinds/mysql/dialect/types.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { jsonList, resultTooLarge } from '../byte-text.ts';
import { ResultRows, type RowBounds, rowMaxOf } from '../result-rows.ts';
import type { Sink } from './exchange.ts';
import { OTHER_MAX } from './packet-frames.ts';
import type { Outcome, Packet } from './packets.ts';
import {
  AT_ONCE_BYTES,
  type LongRow,
  type RowOptions,
  type Shape,
  shapeOf,
  writeParts,
} from './rows.ts';

/** One SQL result in the making: `{columns, rows, row_count, rows_affected?, insert_id?}`. Contract §6. */
export class SqlResult implements Sink {
  rowCount = 0;
  /** Bytes of the largest row that may be part of it: a number is longer than its digits, at most. */
  readonly rowMax: number;
  readonly #options: RowOptions;
  readonly #rows: ResultRows<LongRow>;
  readonly #isUndone: boolean;
  #shape: Shape | undefined;

  /** @param isUndone whether nothing is kept of its statement when it fails */
  constructor(options: RowOptions, bounds: RowBounds, isUndone: boolean) {
    this.#options = options;
    this.#isUndone = isUndone;
    this.rowMax = rowMaxOf(bounds.max, OTHER_MAX);
    this.#rows = new ResultRows(bounds, writeParts);
  }

  /** Whether the statement has answered no rows at all, and no columns. */
  get isEmpty(): boolean {
    return !this.#shape;
  }

  columns(columns: readonly Column[]): void {
    if (this.#shape) {
      const message = 'The procedure answers several results; send it with the type simple';
      const detail = { source: 'mysql', code: 'several_results', message };
      throw new GatewayError('REQUEST_FAILED', message, {
        details: [this.#isUndone ? detail : { ...detail, applied: true }],
      });
    }
    this.#shape = shapeOf(columns, this.#options);
  }

  row(reader: Packet): void {
    this.rowCount += 1;
    if (this.#rows.overflowed || !this.#shape) return;
    const isLong = reader.left > AT_ONCE_BYTES || this.#rows.isWriting;
    if (isLong) this.#rows.addLong(this.#shape.parts(reader));
    else this.#rows.add(this.#shape.write(reader));
  }

  /** One row that is too large is as much as too many. */
  oversize(): void {
    this.rowCount += 1;
    this.#rows.overflow('whole');
  }

  /** Characters so far, about. */
  get length(): number {
    return RESULT_CHARACTERS + (this.#shape?.columnsJson.length ?? 0) + this.#rows.length;
  }

  /** Settles when no row waits; undefined where none does. @throws why the signal aborts */
  written(): Promise<void> | undefined {
    return this.#rows.written();
  }

  /** Drops the rows that wait. */
  abandon(): void {
    this.#rows.abandon();
  }

  /**
   * The whole result, once its rows are written.
   * @param counts whether the statement is one that changes rows and was told how many
   * @throws GatewayError RESULT_TOO_LARGE
   */
  finish({ affected, insertId }: Outcome, counts: boolean): Buffer {
    const counted = counts ? `,"rows_affected":${affected}` : '';
    const inserted = insertId > 0n ? `,"insert_id":${idText(insertId)}` : '';
    return this.#rows.finish(
      `{"columns":${this.#shape?.columnsJson ?? '[]'},"rows":[`,
      `],"row_count":${this.rowCount}${counted}${inserted}}`,
    );
  }
}

/** Of a result without columns and rows. */
const RESULT_CHARACTERS = 64;

/** All results of a procedure, as they are in a list of results: together within the bound. */
export class SeveralResults implements Sink {
  readonly rowMax: number;
  readonly #make: (max: number) => SqlResult;
  readonly #all: SqlResult[] = [];
  readonly #max: number;
  #left: number;

  constructor(make: (max: number) => SqlResult, max: number) {
    this.#make = make;
    this.#max = max;
    this.#left = max;
    this.rowMax = make(max).rowMax;
  }

  get rowCount(): number {
    return this.#all.reduce((sum, { rowCount }) => sum + rowCount, 0);
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  columns(columns: readonly Column[]): void {
    this.#left -= this.#all.at(-1)?.length ?? 0;
    if (this.#left < 0) return;
    const next = this.#make(this.#left);
    next.columns(columns);
    this.#all.push(next);
  }

  oversize(): void {
    this.#all.at(-1)?.oversize();
  }

  row(reader: Packet): void {
    if (this.#left >= 0) this.#all.at(-1)?.row(reader);
  }

  /** As of each result. */
  written(): Promise<void> | undefined {
    const writing = this.#all.flatMap((each) => each.written() ?? []);
    return writing.length === 0 ? undefined : Promise.all(writing).then(() => {});
  }

  abandon(): void {
    for (const each of this.#all) each.abandon();
  }

  /** @throws GatewayError RESULT_TOO_LARGE */
  finish(outcome: Outcome, counts: boolean): Buffer {
    if (this.#left < 0) throw resultTooLarge(this.#max);
    if (this.#all.length === 0) return this.#make(this.#left).finish(outcome, counts);
    const results = this.#all.map((each) => each.finish(outcome, counts));
    const whole = jsonList('', results, '');
    // A long row of one may not have been written yet when the next began.
    if (whole.length > this.#max) throw resultTooLarge(this.#max);
    return whole;
  }
}

function idText(id: bigint): string {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? String(id) : `"${id}"`;
}
