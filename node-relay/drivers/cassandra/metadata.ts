/** Reads the columns or markers that a server describes, and their types. Source: CQL binary protocol v4, section 4.2.5.2. */
import { ReplyFault, type ReplyReader } from './bytes.ts';
import { DEPTH_MAX, type ProtocolType } from './marshal.ts';

/** A column or marker as the protocol reports it. */
export interface ProtocolColumn {
  readonly name: string;
  readonly type: ProtocolType;
}

/** Columns of rows or markers of a statement. */
export interface Metadata {
  readonly columns: readonly ProtocolColumn[];
  /** Where the next page begins. */
  readonly pageState?: Buffer;
}

const GLOBAL = 0x01;
const MORE = 0x02;
/** Name and type; the table's names are before it unless it is one for all. */
const COLUMN_BYTES = 4;

/** @throws ReplyFault */
export function readMetadata(reader: ReplyReader, isPrepared: boolean): Metadata {
  const flags = reader.int();
  // Columns are never asked to be left out.
  if ((flags & ~(GLOBAL | MORE)) !== 0) throw new ReplyFault(`Metadata with flags ${flags}`);
  const count = reader.count(COLUMN_BYTES);
  if (isPrepared) {
    for (let left = reader.count(2); left > 0; left -= 1) reader.short();
  }
  const state = flags & MORE ? reader.bytes() : undefined;
  if (state === null) throw new ReplyFault('A next page has a place');
  if (flags & GLOBAL) skipTable(reader);
  const types = new Types(reader);
  const columns: ProtocolColumn[] = [];
  for (let left = count; left > 0; left -= 1) {
    if (!(flags & GLOBAL)) skipTable(reader);
    columns.push({ name: reader.string(), type: types.read() });
  }
  return { columns, ...(state ? { pageState: Buffer.from(state) } : {}) };
}

function skipTable(reader: ReplyReader): void {
  reader.shortBytes();
  reader.shortBytes();
}

/** Types together. Spec silent; of columns that a server can hold there are fewer. */
const TYPES_MAX = 50_000;
const HIGHEST_SIMPLE = 0x15;

/** Types of one statement: a few bytes of them take much more memory. */
class Types {
  readonly #reader: ReplyReader;
  #left = TYPES_MAX;

  constructor(reader: ReplyReader) {
    this.#reader = reader;
  }

  /** @throws ReplyFault */
  read(depth = 0): ProtocolType {
    const reader = this.#reader;
    this.#left -= 1;
    if (this.#left < 0 || depth > DEPTH_MAX) throw new ReplyFault('There are too many types');
    const code = reader.short();
    const inner = () => this.read(depth + 1);
    switch (code) {
      case 0x00:
        return { code, info: reader.string() };
      case 0x20:
      case 0x22:
        return { code, info: inner() };
      case 0x21:
        return { code, info: [inner(), inner()] };
      case 0x30:
        return { code, info: this.#userType(inner) };
      case 0x31:
        return { code, info: Array.from({ length: reader.short() }, inner) };
      default:
        if (code > HIGHEST_SIMPLE) throw new ReplyFault(`There is no type ${code}`);
        return { code };
    }
  }

  #userType(inner: () => ProtocolType): object {
    const reader = this.#reader;
    reader.string();
    const name = reader.string();
    const fields = Array.from({ length: reader.short() }, () => ({
      name: reader.string(),
      type: inner(),
    }));
    return { name, fields };
  }
}
