/** Describes columns as Vitess does. Source: Vitess, `query.proto`; @planetscale/database. */
import { type Column, TYPE } from '../../../kinds/mysql/dialect/types.ts';

const UNSIGNED = 0x20;
const ENUM = 0x100;
const SET = 0x800;
const BINARY_CHARSET = 63;

const INTEGERS: { readonly [type: number]: string } = {
  [TYPE.tiny]: 'INT8',
  [TYPE.short]: 'INT16',
  [TYPE.int24]: 'INT24',
  [TYPE.long]: 'INT32',
  [TYPE.longlong]: 'INT64',
};
const OTHERS: { readonly [type: number]: string } = {
  [TYPE.float]: 'FLOAT32',
  [TYPE.double]: 'FLOAT64',
  [TYPE.decimal]: 'DECIMAL',
  [TYPE.newdecimal]: 'DECIMAL',
  [TYPE.timestamp]: 'TIMESTAMP',
  [TYPE.date]: 'DATE',
  [TYPE.newdate]: 'DATE',
  [TYPE.time]: 'TIME',
  [TYPE.datetime]: 'DATETIME',
  [TYPE.year]: 'YEAR',
  [TYPE.bit]: 'BIT',
  [TYPE.json]: 'JSON',
  [TYPE.geometry]: 'GEOMETRY',
};

/** The type's name; MariaDB's JSON is told as the type that MySQL has. */
function typeName({ type, flags, charset, format }: Column): string {
  const integer = INTEGERS[type];
  if (integer) return (flags & UNSIGNED) !== 0 ? `U${integer}` : integer;
  const other = OTHERS[type];
  if (other) return other;
  if (format === 'json') return 'JSON';
  if ((flags & (ENUM | SET)) !== 0) return (flags & ENUM) !== 0 ? 'ENUM' : 'SET';
  return characterName(type, charset);
}

function characterName(type: number, charset: number): string {
  const binary = charset === BINARY_CHARSET;
  if (type === TYPE.string) return binary ? 'BINARY' : 'CHAR';
  if (type === TYPE.varstring || type === TYPE.varchar) return binary ? 'VARBINARY' : 'VARCHAR';
  return binary ? 'BLOB' : 'TEXT';
}

/** A field of a reply; of NULL alone it has no type, as protobuf leaves zeroes out. */
export function fieldOf(column: Column): object {
  const { name, type, flags, charset, length, decimals } = column;
  return {
    name,
    ...(type === TYPE.null ? {} : { type: typeName(column) }),
    charset,
    columnLength: length,
    ...(flags === 0 ? {} : { flags }),
    ...(decimals === 0 ? {} : { decimals }),
  };
}
