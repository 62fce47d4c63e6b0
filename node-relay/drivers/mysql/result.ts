/** Builds the JSON text of SQL results from the server's packets, without objects in between. */

import { type Column, columnType } from '../../../kinds/mysql/dialect/types.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { ByteText, resultTooLarge } from '../byte-text.ts';
import { FIELD_MAX_BYTES } from '../field-limit.ts';
import { Unreadable } from '../loss.ts';
import type { Sink } from './exchange.ts';
import { OTHER_MAX } from './packet-frames.ts';
import type { Outcome, Packet } from './packets.ts';
import { binaryEncoder, type Encoder, textEncoder } from './values.ts';

/** How rows are written. */
export interface RowOptions {
  readonly numbersAsStrings: boolean;
  readonly rowFormat: 'object' | 'array';
  /** How the server sends them: `binary` after COM_STMT_EXECUTE. */
  readonly form: 'binary' | 'text';
}

/** Writes one row as JSON text. */
type RowWriter = (reader: Packet) => string;

/** How rows of certain columns are written. */
interface Shape {
  readonly write: RowWriter;
  /** `[{"name", "type"}, …]` */
  readonly columnsJson: string;
}

/** Shapes of longer names are made each time. */
const REMEMBERED_MAX_CHARACTERS = 16_384;
const shapes = new LruMap<string, Shape>(500);

/** The shape of these columns, remembered by what they hold. */
export function shapeOf(columns: readonly Column[], options: RowOptions): Shape {
  let key = `${options.rowFormat}${options.form}${options.numbersAsStrings}`;
  for (const { name, type, flags, charset, length, decimals, extended, format } of columns) {
    key += `\0${name}\0${type} ${flags} ${charset} ${length} ${decimals}${extended} ${format}`;
  }
  const known = shapes.get(key);
  if (known) return known;
  const described = columns.map((column) => ({ name: column.name, type: columnType(column).name }));
  const shape = { write: rowWriter(columns, options), columnsJson: JSON.stringify(described) };
  if (key.length <= REMEMBERED_MAX_CHARACTERS) shapes.set(key, shape);
  return shape;
}

interface Cell {
  /** What is before the value; undefined for a value that a later column of its name replaces. */
  readonly before: string | undefined;
  readonly encode: Encoder;
}

function rowWriter(columns: readonly Column[], options: RowOptions): RowWriter {
  const asArray = options.rowFormat === 'array';
  const last = new Map(columns.map(({ name }, index) => [name, index]));
  let written = 0;
  const cells = columns.map((column, index): Cell => {
    const encoder = options.form === 'binary' ? binaryEncoder : textEncoder;
    const encode = encoder(column, options.numbersAsStrings);
    if (!asArray && last.get(column.name) !== index) return { before: undefined, encode };
    const comma = written > 0 ? ',' : '';
    written += 1;
    return { before: asArray ? comma : `${comma}${JSON.stringify(column.name)}:`, encode };
  });
  const [open, close] = asArray ? ['[', ']'] : ['{', '}'];
  return options.form === 'binary' ? binaryRow(cells, open, close) : textRow(cells, open, close);
}

