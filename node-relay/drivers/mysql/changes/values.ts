/** Writes the values of a row in the binary log as JSON text, as reads write them. Source: MySQL Internals, "Rows_event"; MariaDB, "Rows_event_v1". */
import { bigintText, doubleText, jsonOrString, plainString } from '../../../../kinds/json-forms.ts';
import { floatText } from '../../../../kinds/mysql/dialect/values.ts';
import { Unreadable } from '../../loss.ts';
import type { Packet } from '../packets.ts';
import type { LoggedColumn } from './columns.ts';

/** Types in the log besides those on the wire. */
export const LOGGED = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  longlong: 8,
  int24: 9,
  date: 10,
  year: 13,
  varchar: 15,
  bit: 16,
  timestamp2: 17,
  datetime2: 18,
  time2: 19,
  decimal: 246,
  enum: 247,
  set: 248,
  blob: 252,
  varstring: 253,
  string: 254,
  geometry: 255,
} as const;

/** Writes the value at which the reader is, and moves behind it. */
export type LogEncoder = (reader: Packet) => string;

/**
 * How values of a column are written.
 * @param meta what the log says about the type besides its number
 * @throws Unreadable for a type that is not read
 */
export function logEncoder(type: number, meta: number, column: LoggedColumn): LogEncoder {
  const { unsigned } = column;
  switch (type) {
    case LOGGED.tiny:
      return (reader) => String(unsigned ? reader.u8() : (reader.u8() << 24) >> 24);
    case LOGGED.short:
      return (reader) => String(unsigned ? reader.u16() : (reader.u16() << 16) >> 16);
    case LOGGED.int24:
      return (reader) => String(unsigned ? reader.u24() : (reader.u24() << 8) >> 8);
    case LOGGED.long:
      return (reader) => String(unsigned ? reader.u32() : reader.u32() | 0);
    case LOGGED.longlong:
      return (reader) => {
        const raw = reader.u64();
        return bigintText(unsigned ? raw : BigInt.asIntN(64, raw));
      };
    case LOGGED.float:
      return (reader) => floatText(reader.float());
    case LOGGED.double:
      return (reader) => doubleText(reader.double());
    case LOGGED.decimal:
      return (reader) => plainString(decimal(reader, meta & 0xff, meta >> 8));
    case LOGGED.bit:
      return (reader) => bigintText(bigEndian(reader, (meta >> 8) + ((meta & 0xff) > 0 ? 1 : 0)));
    case LOGGED.year:
      return (reader) => String(yearOf(reader.u8()));
    case LOGGED.date:
      return date;
    case LOGGED.time2:
      return (reader) => time(reader, meta);
    case LOGGED.datetime2:
      return (reader) => datetime(reader, meta);
    case LOGGED.timestamp2:
      return (reader) => timestamp(reader, meta);
    default:
      return lengthEncoder(type, meta, column);
  }
}

function lengthEncoder(type: number, meta: number, column: LoggedColumn): LogEncoder {
  switch (type) {
    case LOGGED.varchar:
    case LOGGED.varstring:
      return (reader) => column.text(bytesOf(reader, meta > 255 ? reader.u16() : reader.u8()));
    case LOGGED.blob:
    case LOGGED.geometry:
      return (reader) => column.text(bytesOf(reader, littleEndian(reader, meta)));
    case LOGGED.string:
      return string(meta, column);
    default:
      throw new Unreadable('a type of the log that is not known');
  }
}

/** CHAR, BINARY, ENUM and SET share a number: the first byte of what is next to it tells them apart. */
function string(meta: number, column: LoggedColumn): LogEncoder {
  const first = meta & 0xff;
  const second = meta >> 8;
  if (first === LOGGED.enum) {
    return (reader) => JSON.stringify(column.members[littleEndian(reader, second) - 1] ?? '');
  }
  if (first === LOGGED.set) {
    return (reader) => JSON.stringify(membersOf(reader, second, column.members));
  }
  const isLong = (first & 0x30) !== 0x30;
  const longest = isLong ? second | (((first & 0x30) ^ 0x30) << 4) : second;
  return (reader) => column.text(bytesOf(reader, longest > 255 ? reader.u16() : reader.u8()));
}

function membersOf(reader: Packet, bytes: number, members: readonly string[]): string {
  let bits = 0n;
  for (let at = 0; at < bytes; at += 1) bits |= BigInt(reader.u8()) << BigInt(8 * at);
  return members.filter((_, at) => (bits & (1n << BigInt(at))) !== 0n).join(',');
}

function bytesOf(reader: Packet, length: number): Buffer {
  const from = reader.over(length);
  return reader.buffer.subarray(from, from + length);
}

function littleEndian(reader: Packet, bytes: number): number {
  const from = reader.over(bytes);
  return bytes === 0 ? 0 : reader.buffer.readUIntLE(from, bytes);
}

