/** Writes values as JSON text, from the two forms in which servers send them: binary and text. */
import { type Column, type ColumnType, columnType, TYPE } from '../../../dialects/mysql/types.ts';
import {
  bigintText,
  doubleText,
  floatText,
  integerText,
  jsonText,
} from '../../../dialects/mysql/values.ts';
import type { Reader } from './packets.ts';

/** Writes the value at which the reader stands as JSON text, and moves behind it. */
export type Encoder = (reader: Reader) => string;

/** What servers say of values whose fractions have no fixed length. */
const NOT_FIXED = 7;

/** As an integer: BIT(64) has no more bits. */
function bitText(reader: Reader): string {
  let value = 0n;
  for (let left = reader.length(); left > 0; left -= 1) value = (value << 8n) | BigInt(reader.u8());
  return bigintText(value);
}

function lengthString(reader: Reader): string {
  return JSON.stringify(reader.lengthText());
}

function lengthBytes(reader: Reader): string {
  return `"${reader.base64(reader.length())}"`;
}

function lengthQuoted(reader: Reader): string {
  return `"${reader.latin1(reader.length())}"`;
}

function lengthJson(reader: Reader): string {
  return jsonText(reader.lengthText());
}

const two = (value: number) => (value < 10 ? `0${value}` : String(value));

function fraction(micros: number, decimals: number): string {
  if (decimals > 0 && decimals < NOT_FIXED) {
    return `.${String(micros).padStart(6, '0').slice(0, decimals)}`;
  }
  return micros === 0 || decimals === 0 ? '' : `.${String(micros).padStart(6, '0')}`;
}

/** Source: MySQL Internals, "Binary Protocol Value", MYSQL_TYPE_DATETIME. */
function binaryMoment(decimals: number, dateOnly: boolean, zone: string): Encoder {
  return (reader) => {
    const length = reader.u8();
    const end = reader.at + length;
    const year = length >= 4 ? reader.u16() : 0;
    const [month, day] = length >= 4 ? [reader.u8(), reader.u8()] : [0, 0];
    const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
    if (dateOnly) {
      reader.at = end;
      return `"${date}"`;
    }
    const [hour, minute, second] =
      length >= 7 ? [reader.u8(), reader.u8(), reader.u8()] : [0, 0, 0];
    const micros = length >= 11 ? reader.u32() : 0;
    return `"${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction(micros, decimals)}${zone}"`;
  };
}

/** Hours may be more than a day's. Source: "Binary Protocol Value", MYSQL_TYPE_TIME. */
function binaryTime(decimals: number): Encoder {
  return (reader) => {
    const length = reader.u8();
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
      return (reader) => {
        reader.at += 4;
        return floatText(reader.buffer.readFloatLE(reader.at - 4));
      };
    case 'double':
      return (reader) => {
        reader.at += 8;
        return doubleText(reader.buffer.readDoubleLE(reader.at - 8));
      };
    case 'date':
      return binaryMoment(0, true, '');
    case 'datetime':
      return binaryMoment(column.decimals, false, '');
    case 'timestamp':
      return binaryMoment(column.decimals, false, 'Z');
    case 'time':
      return binaryTime(column.decimals);
    default:
      return lengthEncoder(format);
  }
}

/** Of values that are a length and bytes in either form. */
function lengthEncoder(format: ColumnType['format']): Encoder {
  switch (format) {
    case 'decimal':
      return lengthQuoted;
    case 'bit':
      return bitText;
    case 'bytes':
      return lengthBytes;
    case 'json':
      return lengthJson;
    default:
      return lengthString;
  }
}

function textMoment(zone: string): Encoder {
  return (reader) => {
    const text = reader.latin1(reader.length());
    return `"${text.slice(0, 10)}T${text.slice(11)}${zone}"`;
  };
}

/** How values of a column are written that come as text. */
export function textEncoder(column: Column, numbersAsStrings: boolean): Encoder {
  const { format } = columnType(column);
  switch (format) {
    case 'integer':
      // YEAR and ZEROFILL have zeroes ahead, which JSON has not.
      return (reader) => String(Number(reader.latin1(reader.length())));
    case 'bigint':
      return (reader) => {
        const text = reader.latin1(reader.length()).replace(/^0+(?=\d)/, '');
        return numbersAsStrings ? `"${text}"` : integerText(text);
      };
    case 'float':
    case 'double':
      return (reader) => doubleText(Number(reader.latin1(reader.length())));
    case 'date':
    case 'time':
      return lengthQuoted;
    case 'datetime':
      return textMoment('');
    case 'timestamp':
      return textMoment('Z');
    default:
      return lengthEncoder(format);
  }
}
