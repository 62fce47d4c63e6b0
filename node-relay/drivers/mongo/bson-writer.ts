/** Writes BSON as Extended JSON: members in their order, every value as it was. Source: bsonspec.org; MongoDB Extended JSON (v2). */
import { Decimal128 } from 'mongodb';
import { GatewayError } from '../../../proto/errors.ts';
import { LongText } from '../../../proto/long-text.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { longBase64, longUtf8 } from '../long-bytes.ts';
import { DEPTH_MAX } from './check-bson.ts';
import { dateText, doubleText, int32Text, int64Text } from './number-texts.ts';
import { ReplyFault } from './reply-fault.ts';

/** How results are written. Contract §6: relaxed unless canonical is asked for. */
export type Form = 'relaxed' | 'canonical';

/**
 * Characters that one document may have as text: some bytes of BSON make ten of them. Spec silent.
 */
const TEXT_MAX = 96 * 1024 * 1024;

const DOCUMENT = 0x03;
const ARRAY = 0x04;
const STRING = 0x02;
const BINARY = 0x05;
/** Each begins with its length. */
const DIVIDED: ReadonlySet<number> = new Set([DOCUMENT, ARRAY, STRING, BINARY]);

/** Writes documents from a buffer; positions are offsets in it. */
export class BsonWriter {
  readonly #buffer: Buffer;
  readonly #canonical: boolean;
  /** After the value that was written last. */
  #at = 0;
  /** Where the document ends that is being read. */
  #limit: number;
  #depth = 0;
  #left = TEXT_MAX;

  constructor(buffer: Buffer, form: Form) {
    this.#buffer = buffer;
    this.#limit = buffer.length;
    this.#canonical = form === 'canonical';
  }

  document(start: number, isArray: boolean): string {
    const outer = this.#limit;
    const end = this.#enter(start);
    let text = '';
    while (this.#at < end) {
      const type = this.#type();
      const head = this.#head(text === '' ? '' : ',', isArray);
      text += head + this.#value(type);
    }
    this.#leave(end, outer);
    return isArray ? `[${text}]` : `{${text}}`;
  }

  /** The same text as `document` has, with a pause after each piece. */
  *long(start: number, isArray: boolean, out: LongText): Pieces<void> {
    const outer = this.#limit;
    const end = this.#enter(start);
    let before = isArray ? '[' : '{';
    while (this.#at < end) {
      const type = this.#type();
      const head = this.#head(before, isArray);
      before = ',';
      if (this.#isLong(type, out.perPiece)) {
        out.add(head);
        yield* this.#longValue(type, out);
      } else if (out.add(head + this.#value(type))) yield;
    }
    this.#leave(end, outer);
    if (before !== ',') out.add(before);
    out.add(isArray ? ']' : '}');
  }

  /** The whole document's members. */
  *members(): Pieces<Map<string, string>> {
    const members = new Map<string, string>();
    const end = this.#enter(0);
    while (this.#at < end) {
      const type = this.#type();
      const name = this.#cString();
      const out = new LongText();
      if (this.#isLong(type, out.perPiece)) {
        yield* this.#longValue(type, out);
        members.set(name, out.pieces.join(''));
      } else members.set(name, this.#value(type));
    }
    this.#leave(end, this.#buffer.length);
    return members;
  }

  *#longValue(type: number, out: LongText): Pieces<void> {
    if (type === STRING) yield* longUtf8(this.#spend)(this.#stringBytes(), out);
    else if (type === BINARY) {
      const { bytes, subType } = this.#bytes();
      out.add('{"$binary":{"base64":');
      yield* longBase64(this.#spend)(bytes, out);
      out.add(`,"subType":"${subType}"}}`);
    } else yield* this.long(this.#at, type === ARRAY, out);
  }

  /** Goes into a document, and answers where it ends. */
  #enter(start: number): number {
    const end = this.#endOf(start);
    this.#limit = end;
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new ReplyFault('Documents are too deep');
    this.#at = start + 4;
    return end;
  }

  #leave(end: number, outer: number): void {
    if (this.#at !== end) throw new ReplyFault('A document has not the length that it tells');
    this.#depth -= 1;
    this.#limit = outer;
    this.#at = end + 1;
  }

  /** What is before a value: names of an array's are its indexes. */
  #head(before: string, isArray: boolean): string {
    if (!isArray) return `${before}${JSON.stringify(this.#cString())}:`;
    this.#at = this.#endOfText() + 1;
    return before;
  }

  #type(): number {
    this.#at += 1;
    return this.#buffer.readUInt8(this.#at - 1);
  }

  /** Whether the value that comes has more bytes, and can be divided. */
  #isLong(type: number, bytes: number): boolean {
    if (!DIVIDED.has(type)) return false;
    return this.#at + 4 <= this.#limit && this.#buffer.readInt32LE(this.#at) > bytes;
  }

  /** Where the zero is that ends a document. */
  #endOf(start: number): number {
    const size = this.#limit - start < 5 ? 0 : this.#buffer.readInt32LE(start);
    const end = start + size - 1;
    if (size < 5 || end >= this.#limit || this.#buffer[end] !== 0) {
      throw new ReplyFault('A document does not end where it says');
    }
    return end;
  }

