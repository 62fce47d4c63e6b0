/** What the types of result columns are called, and which way their values travel. */

/** Column types on the wire. Source: MySQL Internals, "Column Types". */
export const TYPE = {
  decimal: 0,
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  newdate: 14,
  varchar: 15,
  bit: 16,
  vector: 242,
  json: 245,
  newdecimal: 246,
  enum: 247,
  set: 248,
  tinyblob: 249,
  mediumblob: 250,
  longblob: 251,
  blob: 252,
  varstring: 253,
  string: 254,
  geometry: 255,
} as const;

const UNSIGNED = 0x20;
const ENUM = 0x100;
const SET = 0x800;
/** The number of the character set `binary`: bytes. */
const BINARY = 63;

/** A column as the server describes it. */
export interface Column {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly charset: number;
  /** Largest length in bytes. */
  readonly length: number;
  readonly decimals: number;
  /** MariaDB's own type, such as `uuid`; empty where the plain one says it all. */
  readonly extended: string;
  /** MariaDB's format of the value: `json` or empty. */
  readonly format: string;
}

/** Bits of a BIT column, which are its length, whose values are all exact as numbers of JSON. */
export const EXACT_BITS = 53;

/** How a column's values are written. */
type Format =
  | 'integer'
  | 'bigint'
  | 'float'
  | 'double'
  | 'decimal'
  | 'date'
  | 'datetime'
  | 'timestamp'
  | 'time'
  | 'bit'
  | 'bytes'
  | 'text'
  | 'json'
  | 'null';

/** A column's type as results name it, and how its values are written. */
export interface ColumnType {
  readonly name: string;
  readonly format: Format;
  readonly unsigned: boolean;
}

const NUMBERS: { readonly [type: number]: readonly [name: string, format: Format] } = {
  [TYPE.tiny]: ['tinyint', 'integer'],
  [TYPE.short]: ['smallint', 'integer'],
  [TYPE.int24]: ['mediumint', 'integer'],
  [TYPE.long]: ['int', 'integer'],
  [TYPE.longlong]: ['bigint', 'bigint'],
  [TYPE.float]: ['float', 'float'],
  [TYPE.double]: ['double', 'double'],
  [TYPE.decimal]: ['decimal', 'decimal'],
  [TYPE.newdecimal]: ['decimal', 'decimal'],
};
const OTHERS: { readonly [type: number]: readonly [name: string, format: Format] } = {
  [TYPE.null]: ['null', 'null'],
  [TYPE.year]: ['year', 'integer'],
  [TYPE.date]: ['date', 'date'],
  [TYPE.newdate]: ['date', 'date'],
  [TYPE.time]: ['time', 'time'],
  [TYPE.datetime]: ['datetime', 'datetime'],
  [TYPE.timestamp]: ['timestamp', 'timestamp'],
  [TYPE.bit]: ['bit', 'bit'],
  [TYPE.json]: ['json', 'json'],
  [TYPE.geometry]: ['geometry', 'bytes'],
  [TYPE.vector]: ['vector', 'bytes'],
};

/** The type of a column, in the names that the servers' own SHOW and information_schema use. */
export function columnType(column: Column): ColumnType {
  const { type, flags, extended, format } = column;
  const unsigned = (flags & UNSIGNED) !== 0;
  const number = NUMBERS[type];
  if (number) {
    return { name: unsigned ? `${number[0]} unsigned` : number[0], format: number[1], unsigned };
  }
  const other = OTHERS[type];
  if (other) return { name: extended || other[0], format: other[1], unsigned };
  if (format === 'json') return { name: 'json', format: 'json', unsigned };
  if (extended !== '') return { name: extended, format: 'text', unsigned };
  return { ...characterType(column), unsigned };
}

function characterType({ type, flags, charset, length }: Column): Omit<ColumnType, 'unsigned'> {
  const binary = charset === BINARY;
  const format = binary ? 'bytes' : 'text';
  if (type === TYPE.enum || (flags & ENUM) !== 0) return { name: 'enum', format };
  if (type === TYPE.set || (flags & SET) !== 0) return { name: 'set', format };
  if (type === TYPE.string) return { name: binary ? 'binary' : 'char', format };
  if (type === TYPE.varstring || type === TYPE.varchar) {
    return { name: binary ? 'varbinary' : 'varchar', format };
  }
  return {
    name: sizeOf(binary ? length : length / CHARACTER_BYTES) + (binary ? 'blob' : 'text'),
    format,
  };
}

/** Of utf8mb4, in which the server counts the length of texts. */
const CHARACTER_BYTES = 4;

/** Lengths that the servers give columns of these types; the largest may be cut to 32 bits. */
function sizeOf(length: number): string {
  if (length <= 0xff) return 'tiny';
  if (length <= 0xff_ff) return '';
  if (length <= 0xff_ff_ff) return 'medium';
  return 'long';
}
