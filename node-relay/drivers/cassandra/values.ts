/** Writes values as JSON text, from the bytes in which the server sends them. */
import { dateText, momentText, timeText } from './calendar.ts';
import { durationOf } from './duration.ts';
import { inetText } from './inet.ts';
import { type CqlType, fixedLength } from './marshal.ts';
import { bigintOf, decimalText, readVint } from './numbers.ts';

/** Writes a value, which is there, as JSON text. */
export type Encoder = (bytes: Buffer) => string;

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** Of `date`: the day in the middle is 1970-01-01. */
const DATE_CENTRE = 2_147_483_648n;

/** A number when a double holds it, else a string. Contract §6: "Results never lose a value". */
function bigintText(value: bigint): string {
  return value <= SAFE && value >= -SAFE ? value.toString() : `"${value}"`;
}

/** JSON has no NaN and no infinities, and no other way for -0 than the sign. */
function doubleText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The shortest text that is that single. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return doubleText(value);
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return doubleText(short);
  }
  return doubleText(Number(value.toPrecision(9)));
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `"${parts.join('-')}-${hex.slice(20)}"`;
}

const utf8: Encoder = (bytes) => JSON.stringify(bytes.toString('utf8'));
const uuid: Encoder = uuidText;
const long: Encoder = (bytes) => bigintText(bytes.readBigInt64BE());

const SIMPLE: { readonly [name: string]: Encoder } = {
  ascii: utf8,
  text: utf8,
  bigint: long,
  counter: long,
  blob: (bytes) => `"${bytes.toString('base64')}"`,
  boolean: (bytes) => (bytes[0] === 0 ? 'false' : 'true'),
  decimal: (bytes) => `"${decimalText(bigintOf(bytes.subarray(4)), bytes.readInt32BE())}"`,
  double: (bytes) => doubleText(bytes.readDoubleBE()),
  float: (bytes) => floatText(bytes.readFloatBE()),
  int: (bytes) => String(bytes.readInt32BE()),
  smallint: (bytes) => String(bytes.readInt16BE()),
  tinyint: (bytes) => String(bytes.readInt8()),
  timestamp: (bytes) => `"${momentText(bytes.readBigInt64BE())}"`,
  uuid,
  timeuuid: uuid,
  varint: (bytes) => `"${bigintOf(bytes)}"`,
  inet: (bytes) => `"${inetText(bytes)}"`,
  date: (bytes) => `"${dateText(BigInt(bytes.readUInt32BE()) - DATE_CENTRE)}"`,
  time: (bytes) => `"${timeText(bytes.readBigInt64BE())}"`,
  duration: (bytes) => {
    const { months, days, nanoseconds } = durationOf(bytes);
    return `{"months":${months},"days":${days},"nanoseconds":${bigintText(nanoseconds)}}`;
  },
};
/** With `numbers=string`. */
const AS_STRINGS: { readonly [name: string]: Encoder } = {
  bigint: (bytes) => `"${bytes.readBigInt64BE()}"`,
  counter: (bytes) => `"${bytes.readBigInt64BE()}"`,
  duration: (bytes) => {
    const { months, days, nanoseconds } = durationOf(bytes);
    return `{"months":${months},"days":${days},"nanoseconds":"${nanoseconds}"}`;
  },
};
/** Of these, no bytes are a value; of others they are none. */
const MAY_BE_EMPTY = new Set(['ascii', 'text', 'blob']);

/** What writes values of a type. */
export function encoderOf(type: CqlType, numbersAsStrings: boolean): Encoder {
  const of = (inner: CqlType) => encoderOf(inner, numbersAsStrings);
  switch (type.kind) {
    case 'simple':
      return simple(type.name, numbersAsStrings);
    case 'list':
    case 'set':
      return collection(of(type.of));
    case 'map':
      return isName(type.key)
        ? namedMap(of(type.key), of(type.value))
        : pairedMap(of(type.key), of(type.value));
    case 'tuple':
      return tuple(type.of.map(of));
    case 'vector':
      return vector(of(type.of), type.size, fixedLength(type.of));
    case 'udt':
      return members(
        type.fields.map((field) => [`${JSON.stringify(field.name)}:`, of(field.type)]),
      );
  }
}

/** Whether values of a type can be names of an object's members: those that have a text of their own. */
export function isName(type: CqlType): boolean {
  return type.kind === 'simple' && type.name !== 'duration';
}

function simple(name: string, numbersAsStrings: boolean): Encoder {
  const encode = (numbersAsStrings ? AS_STRINGS[name] : undefined) ?? SIMPLE[name] ?? utf8;
  if (MAY_BE_EMPTY.has(name)) return encode;
  return (bytes) => (bytes.length === 0 ? 'null' : encode(bytes));
}

/** Reads values after each other, each with its length before it. */
class Cells {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Of a tuple written before it had more members, the last are not there. */
  get ended(): boolean {
    return this.at >= this.#bytes.length;
  }

  next(encode: Encoder): string {
    const length = this.#bytes.readInt32BE(this.at);
    this.at += 4;
    if (length < 0) return 'null';
    const start = this.at;
    this.at += length;
    return encode(this.#bytes.subarray(start, this.at));
  }
}

function collection(encode: Encoder): Encoder {
  return (bytes) => {
    const cells = new Cells(bytes, 4);
    const parts: string[] = [];
    for (let left = bytes.readInt32BE(); left > 0; left -= 1) parts.push(cells.next(encode));
    return `[${parts.join(',')}]`;
  };
}

function namedMap(key: Encoder, value: Encoder): Encoder {
  return (bytes) => {
    const cells = new Cells(bytes, 4);
    const parts: string[] = [];
    for (let left = bytes.readInt32BE(); left > 0; left -= 1) {
      const name = cells.next(key);
      parts.push(`${name.startsWith('"') ? name : `"${name}"`}:${cells.next(value)}`);
    }
    return `{${parts.join(',')}}`;
  };
}

function pairedMap(key: Encoder, value: Encoder): Encoder {
  return (bytes) => {
    const cells = new Cells(bytes, 4);
    const parts: string[] = [];
    for (let left = bytes.readInt32BE(); left > 0; left -= 1) {
      parts.push(`[${cells.next(key)},${cells.next(value)}]`);
    }
    return `[${parts.join(',')}]`;
  };
}

function tuple(encoders: readonly Encoder[]): Encoder {
  return (bytes) => {
    const cells = new Cells(bytes);
    return `[${encoders.map((encode) => (cells.ended ? 'null' : cells.next(encode))).join(',')}]`;
  };
}

function members(fields: readonly (readonly [name: string, encode: Encoder])[]): Encoder {
  return (bytes) => {
    const cells = new Cells(bytes);
    const parts = fields.map(
      ([name, encode]) => name + (cells.ended ? 'null' : cells.next(encode)),
    );
    return `{${parts.join(',')}}`;
  };
}

function vector(encode: Encoder, size: number, fixed: number | undefined): Encoder {
  return (bytes) => {
    const parts: string[] = [];
    for (let at = 0; parts.length < size; ) {
      const own = fixed === undefined ? readVint(bytes, at) : undefined;
      const start = at + (own?.length ?? 0);
      at = start + (fixed ?? Number(own?.value));
      parts.push(encode(bytes.subarray(start, at)));
    }
    return `[${parts.join(',')}]`;
  };
}
