/** Reads the events of the binary log that tell of rows. Source: MySQL Internals, "Table_map_event", "Rows_event". */
import { Unreadable } from '../../loss.ts';
import type { Packet } from '../packets.ts';
import type { LoggedTable } from './columns.ts';
import { LOGGED, type LogEncoder, logEncoder } from './values.ts';

/** A table as the events after it name it. */
export interface TableMap {
  readonly id: number;
  readonly schema: string;
  readonly name: string;
  readonly types: readonly number[];
  readonly metas: readonly number[];
}

/** JSON texts of a row's values by the places of its columns. */
export type Row = readonly string[];

/** Bytes besides the type, by type. */
const META_BYTES: { readonly [type: number]: number } = {
  ...{ [LOGGED.float]: 1, [LOGGED.double]: 1, [LOGGED.varchar]: 2, [LOGGED.bit]: 2 },
  ...{ [LOGGED.decimal]: 2, [LOGGED.blob]: 1, [LOGGED.geometry]: 1, [LOGGED.string]: 2 },
  ...{ [LOGGED.varstring]: 2, [LOGGED.timestamp2]: 1, [LOGGED.datetime2]: 1, [LOGGED.time2]: 1 },
  ...{ [LOGGED.enum]: 2, [LOGGED.set]: 2, 245: 1, 242: 1 },
};

/** Reads a table map. @throws Unreadable */
export function readTableMap(reader: Packet): TableMap {
  const id = tableId(reader);
  reader.over(2);
  const schema = reader.text(reader.u8());
  reader.over(1);
  const name = reader.text(reader.u8());
  reader.over(1);
  const count = reader.length();
  const types = Array.from({ length: count }, () => reader.u8());
  reader.length();
  const metas = types.map((type) => {
    const bytes = META_BYTES[type] ?? 0;
    return bytes === 2 ? reader.u16() : bytes === 1 ? reader.u8() : 0;
  });
  return { id, schema, name, types, metas };
}

/** The table of an event of rows, and whether more is said before the rows. */
export function readRowsHead(reader: Packet, hasExtra: boolean): number {
  const id = tableId(reader);
  reader.over(2);
  if (hasExtra) reader.over(reader.u16() - 2);
  return id;
}

/** Encoders of a table's columns. @throws Unreadable where it has other columns by now */
export function encodersOf({ types, metas }: TableMap, table: LoggedTable): LogEncoder[] {
  if (types.length !== table.columns.length) throw new Unreadable('a table of other columns');
  return table.columns.map((column, at) => logEncoder(types[at] ?? 0, metas[at] ?? 0, column));
}

/**
 * Rows of an event, one after another: of an update each with what it was before.
 * @throws Unreadable
 */
export function* readRows(
  reader: Packet,
  encoders: readonly LogEncoder[],
  isUpdate: boolean,
): Generator<readonly [row: Row, then: Row | undefined]> {
  const columns = reader.length();
  if (columns !== encoders.length) throw new Unreadable('rows of other columns');
  const before = bitmap(reader, columns);
  const after = isUpdate ? bitmap(reader, columns) : before;
  // With the image FULL each row has all columns.
  if (![before, after].every((bits) => bits.every(Boolean))) throw new Partial();
  while (reader.left > 0) {
    const row = readRow(reader, encoders);
    yield [row, isUpdate ? readRow(reader, encoders) : undefined];
  }
}

/** A row that was not written whole. */
export class Partial extends Error {}

function readRow(reader: Packet, encoders: readonly LogEncoder[]): Row {
  const nulls = bitmap(reader, encoders.length);
  return encoders.map((encode, at) => (nulls[at] ? 'null' : encode(reader)));
}

function bitmap(reader: Packet, bits: number): boolean[] {
  const from = reader.over(Math.ceil(bits / 8));
  return Array.from(
    { length: bits },
    (_, at) => (((reader.buffer[from + (at >> 3)] ?? 0) >> (at & 7)) & 1) === 1,
  );
}

function tableId(reader: Packet): number {
  return reader.u32() + reader.u16() * 2 ** 32;
}
