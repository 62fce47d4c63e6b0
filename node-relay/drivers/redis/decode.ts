/** Reads replies out of a connection's bytes, RESP2 and RESP3 alike. Source: redis.io/docs/latest/develop/reference/protocol-spec. */

import type { ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { GatheredBytes } from '../../../proto/gathered-bytes.ts';
import { asBuffer } from '../byte-text.ts';
import { FIELD_MAX_BYTES } from '../field-limit.ts';
import { type Frame, frameOf, NO_ITEMS, wholeOf } from './frame.ts';
import { type Dropped, FIELD_TOO_LARGE, type Receiver, TOO_DEEP, TOO_LARGE } from './receiver.ts';
import {
  integerOf,
  isNumber,
  isString,
  isText,
  ProtocolError,
  stringValue,
  TYPE,
  textValue,
} from './scalars.ts';

/** Lists within lists of a reply that is taken; Redis' own stay far below. Spec silent. */
export const DEPTH_MAX = 512;
/** Lists within lists of a reply that is read to its end and dropped; scripts stay below. Spec silent. */
export const DEPTH_READ_MAX = 65_536;
/** Bytes of one line: a number, a simple string, an error. Spec silent. */
export const LINE_MAX = 1_048_576;
/**
 * Bytes that a value counts as at least, since it takes more memory than room on the wire: four
 * times what the shortest of its kind has in JSON with its comma, `1,` or `"a",` less the letter.
 */
const NUMBER_COST = 8;
const VALUE_COST = 12;
/** What a byte of a longer string counts as: it has as many in JSON at least. */
const STRING_COST = 4;
const SHORT_MAX = 64;
/** Most bytes of one pushed message. Spec silent. */
export const PUSH_MAX = 16_777_216;
/** Members of a list. Source: the server's own limit, 2^32 - 1. */
const MEMBERS_MAX = 4_294_967_295;
/** Bytes of one string. Source: `proto-max-bulk-len`, which may be raised; a longer one is no reply. */
const STRING_MAX = 17_179_869_184;

const CR = 13;
const LF = 10;
const PLUS = 0x2b;
const MINUS = 0x2d;
/** Of 64 bits. */
const DIGITS_MAX = 20;

/** Takes bytes as they come and reports each reply when it is whole. */
export class Decoder {
  readonly #receiver: Receiver;
  #frame: Frame | undefined;
  #depth = 0;
  /** Whether the next line begins a reply. */
  #fresh = true;
  #isPush = false;
  /** Bytes of the present reply; what they cost, and may cost. */
  #bytes = 0;
  #cost = 0;
  #room = 0;
  /** Bytes that it will have at least, by what its lists have said. */
  #expected = 0;
  /** Why none of the present reply is kept. */
  #dropped: Dropped | undefined;
  /** Bytes of a string to come with its line's end, and what it is; negative for none. */
  #left = -1;
  #type = 0;
  #number = 0;
  /** A string's beginning, and a line's. */
  readonly #parts = new GatheredBytes();
  readonly #line = new GatheredBytes();

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  /** Bytes that the reply which is under way will have at least; 0 between replies. */
  get underWay(): number {
    return this.#fresh ? 0 : Math.max(this.#bytes, this.#expected);
  }

  /** @throws ProtocolError; nothing can be written after */
  write(chunk: Buffer): void {
    let at = this.#line.length > 0 ? this.#endLine(chunk) : 0;
    while (at < chunk.length) {
      if (this.#left >= 0) {
        at = this.#body(chunk, at);
        continue;
      }
      const next = this.#header(chunk, at);
      if (next < 0) {
        this.#keepLine(at === 0 ? chunk : chunk.subarray(at));
        return;
      }
      at = next;
    }
  }

  /** Goes on with a line whose beginning came before; answers where the next begins. */
  #endLine(chunk: Buffer): number {
    const end = chunk.indexOf(LF) + 1;
    if (end === 0) {
      this.#keepLine(chunk);
      return chunk.length;
    }
    this.#line.add(chunk.subarray(0, end));
    const line = asBuffer(this.#line.take());
    if (this.#header(line, 0) !== line.length) throw new ProtocolError('a line without its end');
    return end;
  }

  #keepLine(piece: Buffer): void {
    this.#line.add(piece);
    if (this.#line.length > LINE_MAX) throw new ProtocolError('a line without end');
  }

  /** Reads a line and answers where the next begins; negative when its end is not there. */
  #header(buffer: Buffer, start: number): number {
    const type = buffer[start] ?? 0;
    switch (type) {
      case TYPE.bulk:
      case TYPE.verbatim:
      case TYPE.bulkError:
      case TYPE.list:
      case TYPE.map:
      case TYPE.set:
      case TYPE.push:
      case TYPE.attribute:
      case TYPE.integer:
        return this.#numbered(type, buffer, start);
      default:
        return this.#text(type, buffer, start);
    }
  }

  /** A line of a number: an integer, or a length. */
  #numbered(type: number, buffer: Buffer, start: number): number {
    const sign = buffer[start + 1];
    const negative = sign === MINUS;
    const first = negative || sign === PLUS ? start + 2 : start + 1;
    const at = this.#digits(buffer, first);
    // The end of the line may still be to come.
    if (at === buffer.length || (at + 1 === buffer.length && buffer[at] === CR)) return -1;
    if (at === first || buffer[at] !== CR || buffer[at + 1] !== LF) {
      throw new ProtocolError('a line that is no number');
    }
    const end = at + 2;
    const number = this.#number;
    this.#begin(type, end - start);
    if (type === TYPE.integer) this.#value(integerOf(buffer, first, at, negative, number));
    else if (negative) this.#absent(type, number);
    else if (isString(type)) this.#string(type, number);
    else this.#aggregate(type, number);
    return end;
  }

  /** Reads digits into `#number`, and answers where they end. */
  #digits(buffer: Buffer, first: number): number {
    let at = first;
    let number = 0;
    for (; at < buffer.length; at += 1) {
      const digit = (buffer[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    if (at - first > DIGITS_MAX) throw new ProtocolError('a number of too many digits');
    this.#number = number;
    return at;
  }

  /** A line of text. */
  #text(type: number, buffer: Buffer, start: number): number {
    const end = buffer.indexOf(CR, start + 1);
    if (end < 0 || end + 1 === buffer.length) {
      if (!isText(type)) throw new ProtocolError('a reply of no known type');
      return -1;
    }
    if (buffer[end + 1] !== LF) throw new ProtocolError('a line without its end');
    this.#begin(type, end + 2 - start);
    this.#value(textValue(type, buffer.toString('utf8', start + 1, end)));
    return end + 2;
  }

  /** Counts a line, which may be a reply's first. */
  #begin(type: number, length: number): void {
    if (this.#fresh) {
      this.#fresh = false;
      this.#isPush = type === TYPE.push;
      this.#bytes = 0;
      this.#cost = 0;
      this.#dropped = undefined;
      this.#expected = 0;
      this.#room = this.#isPush ? PUSH_MAX * STRING_COST : this.#receiver.room();
    }
    this.#bytes += length;
    this.#cost += Math.max(length, isNumber(type) ? NUMBER_COST : VALUE_COST);
    if (this.#cost > this.#room) this.#drop(TOO_LARGE);
  }

  /** Keeps none of the present reply. */
  #drop(why: Dropped): void {
    if (this.#isPush) throw new ProtocolError('a message that is too large');
    if (!this.#dropped) {
      this.#dropped = why;
      for (let frame = this.#frame; frame; frame = frame.outer) frame.items = [];
    }
    this.#receiver.dropped(this.#dropped);
  }

  /** `$-1` and `*-1` of RESP2. */
  #absent(type: number, length: number): void {
    if (length !== 1 || (type !== TYPE.bulk && type !== TYPE.list)) {
      throw new ProtocolError('a negative length');
    }
    this.#value(null);
  }

  #string(type: number, length: number): void {
    if (length > STRING_MAX) throw new ProtocolError('a string that is too long');
    this.#type = type;
    this.#left = length + 2;
    this.#bytes += length + 2;
    this.#cost += length > SHORT_MAX ? length * STRING_COST : length + 2;
    if (this.#cost > this.#room) this.#drop(TOO_LARGE);
    else if (length > FIELD_MAX_BYTES) this.#drop(FIELD_TOO_LARGE);
  }

  /** A string's bytes and its line's end, as far as they have come; answers where the next line begins. */
  #body(chunk: Buffer, at: number): number {
    const end = at + this.#left;
    if (end > chunk.length) {
      if (!this.#dropped) this.#parts.add(at === 0 ? chunk : chunk.subarray(at));
      this.#left -= chunk.length - at;
      return chunk.length;
    }
    this.#left = -1;
    if (this.#dropped) {
      this.#value(null);
      return end;
    }
    let body = chunk;
    let [from, to] = [at, end];
    if (this.#parts.length > 0) {
      this.#parts.add(chunk.subarray(at, end));
      body = asBuffer(this.#parts.take());
      [from, to] = [0, body.length];
    }
    if (body[to - 2] !== CR || body[to - 1] !== LF) throw new ProtocolError('a string without end');
    this.#value(stringValue(this.#type, body, [from, to - 2], this.#frame?.isMany ?? false));
    return end;
  }

  #aggregate(type: number, count: number): void {
    if (count > MEMBERS_MAX) throw new ProtocolError('a list that is too long');
    const left = type === TYPE.map || type === TYPE.attribute ? count * 2 : count;
    // No member counts as less.
    const least = this.#cost + left * NUMBER_COST;
    this.#expected = Math.max(this.#expected, least);
    if (least > this.#room) this.#drop(TOO_LARGE);
    if (left === 0) {
      if (type !== TYPE.attribute) this.#value(wholeOf(type, NO_ITEMS));
      return;
    }
    this.#depth += 1;
    if (this.#depth > DEPTH_READ_MAX) throw new ProtocolError('lists within too many lists');
    if (this.#depth > DEPTH_MAX) this.#drop(TOO_DEEP);
    if (type === TYPE.push && (this.#depth > 1 || !this.#isPush)) {
      throw new ProtocolError('a message within a reply');
    }
    this.#frame = frameOf(type, left, this.#frame, !this.#dropped);
  }

  #value(scalar: ReplyValue): void {
    let value = scalar;
    for (let frame = this.#frame; frame; frame = this.#frame) {
      if (!this.#dropped) frame.items[frame.count] = value;
      frame.count += 1;
      frame.left -= 1;
      if (frame.left > 0) return;
      this.#frame = frame.outer;
      this.#depth -= 1;
      // What a reply is annotated with is not asked for; the reply itself follows.
      if (frame.type === TYPE.attribute) return;
      value = wholeOf(frame.type, frame.items);
    }
    this.#fresh = true;
    if (this.#isPush) this.#receiver.push(value);
    else this.#receiver.reply(this.#dropped ?? value, this.#cost);
  }
}
