/** Writes single values as JSON text, from the bytes in which the server sends them. */
import { bigintText, doubleText, shortestSingle } from '../../../kinds/json-forms.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { type LongEncoder, longBase64, longUtf8 } from '../long-bytes.ts';
import { ReplyFault } from './bytes.ts';
import { dateText, momentText, timeText } from './calendar.ts';
import { durationOf } from './duration.ts';
import { inetText } from './inet.ts';
import { bigintOf, decimalText } from './numbers.ts';

/** Writes a value, which is there, as JSON text. @throws ReplyFault, GatewayError RESULT_TOO_LARGE */
export type Encoder = (bytes: Buffer) => string;

/**
 * Characters that the text of one row may have: a field of 64 MiB in base64, and what is around it.
 * A few bytes of a type with many members make much text.
 */
const ROW_MAX = 96 * 1024 * 1024;
/** Characters of a long value that take as long to write as a short value. */
export const VALUE_UNIT = 24;
/** Texts of fewer bytes are written before they are counted. */
const SMALL_BYTES = 1024 * 1024;

/** How much text a row may still have. */
export class RowRoom {
  #left = ROW_MAX;

  /** Begins the next row. */
  renew(): void {
    this.#left = ROW_MAX;
  }

  /** @throws GatewayError RESULT_TOO_LARGE */
  take(length: number): void {
    this.check(length);
    this.#left -= length;
  }

