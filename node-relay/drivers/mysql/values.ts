/** Writes values as JSON text, from the two forms in which servers send them: binary and text. */

import {
  bigintText,
  doubleText,
  integerText,
  isJsonNumber,
  jsonOrString,
  plainString,
} from '../../../kinds/json-forms.ts';
import {
  type Column,
  type ColumnType,
  columnType,
  EXACT_BITS,
  TYPE,
} from '../../../kinds/mysql/dialect/types.ts';
import { floatText, momentText } from '../../../kinds/mysql/dialect/values.ts';
import { type LongEncoder, longBase64, longJsonBytes, longUtf8 } from '../long-bytes.ts';
import { Unreadable } from '../loss.ts';
import type { Packet } from './packets.ts';

/** Writes the value at which the reader is as JSON text, and moves behind it. */
export type Encoder = (reader: Packet) => string;

/** What servers say of values whose fractions have no fixed length. */
const NOT_FIXED = 7;

const BIT_MAX_BYTES = 8;

/** As an integer: BIT(64) has no more bits. */
function bitsOf(reader: Packet): bigint {
  let value = 0n;
  const bytes = reader.length();
  if (bytes > BIT_MAX_BYTES) throw new Unreadable('more bits than a value has');
  for (let left = bytes; left > 0; left -= 1) value = (value << 8n) | BigInt(reader.u8());
  return value;
}

function bitEncoder({ length }: Column, numbersAsStrings: boolean): Encoder {
  const asString = numbersAsStrings && length > EXACT_BITS;
  return asString ? (reader) => `"${bitsOf(reader)}"` : (reader) => bigintText(bitsOf(reader));
}

function lengthString(reader: Packet): string {
  return JSON.stringify(reader.lengthText());
}

function lengthBytes(reader: Packet): string {
  return `"${reader.base64(reader.length())}"`;
}

function lengthQuoted(reader: Packet): string {
  return plainString(reader.latin1(reader.length()));
}

function lengthJson(reader: Packet): string {
  return jsonOrString(reader.lengthText());
}

const two = (value: number) => (value < 10 ? `0${value}` : String(value));

function fraction(micros: number, decimals: number): string {
  if (decimals > 0 && decimals < NOT_FIXED) {
    return `.${String(micros).padStart(6, '0').slice(0, decimals)}`;
  }
  return micros === 0 || decimals === 0 ? '' : `.${String(micros).padStart(6, '0')}`;
}

/** Of those parts that are not zero. */
const MOMENT_LENGTHS = [0, 4, 7, 11];
const TIME_LENGTHS = [0, 8, 12];

function lengthOf(reader: Packet, lengths: readonly number[]): number {
  const length = reader.u8();
  if (!lengths.includes(length)) throw new Unreadable('a moment of no such length');
  return length;
}

/** Source: MySQL Internals, "Binary Protocol Value", MYSQL_TYPE_DATETIME. */
function binaryMoment(decimals: number, dateOnly: boolean, zone: string): Encoder {
  return (reader) => {
    const length = lengthOf(reader, MOMENT_LENGTHS);
    const end = reader.at + length;
    const year = length >= 4 ? reader.u16() : 0;
    const [month, day] = length >= 4 ? [reader.u8(), reader.u8()] : [0, 0];
    // The zero of TIMESTAMP is no moment, so it has no zone.
    const offset = year + month + day === 0 ? '' : zone;
    const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
    if (dateOnly) {
      reader.over(end - reader.at);
      return `"${date}"`;
    }
    const [hour, minute, second] =
      length >= 7 ? [reader.u8(), reader.u8(), reader.u8()] : [0, 0, 0];
    const micros = length >= 11 ? reader.u32() : 0;
    return `"${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction(micros, decimals)}${offset}"`;
  };
}

/** Hours may be more than a day's. Source: "Binary Protocol Value", MYSQL_TYPE_TIME. */
function binaryTime(decimals: number): Encoder {
  return (reader) => {
    const length = lengthOf(reader, TIME_LENGTHS);
    if (length === 0) return `"00:00:00${fraction(0, decimals)}"`;
    const sign = reader.u8() === 1 ? '-' : '';
    const hours = reader.u32() * 24 + reader.u8();
    const [minute, second] = [reader.u8(), reader.u8()];
    const micros = length >= 12 ? reader.u32() : 0;
    return `"${sign}${two(hours)}:${two(minute)}:${two(second)}${fraction(micros, decimals)}"`;
  };
}

