/** Writes single values as the bytes that the server takes. */

import { isBase64 } from '../../../proto/base64.ts';
import { isFloatText } from '../../../proto/decimal.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  numberText,
  type RawJson,
} from '../../../proto/json.ts';
import { daysOf, millisecondsOf, nanosecondsOf } from './calendar.ts';
import { bytesOfDuration, parsedDuration } from './duration.ts';
import { bytesOfInet } from './inet.ts';
import { bytesOfBigint, decimalOf, integerOf } from './numbers.ts';

/** The bytes of a value, or what is wrong with it. */
type Writer = (value: Json) => Buffer | string;

const DATE_CENTRE = 2_147_483_648n;
const DIGITS = /^[+-]?\d{1,100000}$/;

/** Whether a value is a number, kept as text or not. */
export function isNumber(value: Json): value is number | RawJson {
  return typeof value === 'number' || isRawJson(value);
}

/** Of a number, or of a string of digits: results write long integers so, and names of members too. */
function integer(value: Json): bigint | undefined {
  if (isNumber(value)) return integerOf(numberText(value));
  return typeof value === 'string' && DIGITS.test(value) ? BigInt(value) : undefined;
}

function fixed(name: string, bits: 8 | 16 | 32 | 64): Writer {
  return (value) => {
    const whole = integer(value);
    if (whole === undefined) return `must be an integer for type ${name}`;
    if (BigInt.asIntN(bits, whole) !== whole) return `is outside the range of type ${name}`;
    return bytesOfInteger(whole, bits);
  };
}

function bytesOfInteger(value: bigint, bits: number): Buffer {
  const hex = BigInt.asUintN(bits, value).toString(16);
  return Buffer.from(hex.padStart(bits / 4, '0'), 'hex');
}

const SPECIAL = new Set(['NaN', 'Infinity', '-Infinity']);

/** The number itself: its text would lose the sign of zero. Undefined where it is not a number. */
function floatOf(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  const text = isRawJson(value) ? value.rawJSON : value;
  const isFloat = typeof text === 'string' && (SPECIAL.has(text) || isFloatText(text));
  return isFloat ? Number(text) : undefined;
}

function floating(name: string, bytes: 4 | 8): Writer {
  return (value) => {
    const number = floatOf(value);
    if (number === undefined) {
      return `must be a number, "NaN", "Infinity" or "-Infinity" for type ${name}`;
    }
    const held = bytes === 4 ? Math.fround(number) : number;
    const isSpecial = typeof value === 'string' && SPECIAL.has(value);
    if (!Number.isFinite(held) && !isSpecial) return `is outside the range of type ${name}`;
    const buffer = Buffer.alloc(bytes);
    if (bytes === 4) buffer.writeFloatBE(number);
    else buffer.writeDoubleBE(number);
    return buffer;
  };
}

function text(name: string, pattern: RegExp | undefined, problem: string): Writer {
  return (value) => {
    if (typeof value !== 'string') return `must be a string for type ${name}`;
    if (pattern && !pattern.test(value)) return problem;
    if (!value.isWellFormed()) return 'holds half of a surrogate pair';
    return Buffer.from(value);
  };
}

const blob: Writer = (value) => {
  const isWrapped = isJsonObject(value) && Object.keys(value).length === 1;
  const given = isWrapped && value.$bytes !== undefined ? value.$bytes : value;
  return typeof given === 'string' && isBase64(given)
    ? Buffer.from(given, 'base64')
    : 'must be base64, alone or as {"$bytes": base64}, for type blob';
};

const decimal: Writer = (value) => {
  const given = isNumber(value) ? numberText(value) : value;
  const found = typeof given === 'string' ? decimalOf(given) : undefined;
  if (!found) return 'must be a number, or a string of its digits, for type decimal';
  return Buffer.concat([bytesOfInteger(BigInt(found.scale), 32), bytesOfBigint(found.unscaled)]);
};

const varint: Writer = (value) => {
  const whole = integer(value);
  return whole === undefined ? 'must be an integer for type varint' : bytesOfBigint(whole);
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const TIME_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function uuid(name: string, pattern: RegExp, form: string): Writer {
  return (value) =>
    typeof value === 'string' && pattern.test(value)
      ? Buffer.from(value.replaceAll('-', ''), 'hex')
      : `must be ${form} for type ${name}`;
}

const timestamp: Writer = (value) => {
  const number = isNumber(value) ? integerOf(numberText(value)) : undefined;
  const moment = typeof value === 'string' ? millisecondsOf(value) : number;
  if (moment === undefined) {
    return 'must be ISO 8601 in whole milliseconds, such as 2026-01-31T10:00:00.000Z, or milliseconds since 1970, for type timestamp';
  }
  if (BigInt.asIntN(64, moment) !== moment) return 'is outside the range of type timestamp';
  return bytesOfInteger(moment, 64);
};

const date: Writer = (value) => {
  const days = typeof value === 'string' ? daysOf(value) : undefined;
  if (days === undefined) return 'must be a day such as 2026-01-31 for type date';
  const shifted = days + DATE_CENTRE;
  if (BigInt.asUintN(32, shifted) !== shifted) return 'is outside the range of type date';
  return bytesOfInteger(shifted, 32);
};

const time: Writer = (value) => {
  const nanoseconds = typeof value === 'string' ? nanosecondsOf(value) : undefined;
  return nanoseconds === undefined
    ? 'must be a time of day such as 10:00:00.000000000 for type time'
    : bytesOfInteger(nanoseconds, 64);
};

const inet: Writer = (value) =>
  (typeof value === 'string' ? bytesOfInet(value) : undefined) ??
  'must be an IPv4 or IPv6 address for type inet';

/** The last stands for names of an object's members. */
const BOOLEANS = new Map<Json, number>([
  [true, 1],
  [false, 0],
  ['true', 1],
  ['false', 0],
]);
const boolean: Writer = (value) => {
  const byte = BOOLEANS.get(value);
  return byte === undefined ? 'must be true or false for type boolean' : Buffer.from([byte]);
};

const PARTS = ['months', 'days', 'nanoseconds'];

const duration: Writer = (value) => {
  const bytes = typeof value === 'string' ? fromText(value) : fromParts(value);
  return (
    bytes ??
    'must be {"months", "days", "nanoseconds"} of one sign, or a text such as P1Y2M3DT4H5M6S, for type duration'
  );
};

function fromText(value: string): Buffer | undefined {
  const parsed = parsedDuration(value);
  return parsed && bytesOfDuration(parsed);
}

function fromParts(value: Json): Buffer | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Object.keys(value).some((name) => !PARTS.includes(name))) return undefined;
  const [months, days, nanoseconds] = PARTS.map((name) => integer(value[name] ?? 0));
  if (months === undefined || days === undefined || nanoseconds === undefined) return undefined;
  return bytesOfDuration({ months, days, nanoseconds });
}

/** By names of types. */
export const SIMPLE_WRITERS: { readonly [name: string]: Writer } = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is just that.
  ascii: text('ascii', /^[\x00-\x7f]*$/, 'has characters outside ASCII'),
  text: text('text', undefined, ''),
  bigint: fixed('bigint', 64),
  counter: fixed('counter', 64),
  int: fixed('int', 32),
  smallint: fixed('smallint', 16),
  tinyint: fixed('tinyint', 8),
  float: floating('float', 4),
  double: floating('double', 8),
  blob,
  boolean,
  decimal,
  varint,
  uuid: uuid('uuid', UUID, 'a UUID'),
  timeuuid: uuid('timeuuid', TIME_UUID, 'a UUID of version 1'),
  timestamp,
  date,
  time,
  inet,
  duration,
};
