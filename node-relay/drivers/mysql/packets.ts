/** The pieces of the MySQL client/server protocol: reading packets, building commands. Source: MySQL Internals, "Client/Server Protocol". */

import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Column } from '../../../kinds/mysql/dialect/types.ts';
import { Unreadable } from '../loss.ts';

/** Reads one packet's payload, and nothing behind it. */
export class Packet {
  readonly buffer: Buffer;
  at: number;
  readonly end: number;

  constructor(buffer: Buffer, at = 0, end = buffer.length) {
    this.buffer = buffer;
    this.at = at;
    this.end = end;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** The byte at which it is, 0 at the end. */
  get next(): number {
    return this.at < this.end ? (this.buffer[this.at] ?? 0) : 0;
  }

  /** Moves over so many bytes, and answers where they begin. @throws Unreadable when there are fewer */
  over(length: number): number {
    const from = this.at;
    if (length > this.end - from) throw new Unreadable('a value longer than its packet');
    this.at = from + length;
    return from;
  }

  u8(): number {
    return this.buffer[this.over(1)] ?? 0;
  }

  u16(): number {
    return this.buffer.readUInt16LE(this.over(2));
  }

  u24(): number {
    return this.buffer.readUIntLE(this.over(3), 3);
  }

  u32(): number {
    return this.buffer.readUInt32LE(this.over(4));
  }

  u64(): bigint {
    return this.buffer.readBigUInt64LE(this.over(8));
  }

  float(): number {
    return this.buffer.readFloatLE(this.over(4));
  }

  double(): number {
    return this.buffer.readDoubleLE(this.over(8));
  }

  /** A length: never beyond 2^53, because no packet is. */
  length(): number {
    const first = this.u8();
    if (first < 0xfb) return first;
    switch (first) {
      case 0xfc:
        return this.u16();
      case 0xfd:
        return this.u24();
      case 0xfe:
        return Number(this.u64());
      default:
        throw new Unreadable('a length that is none');
    }
  }

  /** A count that may need all of its 64 bits. */
  count(): bigint {
    if (this.next !== 0xfe) return BigInt(this.length());
    this.at += 1;
    return this.u64();
  }

  text(length: number): string {
    const from = this.over(length);
    return this.buffer.toString('utf8', from, this.at);
  }

  /** Leaves out a length and its bytes. */
  skip(): void {
    this.over(this.length());
  }

  lengthText(): string {
    return this.text(this.length());
  }

  latin1(length: number): string {
    const from = this.over(length);
    return this.buffer.toString('latin1', from, this.at);
  }

  bytes(length: number): Buffer {
    const from = this.over(length);
    return this.buffer.subarray(from, this.at);
  }

  base64(length: number): string {
    const from = this.over(length);
    return this.buffer.toString('base64', from, this.at);
  }

  /** @throws Unreadable when something is left */
  done(): void {
    if (this.at !== this.end) throw new Unreadable('a packet longer than what it holds');
  }
}

/** Source: "Column Definition"; MariaDB, "Result Set Packets". */
export function readColumn(reader: Packet, hasExtended: boolean): Column {
  // Catalog, schema, table, its own name.
  for (let skipped = 0; skipped < 4; skipped += 1) reader.skip();
  const name = reader.lengthText();
  reader.skip();
  let extended = '';
  let format = '';
  if (hasExtended) {
    const length = reader.length();
    if (length > reader.left) throw new Unreadable('a value longer than its packet');
    const end = length + reader.at;
    while (reader.at < end) {
      const sort = reader.u8();
      const value = reader.lengthText();
      if (sort === 0) extended = value;
      else format = value;
    }
  }
  reader.over(1);
  const charset = reader.u16();
  const length = reader.u32();
  const type = reader.u8();
  const flags = reader.u16();
  return { name, type, flags, charset, length, decimals: reader.u8(), extended, format };
}

/** What a statement came to. */
export interface Outcome {
  readonly affected: bigint;
  readonly insertId: bigint;
  /** Bits of `STATUS`. */
  readonly status: number;
}

/** Source: "Status Flags". */
export const STATUS = {
  inTransaction: 1,
  sessionChanged: 0x4000,
  moreResults: 8,
  readOnlyTransaction: 0x2000,
} as const;

/** Source: "OK_Packet". */
export function readOk(reader: Packet): Outcome {
  reader.over(1);
  const affected = reader.count();
  const insertId = reader.count();
  return { affected, insertId, status: reader.u16() };
}

/** Source: "ERR_Packet". */
export function readError(reader: Packet): ServerError {
  reader.over(1);
  const errno = reader.u16();
  let state = 'HY000';
  if (reader.next === 0x23) {
    reader.at += 1;
    state = reader.latin1(5);
  }
  return new ServerError(errno, state, reader.text(reader.left));
}

/** Largest payload of one packet; longer ones are cut. */
export const PAYLOAD_MAX = 0xff_ff_ff;

/** A command as packets; its sequence begins at 0. */
export function command(payload: Buffer): Buffer {
  if (payload.length < PAYLOAD_MAX) {
    const whole = Buffer.allocUnsafe(4 + payload.length);
    whole.writeUInt32LE(payload.length, 0);
    payload.copy(whole, 4);
    return whole;
  }
  const pieces: Buffer[] = [];
  for (let at = 0, sequence = 0; at <= payload.length; at += PAYLOAD_MAX, sequence += 1) {
    const piece = payload.subarray(at, at + PAYLOAD_MAX);
    const header = Buffer.alloc(4);
    header.writeUIntLE(piece.length, 0, 3);
    header[3] = sequence & 0xff;
    pieces.push(header, piece);
  }
  return Buffer.concat(pieces);
}

/** A command of one byte and text. */
export function textCommand(code: number, text: string): Buffer {
  return command(Buffer.concat([Buffer.from([code]), Buffer.from(text)]));
}

/** Source: "Command Phase". */
export const COMMAND = {
  quit: 1,
  query: 3,
  ping: 14,
  prepare: 22,
  execute: 23,
  close: 25,
  reset: 31,
} as const;

/** Lengths as the protocol counts them. */
export function lengthPrefix(length: number): Buffer {
  if (length < 0xfb) return Buffer.from([length]);
  if (length < 0x1_00_00) return Buffer.from([0xfc, length & 0xff, length >> 8]);
  const prefix = Buffer.alloc(length < 0x1_00_00_00 ? 4 : 9);
  prefix[0] = length < 0x1_00_00_00 ? 0xfd : 0xfe;
  prefix.writeUIntLE(length, 1, length < 0x1_00_00_00 ? 3 : 6);
  return prefix;
}
