/** Writes rows as JSON text from the server's packets, without objects in between. */

import { type Column, columnType } from '../../../kinds/mysql/dialect/types.ts';
import type { LongText, LongWriter } from '../../../proto/long-text.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { LongEncoder } from '../long-bytes.ts';
import { Unreadable } from '../loss.ts';
import { nullsIn } from './large-row.ts';
import type { Packet } from './packets.ts';
import { binaryEncoder, type Encoder, longEncoder, textEncoder } from './values.ts';

/** How rows are written. */
export interface RowOptions {
  readonly numbersAsStrings: boolean;
  readonly rowFormat: 'object' | 'array';
  /** How the server sends them: `binary` after COM_STMT_EXECUTE. */
  readonly form: 'binary' | 'text';
}

/** Writes one row as JSON text. */
type RowWriter = (reader: Packet) => string;

/** A row that takes long to write: texts, and what writes the values between them. */
export type LongRow = readonly (string | LongWriter)[];

/** How rows of certain columns are written. */
export interface Shape {
  readonly write: RowWriter;
  /** Takes apart what `write` writes at once. @throws Unreadable */
  readonly parts: (reader: Packet) => LongRow;
  /** `[{"name", "type"}, …]` */
  readonly columnsJson: string;
}

/** Bytes of a row, and of a value of a longer one, that are written at once. */
export const AT_ONCE_BYTES = 512 * 1024;
const VALUE_AT_ONCE_BYTES = 16 * 1024;

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
  const shape = { ...rowWriters(columns, options), columnsJson: JSON.stringify(described) };
  if (key.length <= REMEMBERED_MAX_CHARACTERS) shapes.set(key, shape);
  return shape;
}

interface Cell {
  /** What is before the value; undefined for a value that a later column of its name replaces. */
  readonly before: string | undefined;
  readonly encode: Encoder;
  readonly encodeLong: LongEncoder | undefined;
}

function rowWriters(columns: readonly Column[], options: RowOptions): Omit<Shape, 'columnsJson'> {
  const { form } = options;
  const asArray = options.rowFormat === 'array';
  const last = new Map(columns.map(({ name }, index) => [name, index]));
  let written = 0;
  const cells = columns.map((column, index): Cell => {
    const encoder = form === 'binary' ? binaryEncoder : textEncoder;
    const encode = encoder(column, options.numbersAsStrings);
    const encodeLong = longEncoder(column);
    if (!asArray && last.get(column.name) !== index) {
      return { before: undefined, encode, encodeLong };
    }
    const comma = written > 0 ? ',' : '';
    written += 1;
    const before = asArray ? comma : `${comma}${JSON.stringify(column.name)}:`;
    return { before, encode, encodeLong };
  });
  const [open, close] = asArray ? (['[', ']'] as const) : (['{', '}'] as const);
  const write = form === 'binary' ? binaryRow(cells, open, close) : textRow(cells, open, close);
  return { write, parts: (reader) => partsOf(reader, cells, { form, open, close }) };
}

function partsOf(
  reader: Packet,
  cells: readonly Cell[],
  { form, open, close }: Pick<RowOptions, 'form'> & { readonly open: string; close: string },
): LongRow {
  if (form === 'binary' && reader.next !== 0) throw new Unreadable('a row that is none');
  const isNull = nullsIn(reader, form, cells.length);
  const row = new Parts(open);
  for (const [index, { before, encode, encodeLong }] of cells.entries()) {
    const value = isNull(index) ? 'null' : (longAt(reader, encodeLong) ?? encode(reader));
    if (before !== undefined) row.add(before, value);
  }
  reader.done();
  return row.end(close);
}

/** A row that is taken apart. */
class Parts {
  readonly #parts: (string | LongWriter)[] = [];
  #text: string;

  constructor(open: string) {
    this.#text = open;
  }

  add(before: string, value: string | LongWriter): void {
    this.#text += before;
    if (typeof value === 'string') this.#text += value;
    else {
      this.#parts.push(this.#text, value);
      this.#text = '';
    }
  }

  end(close: string): LongRow {
    return [...this.#parts, this.#text + close];
  }
}

/** Passes the value that comes, if it is long, and answers what writes it. */
function longAt(reader: Packet, encodeLong: LongEncoder | undefined): LongWriter | undefined {
  if (!encodeLong) return undefined;
  const { at } = reader;
  const length = reader.length();
  if (length <= VALUE_AT_ONCE_BYTES) {
    reader.at = at;
    return undefined;
  }
  const bytes = reader.bytes(length);
  return (out) => encodeLong(bytes, out);
}

/** Writes a row that was taken apart. */
export function* writeParts(parts: LongRow, out: LongText): Pieces<void> {
  for (const part of parts) {
    if (typeof part !== 'string') yield* part(out);
    else if (out.add(part)) yield;
  }
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
