/** Cuts what a MySQL server sends into packets; what is longer than is taken is never kept. Source: MySQL Internals, "Protocol::Packet". */
import { Unreadable } from '../loss.ts';
import { PAYLOAD_MAX, Packet } from './packets.ts';

/** Ahead of each payload: its length and its number. */
const HEAD = 4;
/** Columns, prepared statements, errors, in bytes. */
export const OTHER_MAX = 1024 * 1024;

/** Receives packets. */
export interface PacketReceiver {
  /** Largest payload that comes next, in bytes; one in several packets counts as one. */
  readonly payloadMax: number;
  /** @param last nothing has arrived behind it */
  packet(reader: Packet, last: boolean): void;
  /** A payload is longer than is taken, and left out. @param begun what has arrived of it */
  oversize(begun: readonly Buffer[]): void;
}

/** The conversation's incoming half. */
export class PacketFrames {
  readonly #taker: PacketReceiver;
  #chunks: Buffer[] = [];
  #have = 0;
  /** Bytes up to the end of the packet that has begun. */
  #wanted = HEAD;
  /** Payloads of a packet that is longer than one can be. */
  #long: Buffer[] = [];
  #longBytes = 0;
  /** Of the packet that is left out: bytes to come, and whether another goes on with it. */
  #skipped = 0;
  #skipsNext = false;
  /** Of the next packet. */
  #sequence = 0;

  constructor(taker: PacketReceiver) {
    this.#taker = taker;
  }

  /** Expects the answer to a command of so many packets. */
  expect(packets: number): void {
    this.#sequence = packets & 0xff;
  }

  /** @throws Unreadable, and what the taker throws */
  take(chunk: Buffer): void {
    const fresh = this.#skipped > 0 ? chunk.subarray(this.#skip(chunk.length)) : chunk;
    this.#chunks.push(fresh);
    this.#have += fresh.length;
    if (this.#have < this.#wanted) return;
    // A large packet in many chunks is joined once, not once a chunk.
    const buffer = this.#chunks.length === 1 ? fresh : Buffer.concat(this.#chunks, this.#have);
    this.#chunks = [];
    const rest = buffer.subarray(this.#packets(buffer));
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#have = rest.length;
    this.#wanted = rest.length < HEAD ? HEAD : HEAD + rest.readUIntLE(0, 3);
  }

  /** Takes all whole packets, and answers where the rest begins. */
  #packets(buffer: Buffer): number {
    let at = 0;
    while (buffer.length - at >= HEAD) {
      const length = buffer.readUIntLE(at, 3);
      const end = at + HEAD + length;
      const isTooLong = this.#longBytes + length > this.#taker.payloadMax;
      // What is whole and short is here already.
      if (this.#skipsNext || (isTooLong && (end > buffer.length || this.#longBytes > 0))) {
        at = this.#leaveOut(buffer, at, length);
        continue;
      }
      if (end > buffer.length) break;
      this.#count(buffer[at + 3]);
      this.#whole(buffer, at + HEAD, end);
      at = end;
    }
    return at;
  }

  /** Packets of one answer are numbered: one too many or too few is no answer. */
  #count(sequence: number | undefined): void {
    if (sequence !== this.#sequence) throw new Unreadable('packets out of order');
    this.#sequence = (this.#sequence + 1) & 0xff;
  }

  #whole(buffer: Buffer, from: number, end: number): void {
    const isLast = end === buffer.length;
    if (end - from < PAYLOAD_MAX && this.#longBytes === 0) {
      this.#taker.packet(new Packet(buffer, from, end), isLast);
      return;
    }
    this.#long.push(buffer.subarray(from, end));
    this.#longBytes += end - from;
    if (end - from === PAYLOAD_MAX) return;
    const whole = Buffer.concat(this.#long, this.#longBytes);
    this.#forget();
    this.#taker.packet(new Packet(whole), isLast);
  }

  #forget(): void {
    this.#long = [];
    this.#longBytes = 0;
  }

  /** Answers where what is here of the packet ends. */
  #leaveOut(buffer: Buffer, at: number, length: number): number {
    this.#count(buffer[at + 3]);
    const begun = buffer.subarray(at + HEAD, at + HEAD + length);
    if (!this.#skipsNext) this.#taker.oversize([...this.#long, begun]);
    this.#forget();
    this.#skipsNext = length === PAYLOAD_MAX;
    this.#skipped = length;
    return at + HEAD + this.#skip(begun.length);
  }

  /** Leaves out of so many bytes what belongs to the packet; answers how many. */
  #skip(bytes: number): number {
    const taken = Math.min(bytes, this.#skipped);
    this.#skipped -= taken;
    return taken;
  }
}