  /** Looks whether so much may be written. @throws GatewayError RESULT_TOO_LARGE */
  check(length: number): void {
    if (length <= this.#left) return;
    throw new GatewayError(
      'RESULT_TOO_LARGE',
      'A row of the result is larger than 96 MiB as text; a field may have 64 MiB',
    );
  }
}

/** Of `date`: the day in the middle is 1970-01-01. */
const DATE_CENTRE = 2_147_483_648n;

/** The shortest text that is that single. */
function floatText(value: number): string {
  return doubleText(shortestSingle(value));
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `"${parts.join('-')}-${hex.slice(20)}"`;
}

/** Bytes of a number with 100,000 digits: the most that a caller may write, too. */
const NUMBER_MAX_BYTES = 41_525;
/** Digits that each take as long to write as a character of another value. */
const DIGITS_UNIT = 1_000;

/** Writing takes the square of its digits. @throws GatewayError RESULT_TOO_LARGE */
function integerIn(bytes: Buffer, room: RowRoom): bigint {
  if (bytes.length > NUMBER_MAX_BYTES) {
    const message = 'A number of the result has more than 100,000 digits';
    throw new GatewayError('RESULT_TOO_LARGE', message);
  }
  room.take((bytes.length * 2.5) ** 2 / DIGITS_UNIT);
  return bigintOf(bytes);
}

type Scalar = (bytes: Buffer, room: RowRoom) => string;

const utf8: Scalar = (bytes, room) => {
  if (bytes.length > SMALL_BYTES) room.check(escapedLength(bytes));
  return JSON.stringify(bytes.toString('utf8'));
};

/** At least the characters of a text in JSON. */
function escapedLength(bytes: Buffer): number {
  let length = bytes.length;
  for (const byte of bytes) if (byte < 0x20 || byte === 0x22 || byte === 0x5c) length += 1;
  return length;
}

const uuid: Scalar = uuidText;
const long: Scalar = (bytes) => bigintText(bytes.readBigInt64BE());

const SIMPLE: { readonly [name: string]: Scalar } = {
  ascii: utf8,
  text: utf8,
  bigint: long,
  counter: long,
  blob: (bytes, room) => {
    room.check((bytes.length / 3) * 4);
    return `"${bytes.toString('base64')}"`;
  },
  boolean: (bytes) => (bytes[0] === 0 ? 'false' : 'true'),
  decimal: (bytes, room) =>
    `"${decimalText(integerIn(bytes.subarray(4), room), bytes.readInt32BE())}"`,
  double: (bytes) => doubleText(bytes.readDoubleBE()),
  float: (bytes) => floatText(bytes.readFloatBE()),
  int: (bytes) => String(bytes.readInt32BE()),
  smallint: (bytes) => String(bytes.readInt16BE()),
  tinyint: (bytes) => String(bytes.readInt8()),
  timestamp: (bytes) => `"${momentText(bytes.readBigInt64BE())}"`,
  uuid,
  timeuuid: uuid,
  varint: (bytes, room) => `"${integerIn(bytes, room)}"`,
  inet: (bytes) => `"${inetText(bytes)}"`,
  date: (bytes) => `"${dateText(BigInt(bytes.readUInt32BE()) - DATE_CENTRE)}"`,
  time: (bytes) => {
    const nanoseconds = bytes.readBigInt64BE();
    if (nanoseconds < 0n || nanoseconds >= DAY_NS) throw new ReplyFault('There is no such time');
    return `"${timeText(nanoseconds)}"`;
  },
  duration: (bytes) => {
    const { months, days, nanoseconds } = durationOf(bytes);
    return `{"months":${months},"days":${days},"nanoseconds":${bigintText(nanoseconds)}}`;
  },
};
/** With `numbers=string`. */
const AS_STRINGS: { readonly [name: string]: Scalar } = {
  bigint: (bytes) => `"${bytes.readBigInt64BE()}"`,
  counter: (bytes) => `"${bytes.readBigInt64BE()}"`,
  duration: (bytes) => {
    const { months, days, nanoseconds } = durationOf(bytes);
    return `{"months":${months},"days":${days},"nanoseconds":"${nanoseconds}"}`;
  },
};
/** Types with empty values; of other types it is null. */
const MAY_BE_EMPTY = new Set(['ascii', 'text', 'blob']);

const DAY_NS = 86_400_000_000_000n;

/** Bytes that values have. Source: CQL binary protocol v4, section 6. */
const LENGTHS: { readonly [name: string]: readonly number[] } = {
  bigint: [8],
  boolean: [1],
  counter: [8],
  date: [4],
  double: [8],
  float: [4],
  inet: [4, 16],
  int: [4],
  smallint: [2],
  time: [8],
  timestamp: [8],
  timeuuid: [16],
  tinyint: [1],
  uuid: [16],
};

/** What writes long values of a simple type in pieces; undefined where they are never. @throws GatewayError RESULT_TOO_LARGE */
export function longScalarEncoder(name: string, room: RowRoom): LongEncoder | undefined {
  const of = name === 'blob' ? longBase64 : longUtf8;
  if (of === longUtf8 && !isText(name)) return undefined;
  return function* (bytes, out) {
    let length = QUOTES;
    room.take(QUOTES);
    const took = (characters: number) => {
      length += characters;
      room.take(characters);
    };
    yield* of(took)(bytes, out);
    room.take(Math.max(VALUE_UNIT - length, 0));
  };
}

const QUOTES = 2;

/** Types of other names than the protocol's are written as texts. */
function isText(name: string): boolean {
  return (SIMPLE[name] ?? utf8) === utf8;
}

/** What writes values of a simple type. */
export function scalarEncoder(name: string, numbersAsStrings: boolean, room: RowRoom): Encoder {
  const encode = (numbersAsStrings ? AS_STRINGS[name] : undefined) ?? SIMPLE[name] ?? utf8;
  const mayBeEmpty = MAY_BE_EMPTY.has(name);
  const [length, other] = LENGTHS[name] ?? [];
  return (bytes) => {
    if (bytes.length === 0 && !mayBeEmpty) {
      room.take(VALUE_UNIT);
      return 'null';
    }
    if (length !== undefined && bytes.length !== length && bytes.length !== other) {
      throw new ReplyFault(`A value of type ${name} has ${bytes.length} bytes`);
    }
    const text = encode(bytes, room);
    room.take(Math.max(text.length, VALUE_UNIT));
    return text;
  };
}