function bigEndian(reader: Packet, bytes: number): bigint {
  let value = 0n;
  for (let left = bytes; left > 0; left -= 1) value = (value << 8n) | BigInt(reader.u8());
  return value;
}

const DIGITS_OF_FOUR_BYTES = 9;
const BYTES_OF_DIGITS = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

/** Digits in groups of nine, each in four bytes; the sign is the first bit, which is turned. Source: decimal2bin of strings/decimal.c. */
function decimal(reader: Packet, precision: number, scale: number): string {
  const whole = precision - scale;
  const [wholeGroups, wholeRest] = [Math.floor(whole / 9), whole % 9];
  const [scaleGroups, scaleRest] = [Math.floor(scale / 9), scale % 9];
  const size =
    (BYTES_OF_DIGITS[wholeRest] ?? 0) +
    4 * (wholeGroups + scaleGroups) +
    (BYTES_OF_DIGITS[scaleRest] ?? 0);
  const bytes = Buffer.from(bytesOf(reader, size));
  const isNegative = (bytes[0] ?? 0) < 0x80;
  bytes[0] = (bytes[0] ?? 0) ^ 0x80;
  if (isNegative) for (const [at, byte] of bytes.entries()) bytes[at] = byte ^ 0xff;
  let at = 0;
  const group = (digits: number): string => {
    const length = BYTES_OF_DIGITS[digits] ?? 0;
    if (length === 0) return '';
    at += length;
    return String(bytes.readUIntBE(at - length, length)).padStart(digits, '0');
  };
  let text = group(wholeRest);
  for (let left = wholeGroups; left > 0; left -= 1) text += group(DIGITS_OF_FOUR_BYTES);
  text = text.replace(/^0+(?=\d)/, '') || '0';
  if (scale > 0) {
    text += '.';
    for (let left = scaleGroups; left > 0; left -= 1) text += group(DIGITS_OF_FOUR_BYTES);
    text += group(scaleRest);
  }
  return isNegative ? `-${text}` : text;
}

const two = (value: number) => String(value).padStart(2, '0');

function yearOf(byte: number): number {
  return byte === 0 ? 0 : 1900 + byte;
}

function date(reader: Packet): string {
  const value = reader.u24();
  return `"${String(value >> 9).padStart(4, '0')}-${two((value >> 5) & 15)}-${two(value & 31)}"`;
}

/** Of microseconds in hundredths, ten-thousandths or millionths, by how many digits are kept. */
function fraction(reader: Packet, decimals: number): string {
  const bytes = Math.ceil(decimals / 2);
  const value = Number(bigEndian(reader, bytes));
  return decimals === 0
    ? ''
    : `.${String(value)
        .padStart(bytes * 2, '0')
        .slice(0, decimals)}`;
}

function datetime(reader: Packet, decimals: number): string {
  const value = bigEndian(reader, 5) - 0x80_0000_0000n;
  const clock = Number(value & 0x1ffffn);
  const days = Number(value >> 17n);
  const months = days >> 5;
  const day = `${String(Math.floor(months / 13)).padStart(4, '0')}-${two(months % 13)}-${two(days & 31)}`;
  const text = `${day}T${two(clock >> 12)}:${two((clock >> 6) & 63)}:${two(clock & 63)}`;
  return `"${text}${fraction(reader, decimals)}"`;
}

function timestamp(reader: Packet, decimals: number): string {
  const seconds = Number(bigEndian(reader, 4));
  const rest = fraction(reader, decimals);
  // The zero of TIMESTAMP is no moment, so it has no zone.
  if (seconds === 0) return `"0000-00-00T00:00:00${rest}"`;
  return `"${new Date(seconds * 1000).toISOString().slice(0, 19)}${rest}Z"`;
}

/** Source: my_time_packed_from_binary of sql-common/my_time.c: below zero the fraction counts upwards. */
function time(reader: Packet, decimals: number): string {
  const bytes = Math.ceil(decimals / 2);
  const offset = 1n << BigInt(8 * (3 + bytes) - 1);
  const packed = bigEndian(reader, 3 + bytes) - offset;
  const sign = packed < 0n ? '-' : '';
  const value = packed < 0n ? -packed : packed;
  const parts = value & ((1n << BigInt(8 * bytes)) - 1n);
  const clock = Number(value >> BigInt(8 * bytes));
  const text = `${two(clock >> 12)}:${two((clock >> 6) & 63)}:${two(clock & 63)}`;
  const rest =
    decimals === 0
      ? ''
      : `.${String(parts)
          .padStart(bytes * 2, '0')
          .slice(0, decimals)}`;
  return `"${sign}${text}${rest}"`;
}

/** Bytes in base64. */
export function base64Text(bytes: Buffer): string {
  return `"${bytes.toString('base64')}"`;
}

/** A JSON document as the server keeps it, or its text. */
export function jsonText(bytes: Buffer): string {
  return jsonOrString(bytes.toString('utf8'));
}
