/** A connection that streams a server's binary log: events one by one, and none read before it is asked for. Source: MySQL Internals, "COM_BINLOG_DUMP". */
import type { Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { ConnectionLost, Unreadable } from '../../loss.ts';
import { Pulled } from '../../pulled.ts';
import type { Connection } from '../connection.ts';
import { command, Packet, readError } from '../packets.ts';
import { PacketCutter, type Piece } from './packet-cutter.ts';
import type { LogPlace } from './position.ts';

/** Largest event in bytes: what a run takes as its input, before and after. Spec: workflows.md §7. */
const EVENT_MAX_BYTES = 64 * 1024 * 1024;
const DUMP = 18;
const EVENT_HEAD = 19;
const DESCRIPTION = 15;
const SUM_BYTES = 4;

/** One event. */
export interface LogEvent {
  readonly type: number;
  /** Seconds since 1970. */
  readonly time: number;
  /** Where the next begins; 0 of those that are not in the log. */
  readonly end: number;
  /** Behind the head. */
  readonly body: Packet;
  /** False of one that is too large: only the beginning of its body is there. */
  readonly whole: boolean;
}

/** Settings of the session that the server reads when it is asked for its log. */
const SETTINGS = [
  'SET @master_binlog_checksum = @@global.binlog_checksum, @source_binlog_checksum = @@global.binlog_checksum',
  // Nanoseconds after which the server says that nothing happened.
  'SET @master_heartbeat_period = 5000000000, @source_heartbeat_period = 5000000000',
  // MariaDB: knows its own events of transactions.
  'SET @mariadb_slave_capability = 4',
];

/** Reads it; ends with its connection. */
export class Binlog {
  readonly #pulled: Pulled<Piece>;
  /** Events of this file end in sums. */
  #sums = false;

  private constructor(socket: Socket) {
    this.#pulled = new Pulled(socket, new PacketCutter(EVENT_MAX_BYTES));
  }

  /**
   * Asks for the log from a place on; the connection serves nothing else from now on.
   * @param serverId among those who read the server's log: another with the same one is ended
   */
  static async from(
    connection: Connection,
    serverId: number,
    { file, place }: LogPlace,
  ): Promise<Binlog> {
    for (const text of SETTINGS) await connection.query(text);
    const { socket } = connection.wire;
    const log = new Binlog(socket);
    const payload = Buffer.alloc(11 + Buffer.byteLength(file));
    payload.writeUInt8(DUMP, 0);
    payload.writeUInt32LE(place, 1);
    payload.writeUInt16LE(0, 5);
    payload.writeUInt32LE(serverId, 7);
    payload.write(file, 11);
    socket.write(command(payload));
    return log;
  }

  /** Whether something has come that was not taken. */
  get hasMore(): boolean {
    return this.#pulled.hasMore;
  }

  /**
   * What comes next; undefined when nothing does for so long.
   * @throws ServerError, ConnectionLost, Unreadable, the signal's reason
   */
  async next(signal: AbortSignal, waitMs: number): Promise<LogEvent | undefined> {
    const piece = await this.#pulled.next(signal, waitMs);
    return piece && this.#event(piece);
  }

  /** @throws ServerError, ConnectionLost, Unreadable */
  #event({ payload, whole }: Piece): LogEvent {
    const reader = new Packet(payload);
    if (reader.next === 0xff) throw readError(reader);
    if (reader.next === 0xfe && reader.left < 9) throw new ConnectionLost('The log has ended');
    reader.over(1);
    const time = reader.u32();
    const type = reader.u8();
    reader.over(4);
    const size = reader.u32();
    const end = reader.u32();
    reader.over(2);
    const event = payload.subarray(1);
    if (!whole) return { type, time, end, whole, body: reader };
    if (size !== event.length || size < EVENT_HEAD) throw new Unreadable('an event cut off');
    // The first event of each file says whether those after it end in sums; ahead of it nobody does.
    if (type === DESCRIPTION) this.#sums = event.at(-1 - SUM_BYTES) === 1;
    const hasSum = type === DESCRIPTION || (end > 0 ? this.#sums : isSummed(event));
    return {
      type,
      time,
      end,
      whole,
      body: new Packet(payload, reader.at, size + 1 - (hasSum ? SUM_BYTES : 0)),
    };
  }
}

/** Whether an event ends in its sum. */
function isSummed(event: Buffer): boolean {
  const at = event.length - SUM_BYTES;
  return at >= EVENT_HEAD && crc32(event.subarray(0, at)) === event.readUInt32LE(at);
}