/** Of integers, by their size and sign. */
function binaryInteger(type: number, unsigned: boolean): Encoder {
  switch (type) {
    case TYPE.tiny:
      return unsigned
        ? (reader) => String(reader.u8())
        : (reader) => String((reader.u8() << 24) >> 24);
    case TYPE.short:
    case TYPE.year:
      return unsigned || type === TYPE.year
        ? (reader) => String(reader.u16())
        : (reader) => String((reader.u16() << 16) >> 16);
    default:
      return unsigned ? (reader) => String(reader.u32()) : (reader) => String(reader.u32() | 0);
  }
}

function binaryBigint(unsigned: boolean, asString: boolean): Encoder {
  return (reader) => {
    const raw = reader.u64();
    const value = unsigned ? raw : BigInt.asIntN(64, raw);
    return asString ? `"${value}"` : bigintText(value);
  };
}

/** How values of a column are written that come in the binary form, as those of prepared statements do. */
export function binaryEncoder(column: Column, numbersAsStrings: boolean): Encoder {
  const { format, unsigned } = columnType(column);
  switch (format) {
    case 'integer':
      return binaryInteger(column.type, unsigned);
    case 'bigint':
      return binaryBigint(unsigned, numbersAsStrings);
    case 'float':
      return (reader) => floatText(reader.float());
    case 'double':
      return (reader) => doubleText(reader.double());
    case 'date':
      return binaryMoment(0, true, '');
    case 'datetime':
      return binaryMoment(column.decimals, false, '');
    case 'timestamp':
      return binaryMoment(column.decimals, false, 'Z');
    case 'time':
      return binaryTime(column.decimals);
    case 'bit':
      return bitEncoder(column, numbersAsStrings);
    default:
      return lengthEncoder(format);
  }
}

/** Writes values of a column that are long, from their bytes; undefined where they are never. */
export function longEncoder(column: Column): LongEncoder | undefined {
  const { format } = columnType(column);
  return LONG[format];
}

/** By format: others come to an end soon. */
const LONG: { readonly [format in ColumnType['format']]?: LongEncoder } = {
  text: longUtf8(),
  bytes: longBase64(),
  json: longJsonBytes,
};

/** Of values that are a length and bytes in either form. */
function lengthEncoder(format: ColumnType['format']): Encoder {
  switch (format) {
    case 'decimal':
      return lengthQuoted;
    case 'bytes':
      return lengthBytes;
    case 'json':
      return lengthJson;
    default:
      return lengthString;
  }
}

function textMoment(zone: string): Encoder {
  return (reader) => momentText(reader.latin1(reader.length()), zone);
}

/** YEAR and ZEROFILL have zeroes ahead, which JSON has not. */
function digitsOf(reader: Packet): string {
  return reader.latin1(reader.length()).replace(/^(-?)0+(?=\d)/, '$1');
}

/** What is no number is a string: a server's word for it is not enough. */
function numberText(text: string): string {
  return isJsonNumber(text) ? doubleText(Number(text)) : JSON.stringify(text);
}

/** How values of a column are written that come as text. */
export function textEncoder(column: Column, numbersAsStrings: boolean): Encoder {
  const { format } = columnType(column);
  switch (format) {
    case 'integer':
      return (reader) => integerText(digitsOf(reader));
    case 'bigint':
      return (reader) => {
        const text = digitsOf(reader);
        return numbersAsStrings ? plainString(text) : integerText(text);
      };
    case 'float':
    case 'double':
      return (reader) => numberText(reader.latin1(reader.length()));
    case 'date':
    case 'time':
      return lengthQuoted;
    case 'datetime':
      return textMoment('');
    case 'timestamp':
      return textMoment('Z');
    case 'bit':
      return bitEncoder(column, numbersAsStrings);
    default:
      return lengthEncoder(format);
  }
}