/** Source: MySQL Internals, "Binary Protocol Resultset Row": a bit per column says NULL, two bits ahead. */
function binaryRow(cells: readonly Cell[], open: string, close: string): RowWriter {
  const nullBytes = (cells.length + 9) >> 3;
  return (reader) => {
    if (reader.u8() !== 0) throw new Unreadable('a row that is none');
    const nulls = reader.over(nullBytes);
    let text = open;
    for (let index = 0; index < cells.length; index += 1) {
      const { before, encode } = cells[index] as Cell; // Within its length.
      const bit = index + 2;
      const isNull = ((reader.buffer[nulls + (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
      const value = isNull ? 'null' : encode(reader);
      if (before !== undefined) text += before + value;
    }
    reader.done();
    return text + close;
  };
}

/** Source: "Text Resultset Row": 0xfb is NULL. */
function textRow(cells: readonly Cell[], open: string, close: string): RowWriter {
  return (reader) => {
    let text = open;
    for (const { before, encode } of cells) {
      let value = 'null';
      if (reader.next === 0xfb) reader.over(1);
      else value = encode(reader);
      if (before !== undefined) text += before + value;
    }
    reader.done();
    return text + close;
  };
}

/** Told once that a result is too large: of a row that took part in it, or of one that is left out whole. */
type OnOverflow = (row: 'part' | 'whole') => void;

/** One SQL result in the making: `{columns, rows, row_count, rows_affected?, insert_id?}`. Contract §6. */
export class SqlResult implements Sink {
  rowCount = 0;
  /** Bytes of the largest row that may be part of it: a number is longer than its digits, at most. */
  readonly rowMax: number;
  readonly #options: RowOptions;
  readonly #body: ByteText;
  readonly #max: number;
  readonly #onOverflow: OnOverflow;
  #shape: Shape | undefined;
  #overflowed = false;

  constructor(options: RowOptions, max: number, onOverflow: OnOverflow) {
    this.#options = options;
    this.#max = max;
    this.rowMax = Math.min(FIELD_MAX_BYTES, 2 * max + OTHER_MAX);
    this.#body = new ByteText(max);
    this.#onOverflow = onOverflow;
  }

  /** Whether the statement has answered no rows at all, and no columns. */
  get isEmpty(): boolean {
    return !this.#shape;
  }

  columns(columns: readonly Column[]): void {
    if (this.#shape) {
      const message = 'The procedure answers several results; send it with the type simple';
      throw new GatewayError('REQUEST_FAILED', message, {
        details: [{ source: 'mysql', code: 'several_results', message, applied: true }],
      });
    }
    this.#shape = shapeOf(columns, this.#options);
  }

  row(reader: Packet): void {
    this.rowCount += 1;
    if (this.#overflowed || !this.#shape) return;
    const row = this.#shape.write(reader);
    this.#body.add(this.rowCount === 1 ? row : `,${row}`);
    if (this.#body.over) this.#overflow('part');
  }

  /** One row that is too large is as much as too many. */
  oversize(): void {
    this.rowCount += 1;
    if (!this.#overflowed) this.#overflow('whole');
  }

  /** Characters so far, about. */
  get length(): number {
    return RESULT_CHARACTERS + (this.#shape?.columnsJson.length ?? 0) + this.#body.length;
  }

  #overflow(row: 'part' | 'whole'): void {
    this.#overflowed = true;
    this.#onOverflow(row);
  }

  /**
   * The whole result.
   * @param counts whether the statement is one that changes rows and was told how many
   * @throws GatewayError RESULT_TOO_LARGE
   */
  finish({ affected, insertId }: Outcome, counts: boolean): Buffer {
    const counted = counts ? `,"rows_affected":${affected}` : '';
    const inserted = insertId > 0n ? `,"insert_id":${idText(insertId)}` : '';
    const whole = this.#body.finish(
      `{"columns":${this.#shape?.columnsJson ?? '[]'},"rows":[`,
      `],"row_count":${this.rowCount}${counted}${inserted}}`,
    );
    if (this.#overflowed || this.#body.over) throw resultTooLarge(this.#max);
    return whole;
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

  /** @throws GatewayError RESULT_TOO_LARGE */
  finish(outcome: Outcome, counts: boolean): Buffer {
    if (this.#left < 0) throw resultTooLarge(this.#max);
    if (this.#all.length === 0) return this.#make(this.#left).finish(outcome, counts);
    const pieces = this.#all.map((each) => each.finish(outcome, counts));
    return Buffer.from(pieces.map((piece) => piece.toString()).join(','));
  }
}

function idText(id: bigint): string {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? String(id) : `"${id}"`;
}
