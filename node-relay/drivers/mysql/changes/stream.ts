/** Reads a binary log: batches of changes in the order of their commits, each with where to go on after it. */
import type {
  Change,
  ChangeBatch,
  ChangeFault,
  ChangesRequest,
} from '../../../../proto/changes.ts';
import type { Call } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import {
  BATCH_MAX,
  BatchInMaking,
  CHANGE_MAX_BYTES,
  changeTooLarge,
  QUIET_MS,
} from '../../change-batch.ts';
import type { Packet } from '../packets.ts';
import type { Binlog, LogEvent } from './binlog.ts';
import type { LookedUp } from './columns.ts';
import {
  beginOf,
  isAfter,
  type LogPlace,
  markOf,
  type Position,
  positionText,
  type RowPlace,
} from './position.ts';
import { Prepared, xaOf } from './prepared.ts';
import { type RowChange, tableFaults, textsOf } from './row-change.ts';
import { Partial, readRows, readRowsHead, readTableMap } from './rows.ts';
import { ReadTables } from './tables.ts';

const EVENT = { query: 2, rotate: 4, xid: 16, tableMap: 19, heartbeat: 27, xaPrepare: 38 } as const;
/** Beginnings of transactions, of MySQL and of MariaDB. */
const BEGINS = new Set([33, 34, 162]);
/** MariaDB's says in its flags that the transaction is to be prepared. */
const MARIADB_BEGIN = 162;
const IS_PREPARED = 64;
/** Events of rows: what they tell, and whether more is ahead of their rows. */
const ROWS: { readonly [type: number]: readonly [Change['operation'], boolean] } = {
  ...{ 23: ['insert', false], 24: ['update', false], 25: ['delete', false] },
  ...{ 30: ['insert', true], 31: ['update', true], 32: ['delete', true] },
};
/** Events that are compressed. */
const COMPRESSED = new Set([40, 165, 166, 167, 168, 169, 170, 171]);

/** What a reader works with. */
interface ReaderParts {
  readonly log: Binlog;
  readonly request: ChangesRequest;
  readonly call: Call;
  /** Looks the request's tables up. */
  lookUp(): Promise<readonly LookedUp[]>;
}

/** One subscription's reading of the log. */
export class LogReader {
  readonly #parts: ReaderParts;
  readonly #tables: ReadTables;
  readonly #batch = new BatchInMaking();
  /** Of each change of the batch, where it is. */
  #places: Position[] = [];
  #position: Position;
  #resumed: Position['within'];
  /** Where the transaction begins that is being read. */
  #begin: LogPlace;
  #inside = false;
  /** The transaction being read is to be prepared, not committed. */
  #preparing: Prepared | undefined;
  #xid = '';
  /** By their ids, in the order in which they were prepared. */
  readonly #prepared = new Map<string, Prepared>();

  constructor(parts: ReaderParts, { from, ...position }: Position) {
    this.#parts = parts;
    this.#tables = new ReadTables(parts.lookUp);
    this.#position = position;
    this.#resumed = position.within;
    this.#begin = beginOf({ ...position, from });
  }

  /** Batches until the caller leaves. @throws GatewayError, ServerError, ConnectionLost */
  async *batches(): AsyncGenerator<ChangeBatch> {
    const { log, call } = this.#parts;
    this.#batch.fault(...(await this.#tables.lookUp()));
    yield this.#whole();
    for (;;) {
      const event = await log.next(call.signal, QUIET_MS);
      if (event !== undefined) await this.#take(event);
      const batch = this.#batch;
      const isDue = !batch.isEmpty && !log.hasMore;
      if (!batch.isFull && !isDue && !batch.isQuiet) continue;
      while (batch.size > BATCH_MAX) yield this.#part();
      yield this.#whole();
    }
  }

  async #take(event: LogEvent): Promise<void> {
    const { type, end, body, whole } = event;
    if (type === EVENT.heartbeat) return;
    if (COMPRESSED.has(type)) throw compressed();
    if (type === EVENT.rotate) this.#rotate(Number(body.u64()), body.text(body.left));
    else if (BEGINS.has(type)) this.#begins(event);
    else if (type === EVENT.tableMap) this.#fault(await this.#tables.map(readTableMap(body)));
    else if (ROWS[type] !== undefined) this.#rows(event);
    else if (type === EVENT.xid) this.#ended(end);
    else if (type === EVENT.xaPrepare) this.#isPrepared(event);
    else if (type === EVENT.query) await this.#query(event, whole ? statementOf(body) : '');
    else if (!this.#inside && end > this.#begin.place) this.#ended(end);
  }