  #value(type: number): string {
    if (type === DOCUMENT || type === ARRAY) return this.document(this.#at, type === ARRAY);
    const text = this.#scalar(type);
    this.#spend(text.length);
    return text;
  }

  readonly #spend = (characters: number): void => {
    this.#left -= characters;
    if (this.#left >= 0) return;
    throw new GatewayError('RESULT_TOO_LARGE', 'A document is larger than 96 MiB as text');
  };

  #scalar(type: number): string {
    switch (type) {
      case 0x01:
        return doubleText(this.#take(8).readDoubleLE(), this.#canonical);
      case STRING:
        return JSON.stringify(this.#string());
      case 0x07:
        return `{"$oid":"${this.#take(12).toString('hex')}"}`;
      case 0x08:
        return this.#take(1).readUInt8() === 1 ? 'true' : 'false';
      case 0x09:
        return dateText(this.#take(8).readBigInt64LE(), this.#canonical);
      case 0x0a:
        return 'null';
      case 0x10:
        return int32Text(this.#take(4).readInt32LE(), this.#canonical);
      case 0x12:
        return int64Text(this.#take(8).readBigInt64LE(), this.#canonical);
      default:
        return this.#rare(type);
    }
  }

  #rare(type: number): string {
    switch (type) {
      case BINARY:
        return this.#binary();
      case 0x06:
        return '{"$undefined":true}';
      case 0x0b: {
        const pattern = JSON.stringify(this.#cString());
        const options = JSON.stringify([...this.#cString()].sort().join(''));
        return `{"$regularExpression":{"pattern":${pattern},"options":${options}}}`;
      }
      case 0x0c: {
        const name = JSON.stringify(this.#string());
        const id = this.#take(12).toString('hex');
        return `{"$dbPointer":{"$ref":${name},"$id":{"$oid":"${id}"}}}`;
      }
      case 0x0d:
        return `{"$code":${JSON.stringify(this.#string())}}`;
      case 0x0e:
        return `{"$symbol":${JSON.stringify(this.#string())}}`;
      case 0x0f: {
        const start = this.#at;
        const size = this.#take(4).readInt32LE();
        const code = JSON.stringify(this.#string());
        const scope = this.document(this.#at, false);
        if (this.#at !== start + size) throw new ReplyFault('Code has another length');
        return `{"$code":${code},"$scope":${scope}}`;
      }
      case 0x11: {
        const i = this.#take(4).readUInt32LE();
        return `{"$timestamp":{"t":${this.#take(4).readUInt32LE()},"i":${i}}}`;
      }
      case 0x13:
        return `{"$numberDecimal":"${new Decimal128(this.#take(16)).toString()}"}`;
      case 0xff:
        return '{"$minKey":1}';
      case 0x7f:
        return '{"$maxKey":1}';
      default:
        throw new ReplyFault(`BSON has no type ${type}`);
    }
  }

  #binary(): string {
    const { bytes, subType } = this.#bytes();
    return `{"$binary":{"base64":"${bytes.toString('base64')}","subType":"${subType}"}}`;
  }

  #bytes(): { readonly bytes: Buffer; readonly subType: string } {
    const length = this.#take(4).readInt32LE();
    const subType = this.#take(1).readUInt8();
    let bytes = this.#take(length);
    // The old binary carries its length twice.
    if (subType === 2) {
      if (length < 4 || bytes.readInt32LE() !== length - 4) {
        throw new ReplyFault('Bytes have two lengths');
      }
      bytes = bytes.subarray(4);
    }
    return { bytes, subType: subType.toString(16).padStart(2, '0') };
  }

  #string(): string {
    return this.#stringBytes().toString('utf8');
  }

  #stringBytes(): Buffer {
    const length = this.#take(4).readInt32LE();
    const bytes = this.#take(length);
    if (bytes[length - 1] !== 0) throw new ReplyFault('A text does not end');
    return bytes.subarray(0, -1);
  }

  #endOfText(): number {
    const end = this.#buffer.indexOf(0, this.#at);
    if (end < 0 || end >= this.#limit) throw new ReplyFault('A text does not end');
    return end;
  }

  #cString(): string {
    const end = this.#endOfText();
    const text = this.#buffer.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (length < 0 || end > this.#limit) {
      throw new ReplyFault('A value is longer than what it is in');
    }
    const bytes = this.#buffer.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}
