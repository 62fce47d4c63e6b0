/** What the documentation promises of MariaDB's values, from the server's own text of them. */
import type { FieldPacket } from 'mysql2/promise';

/** Column types on the wire. Source: MySQL Internals, "Column Types". */
const INTEGERS = new Set([1, 2, 3, 9, 13]);
const [FLOAT, DOUBLE, TIMESTAMP, LONGLONG, DATETIME, BIT, GEOMETRY] = [4, 5, 7, 8, 12, 16, 255];
const TEXTS = new Set([0, 10, 11, 14, 246]);
/** The character set that is none. */
const BINARY = 63;

/** What servers say of a DOUBLE whose fractions have no fixed length. */
const NOT_FIXED = 31;

/** How servers round numbers of a column that they write as text: this client gets no more. */
export function roundedAs({
  columnType,
  decimals = NOT_FIXED,
}: FieldPacket): ((value: number) => string) | undefined {
  if (columnType !== FLOAT && columnType !== DOUBLE) return undefined;
  if (decimals < NOT_FIXED) {
    // As text a FLOAT has the digits of the double that it is equal to, through the gateway its shortest.
    const held = columnType === FLOAT ? Math.fround : Number;
    return (value) => String(Number(held(value).toFixed(decimals)) + 0);
  }
  return columnType === FLOAT ? (value) => value.toPrecision(6) : undefined;
}

/** JSON text of a value. */
export function jsonOf(value: Buffer, { columnType, characterSet }: FieldPacket): string {
  const text = value.toString('utf8');
  if (columnType === undefined) return JSON.stringify(text);
  if (INTEGERS.has(columnType)) return String(Number(text));
  if (columnType === LONGLONG) return longOf(text);
  if (columnType === FLOAT || columnType === DOUBLE) return doubleOf(text);
  if (columnType === BIT) return longOf(BigInt(`0x${value.toString('hex')}`).toString());
  if (columnType === DATETIME) return JSON.stringify(text.replace(' ', 'T'));
  if (columnType === TIMESTAMP) {
    return JSON.stringify(`${text.replace(' ', 'T')}${text.startsWith('0000-00-00') ? '' : 'Z'}`);
  }
  if (TEXTS.has(columnType)) return JSON.stringify(text);
  const isBytes = characterSet === BINARY || columnType === GEOMETRY;
  return JSON.stringify(isBytes ? value.toString('base64') : text);
}

function longOf(text: string): string {
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1');
  return Number.isSafeInteger(Number(digits)) ? digits : JSON.stringify(digits);
}

function doubleOf(text: string): string {
  const value = Number(text);
  return Object.is(value, -0) ? '-0' : String(value);
}
