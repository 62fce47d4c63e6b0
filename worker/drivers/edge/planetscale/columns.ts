/** Turns the rows of Vitess into JSON text, by the types of their columns. */
import type { Field } from '@planetscale/database';
import {
  bigintText,
  doubleText,
  integerText,
  jsonOrString,
  plainString,
} from '../../../../kinds/json-forms.ts';
import {
  type Column,
  columnType,
  EXACT_BITS,
  TYPE,
} from '../../../../kinds/mysql/dialect/types.ts';
import { momentText } from '../../../../kinds/mysql/dialect/values.ts';

/** A value as it travels: a character for each of its bytes. */
export type Value = string | null;

/** Source: Vitess, `query.proto`, enum Type. */
const TYPES: { readonly [name: string]: number } = {
  NULL_TYPE: TYPE.null,
  NULL: TYPE.null,
  INT8: TYPE.tiny,
  UINT8: TYPE.tiny,
  INT16: TYPE.short,
  UINT16: TYPE.short,
  INT24: TYPE.int24,
  UINT24: TYPE.int24,
  INT32: TYPE.long,
  UINT32: TYPE.long,
  INT64: TYPE.longlong,
  UINT64: TYPE.longlong,
  FLOAT32: TYPE.float,
  FLOAT64: TYPE.double,
  TIMESTAMP: TYPE.timestamp,
  DATE: TYPE.date,
  TIME: TYPE.time,
  DATETIME: TYPE.datetime,
  YEAR: TYPE.year,
  DECIMAL: TYPE.newdecimal,
  TEXT: TYPE.blob,
  BLOB: TYPE.blob,
  VARCHAR: TYPE.varstring,
  VARBINARY: TYPE.varstring,
  CHAR: TYPE.string,
  BINARY: TYPE.string,
  BIT: TYPE.bit,
  ENUM: TYPE.enum,
  SET: TYPE.set,
  GEOMETRY: TYPE.geometry,
  JSON: TYPE.json,
  VECTOR: TYPE.vector,
  HEXNUM: TYPE.varstring,
  HEXVAL: TYPE.varstring,
  BITNUM: TYPE.varstring,
};
const UNSIGNED = 0x20;
const BYTES = new Set(['BLOB', 'VARBINARY', 'BINARY', 'HEXNUM', 'HEXVAL', 'BITNUM']);
/** Of no character set, and of utf8mb4. */
const CHARSET = { binary: 63, text: 45 };

/** The column as MySQL's own protocol describes it. */
function columnOf(field: Field): Column {
  const { name, type, flags, columnLength, decimals } = field;
  const sign = type.startsWith('UINT') ? UNSIGNED : 0;
  return {
    name,
    type: TYPES[type] ?? TYPE.varstring,
    flags: (flags ?? 0) | sign,
    charset: holdsBytes(field) ? CHARSET.binary : CHARSET.text,
    length: columnLength ?? 0,
    decimals: decimals ?? 0,
    extended: '',
    format: '',
  };
}

/** The type's name says it, except for ENUM and SET, which have one name whatever their members are of. */
function holdsBytes({ type, charset }: Field): boolean {
  if (type === 'ENUM' || type === 'SET') return charset === CHARSET.binary;
  return BYTES.has(type);
}

/** Rows as JSON text, and what their columns are called. */
interface WrittenRows {
  /** `[{"name", "type"}, …]` */
  readonly columnsJson: string;
  readonly rows: readonly string[];
}

/** Writes rows; as objects, the last of several columns of a name wins. */
export function writtenRows(
  fields: readonly Field[],
  rows: readonly (readonly Value[])[],
  options: { readonly numbersAsStrings: boolean; readonly rowFormat: 'object' | 'array' },
): WrittenRows {
  const columns = fields.map(columnOf);
  const described = columns.map((column) => ({ name: column.name, type: columnType(column).name }));
  const asArray = options.rowFormat === 'array';
  const last = new Map(columns.map(({ name }, index) => [name, index]));
  const cells = columns.flatMap((column, index) => {
    if (!asArray && last.get(column.name) !== index) return [];
    const before = asArray ? '' : `${JSON.stringify(column.name)}:`;
    return [{ index, before, encode: encoderOf(column, options.numbersAsStrings) }];
  });
  const [open, close] = asArray ? ['[', ']'] : ['{', '}'];
  const texts = rows.map((row) => {
    const values = cells.map(({ index, before, encode }) => {
      const value = row[index] ?? null;
      return before + (value === null ? 'null' : encode(value));
    });
    return open + values.join(',') + close;
  });
  return { columnsJson: JSON.stringify(described), rows: texts };
}

type Encoder = (value: string) => string;

const moment =
  (zone: string): Encoder =>
  (value) =>
    momentText(value, zone);
/** YEAR and ZEROFILL have zeroes ahead, which JSON has not. */
const withoutZeroes = (value: string) => value.replace(/^0+(?=\d)/, '');

function encoderOf(column: Column, numbersAsStrings: boolean): Encoder {
  switch (columnType(column).format) {
    case 'integer':
      return (value) => integerText(withoutZeroes(value));
    case 'bigint':
      return (value) => (numbersAsStrings ? plainString : integerText)(withoutZeroes(value));
    case 'float':
    case 'double':
      return (value) => doubleText(Number(value));
    case 'decimal':
    case 'date':
    case 'time':
      return plainString;
    case 'datetime':
      return moment('');
    case 'timestamp':
      return moment('Z');
    case 'bit':
      return bitEncoder(column, numbersAsStrings);
    case 'bytes':
      return (value) => plainString(btoa(value));
    case 'json':
      return (value) => jsonOrString(utf8Of(value));
    default:
      return (value) => JSON.stringify(utf8Of(value));
  }
}

function bitEncoder({ length }: Column, numbersAsStrings: boolean): Encoder {
  const asString = numbersAsStrings && length > EXACT_BITS;
  return asString ? (value) => `"${bitsOf(value)}"` : (value) => bigintText(bitsOf(value));
}

function bitsOf(value: string): bigint {
  let bits = 0n;
  for (const byte of value) bits = (bits << 8n) | BigInt(byte.charCodeAt(0));
  return bits;
}

/** UTF-8, which most texts do not have to be decoded from. */
export function utf8Of(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
    Uint8Array.from(value, (byte) => byte.charCodeAt(0)),
  );
}
