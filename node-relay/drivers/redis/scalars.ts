/** Values of RESP that are no lists: from their bytes to what they mean. Source: redis.io/docs/latest/develop/reference/protocol-spec. */
import {
  ReplyDouble,
  ReplyError,
  ReplyStatus,
  type ReplyValue,
} from '../../../kinds/redis/reply-value.ts';

/** Digits of a big number, which take more than linear time to read. Spec silent. */
const BIG_NUMBER_MAX = 2_000;

/** What came is not RESP: the connection cannot be read any further. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** The first byte of a line. */
export const TYPE = {
  string: 0x2b,
  error: 0x2d,
  integer: 0x3a,
  bulk: 0x24,
  list: 0x2a,
  nothing: 0x5f,
  boolean: 0x23,
  double: 0x2c,
  bigNumber: 0x28,
  bulkError: 0x21,
  verbatim: 0x3d,
  map: 0x25,
  set: 0x7e,
  push: 0x3e,
  attribute: 0x7c,
} as const;

const TEXT_TYPES: ReadonlySet<number> = new Set([
  TYPE.string,
  TYPE.error,
  TYPE.nothing,
  TYPE.boolean,
  TYPE.double,
  TYPE.bigNumber,
]);

/** Whether a line of that type is text up to its end. */
export function isText(type: number): boolean {
  return TEXT_TYPES.has(type);
}

/** Whether a line of that type is a value by itself that takes little memory. */
export function isNumber(type: number): boolean {
  return type === TYPE.integer || type === TYPE.nothing || type === TYPE.boolean;
}

/** Whether a line of that type gives the length of a string that follows. */
export function isString(type: number): boolean {
  return type === TYPE.bulk || type === TYPE.verbatim || type === TYPE.bulkError;
}

/** A 64-bit integer, exactly. */
export function integerOf(
  buffer: Buffer,
  from: number,
  to: number,
  negative: boolean,
  number: number,
): number | bigint {
  // `-0` is 0: Redis has no other.
  if (number <= Number.MAX_SAFE_INTEGER) return negative ? 0 - number : number;
  const exact = BigInt(buffer.toString('latin1', from, to));
  return negative ? -exact : exact;
}

/** What a line of text is. @throws ProtocolError */
export function textValue(type: number, text: string): ReplyValue {
  switch (type) {
    case TYPE.string:
      return new ReplyStatus(text);
    case TYPE.error:
      return new ReplyError(text);
    case TYPE.nothing:
      if (text === '') return null;
      break;
    case TYPE.boolean:
      if (text === 't' || text === 'f') return text === 't';
      break;
    case TYPE.double:
      return doubleOf(text);
    case TYPE.bigNumber:
      if (text.length <= BIG_NUMBER_MAX && /^[+-]?\d+$/.test(text)) return bigNumberOf(text);
      break;
  }
  throw new ProtocolError('a reply of no known type');
}

function bigNumberOf(text: string): bigint {
  const digits = BigInt(text.replace(/^[+-]/, ''));
  return text.startsWith('-') ? -digits : digits;
}

function doubleOf(text: string): ReplyDouble {
  if (/^[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?$/i.test(text)) return new ReplyDouble(Number(text));
  const special = /^([+-]?)(inf|-?nan)/i.exec(text);
  if (!special) throw new ProtocolError('a double that is none');
  if (special[2]?.toLowerCase() !== 'inf') return new ReplyDouble(Number.NaN);
  return new ReplyDouble(special[1] === '-' ? -Infinity : Infinity);
}

/** Longest string that is kept as text where there are many: the bytes' own object takes more. */
const SHORT_MAX = 64;

/**
 * What a string of a told length is.
 * @param isOneOfMany a short one is text, then, if it is ASCII
 * @throws ProtocolError
 */
export function stringValue(
  type: number,
  body: Buffer,
  [from, to]: readonly [number, number],
  isOneOfMany: boolean,
): ReplyValue {
  if (type === TYPE.bulk) {
    return isOneOfMany && isShortText(body, from, to)
      ? body.toString('latin1', from, to)
      : body.subarray(from, to);
  }
  if (type === TYPE.bulkError) return new ReplyError(body.toString('utf8', from, to));
  // Three letters of a format and a colon are before the text.
  if (to - from < 4) throw new ProtocolError('a verbatim string without a format');
  return body.subarray(from + 4, to);
}

function isShortText(body: Buffer, from: number, to: number): boolean {
  if (to - from > SHORT_MAX) return false;
  for (let at = from; at < to; at += 1) if ((body[at] ?? 0) > 0x7f) return false;
  return true;
}
