/** Cuts what a PostgreSQL server sends into messages; the length of each is judged before its body is kept. Source: PostgreSQL manual, "Message Formats". */
import { FIELD_MAX_BYTES } from '../field-limit.ts';
import { Unreadable } from '../loss.ts';
import { FieldWalk } from './field-walk.ts';

/** A letter, and a length that counts itself. */
const HEAD = 5;
const LENGTH_BYTES = 4;

const ROW = 0x44;
const COPY_DATA = 0x64;
const ERROR = 0x45;
const NOTICE = 0x4e;

/** Largest message before a login is over, in bytes. */
const LOGIN_MAX = 64 * 1024;
/** Refusals repeat values of the request, which is 10 MiB. */
const REFUSAL_MAX = 32 * 1024 * 1024;
const OTHER_MAX = 4 * 1024 * 1024;
/** What a row of the driver's own questions may hold. */
export const OWN_ROW_MAX = 32 * 1024 * 1024;

/** Receives messages. */
export interface MessageReceiver {
  /** A whole message's letter and where its body is; only good during the call. @throws Unreadable */
  message(letter: number, buffer: Buffer, at: number, end: number): void;
  /** A row, or a piece of COPY, is larger than is taken, and left out. @param column whose value is too large by itself */
  oversize(column: number | undefined): void;
}

/** A message that is left out. */
interface Skipping {
  /** Bytes to come. */
  left: number;
  /** Looks for the value that is too large; gone when it is told. */
  walk: FieldWalk | undefined;
}

/** The conversation's incoming half. */
export class Frames {
  /** Whether the login is over. */
  open = false;
  readonly #taker: MessageReceiver;
  #rowMax = OWN_ROW_MAX;
  /** Rows are no longer read. */
  #leavesRows = false;
  #pieces: Buffer[] = [];
  #have = 0;
  /** Bytes up to the end of the message that has begun. */
  #wanted = HEAD;
  #skipping: Skipping | undefined;

  constructor(taker: MessageReceiver) {
    this.#taker = taker;
  }

  /** Takes rows and pieces of COPY of at most so many bytes, for the next exchange. */
  takeRows(maxBytes: number): void {
    this.#rowMax = maxBytes;
    this.#leavesRows = false;
  }

  /** Keeps nothing more of rows, nor of the one that has begun: their reader has left. */
  leaveRows(): void {
    this.#leavesRows = true;
    const letter = this.#wanted > HEAD ? this.#pieces[0]?.[0] : undefined;
    if (letter !== ROW && letter !== COPY_DATA) return;
    this.#skipping = { left: this.#wanted - this.#have, walk: undefined };
    this.#keep(undefined, HEAD);
  }

  /** @throws Unreadable, and what the taker throws */
  take(chunk: Buffer): void {
    const fresh = this.#skipping ? this.#skip(this.#skipping, chunk) : chunk;
    if (fresh.length === 0) return;
    this.#have += fresh.length;
    if (this.#have < this.#wanted) {
      this.#pieces.push(fresh);
      return;
    }
    // A large message in many pieces is joined once, not once a piece.
    const buffer =
      this.#pieces.length === 0 ? fresh : Buffer.concat([...this.#pieces, fresh], this.#have);
    this.#messages(buffer);
  }

  #messages(buffer: Buffer): void {
    let at = 0;
    let wanted = HEAD;
    while (buffer.length - at >= HEAD) {
      const letter = buffer[at] ?? 0;
      const length = buffer.readUInt32BE(at + 1);
      if (length < LENGTH_BYTES) throw new Unreadable('a length less than its own');
      const end = at + 1 + length;
      if (end > buffer.length) {
        if (length - LENGTH_BYTES > this.#maxOf(letter)) {
          this.#begin(letter, length - LENGTH_BYTES, buffer.subarray(at + HEAD));
          return;
        }
        wanted = 1 + length;
        break;
      }
      this.#taker.message(letter, buffer, at + HEAD, end);
      at = end;
    }
    this.#keep(at === buffer.length ? undefined : buffer.subarray(at), wanted);
  }

  #keep(rest: Buffer | undefined, wanted: number): void {
    this.#pieces = rest ? [rest] : [];
    this.#have = rest?.length ?? 0;
    this.#wanted = wanted;
  }

  #maxOf(letter: number): number {
    if (!this.open) return LOGIN_MAX;
    if (letter === ROW || letter === COPY_DATA) return this.#leavesRows ? 0 : this.#rowMax;
    return letter === ERROR || letter === NOTICE ? REFUSAL_MAX : OTHER_MAX;
  }

  #begin(letter: number, length: number, body: Buffer): void {
    const isData = this.open && (letter === ROW || letter === COPY_DATA);
    if (!isData) throw new Unreadable('a message longer than any is');
    this.#keep(undefined, HEAD);
    const names = letter === ROW && !this.#leavesRows && this.#rowMax >= FIELD_MAX_BYTES;
    this.#skipping = { left: length, walk: names ? new FieldWalk(FIELD_MAX_BYTES) : undefined };
    if (!names && !this.#leavesRows) this.#taker.oversize(undefined);
    this.#skip(this.#skipping, body);
  }

  /** Answers what comes after the message that is left out. */
  #skip(skipping: Skipping, chunk: Buffer): Buffer {
    const body = chunk.subarray(0, skipping.left);
    skipping.left -= body.length;
    if (skipping.left === 0) this.#skipping = undefined;
    const { walk } = skipping;
    const found = walk?.take(body);
    if (walk && (found !== undefined || walk.at > FIELD_MAX_BYTES || skipping.left === 0)) {
      skipping.walk = undefined;
      this.#taker.oversize(found);
    }
    return chunk.subarray(body.length);
  }
}