  /** What is read was told before: only what is prepared there is taken. */
  get #isPast(): boolean {
    const { file, place } = this.#begin;
    return file !== this.#position.file || place < this.#position.whole;
  }

  #rotate(place: number, file: string): void {
    // The first repeats where the reader begins.
    if (file === this.#begin.file) return;
    const { server } = this.#position;
    if (!this.#isPast) this.#position = { server, file, whole: place };
    this.#begin = { file, place };
  }

  #begins({ type, body }: LogEvent): void {
    this.#inside = true;
    if (type !== MARIADB_BEGIN) return;
    body.over(12);
    if ((body.u8() & IS_PREPARED) !== 0) this.#preparing = new Prepared(this.#begin);
  }

  async #query(event: LogEvent, text: string): Promise<void> {
    const xa = xaOf(text);
    if (/^BEGIN\b/i.test(text)) this.#inside = true;
    else if (xa?.verb === 'START') this.#preparing = new Prepared(this.#begin);
    else if (xa?.verb === 'END') this.#xid = xa.xid;
    else if (xa?.verb === 'COMMIT') {
      this.#committed(this.#prepared.get(xa.xid), event);
      this.#prepared.delete(xa.xid);
    } else if (xa?.verb === 'ROLLBACK') {
      this.#prepared.delete(xa.xid);
      this.#ended(event.end);
    } else if (/^(?:COMMIT|ROLLBACK)$/i.test(text)) this.#ended(event.end);
    else if (!/^(?:SAVEPOINT|ROLLBACK TO|XA)\b/i.test(text)) {
      // It may have changed tables, and is a transaction of its own.
      this.#fault(await this.#tables.change(this.#isPast ? '' : text));
      this.#ended(event.end);
    }
  }

  #isPrepared(event: LogEvent): void {
    const prepared = this.#preparing;
    const isOnePhase = event.body.left > 0 && event.body.u8() === 1;
    if (isOnePhase) this.#committed(prepared, event);
    else {
      if (prepared) this.#prepared.set(this.#xid, prepared);
      this.#ended(event.end);
    }
  }

  /** What was prepared is told in the place of its commit. */
  #committed(prepared: Prepared | undefined, { end, time }: LogEvent): void {
    if (prepared !== undefined && !this.#isPast) {
      const { file } = this.#begin;
      const of = { time: isoOf(time), mark: markOf({ file, place: end }) };
      this.#batch.fault(...prepared.faults);
      for (const [nth, change] of prepared.changes.entries()) {
        if (this.#moves({ end, nth }))
          this.#push({ ...change, ...of }, prepared.bytes / prepared.changes.length);
      }
    }
    this.#ended(end);
  }

  #ended(end: number): void {
    const { server, whole } = this.#position;
    const { file } = this.#begin;
    this.#inside = false;
    this.#preparing = undefined;
    this.#tables.forget();
    if (!this.#isPast) {
      this.#resumed = undefined;
      this.#position = { server, file, whole: end > 0 ? end : whole };
    }
    if (end > 0) this.#begin = { file, place: end };
  }

  #rows(event: LogEvent): void {
    const { type, body, end, whole } = event;
    const [operation, hasExtra] = ROWS[type] ?? [];
    if (operation === undefined || (this.#isPast && !this.#preparing)) return;
    const mapped = this.#tables.get(readRowsHead(body, whole && hasExtra === true));
    if (mapped === undefined) return;
    const { table } = mapped;
    try {
      if (!whole) throw new Oversize();
      let nth = -1;
      for (const [row, then] of readRows(body, mapped.encoders, operation === 'update')) {
        nth += 1;
        if (this.#moves({ end, nth })) this.#add({ table, operation, row, then }, nth, event);
      }
    } catch (error) {
      this.#fault(tableFaults(this.#tables.looked, table, wordsFor(error)));
    }
  }

  /** Moves on to a row, where it is told in its own place; false of one that was told before. */
  #moves(within: RowPlace): boolean {
    if (this.#preparing) return true;
    if (this.#resumed && !isAfter(within, this.#resumed)) return false;
    this.#position = { ...this.#position, within };
    return true;
  }

  #add(change: RowChange, nth: number, { end, time }: LogEvent): void {
    const texts = textsOf(this.#tables.looked, change);
    if (texts === undefined) return;
    const { bytes, ...told } = texts;
    if (bytes > CHANGE_MAX_BYTES) {
      this.#fault(changeTooLarge(told.watched));
      return;
    }
    const { schema, name } = change.table;
    const { file } = this.#begin;
    const made: Change = {
      // A log that was begun again comes to the same places at another time.
      id: `${file}:${end}.${nth} ${time}`,
      collection: `${schema}.${name}`,
      operation: change.operation,
      ...told,
      time: isoOf(time),
      mark: markOf({ file, place: end }),
    };
    if (this.#preparing) this.#preparing.add(made, bytes);
    else this.#push(made, bytes);
  }

  /** A change that is told where the reader is. */
  #push(change: Change, bytes: number): void {
    this.#places.push(this.#stands());
    this.#batch.add(change, bytes);
  }

  #fault(faults: readonly ChangeFault[]): void {
    if (this.#preparing) this.#preparing.faults.push(...faults);
    else if (!this.#isPast) this.#batch.fault(...faults);
  }

  /** The position, with what is prepared. */
  #stands(): Position {
    const [oldest] = this.#prepared.values();
    return { ...this.#position, from: oldest?.from };
  }

  /** The first of more changes than a batch has: where it ends lies in what was taken last. */
  #part(): ChangeBatch {
    const last = this.#places.splice(0, BATCH_MAX).at(-1);
    return this.#batch.takePart(positionText(last ?? this.#stands()));
  }

  #whole(): ChangeBatch {
    this.#places = [];
    return this.#batch.take(positionText(this.#stands()));
  }
}

const PARTIAL = 'changed while binlog_row_image was not FULL: those changes are not told';
const TOO_LARGE =
  'had changes in an event of the log that is larger than any that is read: those are not told. A smaller binlog_row_event_max_size makes smaller events of statements with many rows';

/** Why rows of a table are not told. @throws what is no such reason */
function wordsFor(error: unknown): string {
  if (error instanceof Partial) return PARTIAL;
  if (error instanceof Oversize) return TOO_LARGE;
  throw error;
}

/** An event whose beginning alone was read. */
class Oversize extends Error {}

/** The statement of an event. */
function statementOf(body: Packet): string {
  body.over(8);
  const database = body.u8();
  body.over(2);
  body.over(body.u16() + database + 1);
  return body.text(body.left);
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function compressed(): GatewayError {
  const message =
    'The server compresses its binary log, which is not read: log_bin_compress (MariaDB) and binlog_transaction_compression (MySQL) must be off';
  return new GatewayError('REQUEST_FAILED', message);
}
