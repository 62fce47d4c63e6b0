/** Rows as lines of NDJSON while they arrive, as fast as they are taken. Contract §6, "Large results". */
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { MysqlRequest } from '../../../proto/kinds/mysql.ts';
import { checkType, isRead, oneStatement } from './admit.ts';
import type { Connection } from './connection.ts';
import { attempt, type Database, type Traces } from './database.ts';
import {
  admitted,
  beforeRead,
  checkCount,
  ended,
  hasNames,
  type RowsRequest,
  type Scene,
  send,
  valuesOf,
} from './execute.ts';
import type { Column, Reader } from './packets.ts';
import { type RowOptions, type RowWriter, shapeOf } from './result.ts';
import type { Parsed } from './statement.ts';
import type { Sink } from './wire.ts';

const PIECE_LENGTH = 65_536;
/** Pieces that wait to be taken before the socket is no longer read. */
const WAITING_MAX = 4;

/** Collects lines into pieces and holds the socket back while nobody takes them. */
class Lines implements Sink {
  rowCount = 0;
  /** Resolves when the server has accepted the statement. */
  readonly accepted = Promise.withResolvers<void>();
  options: RowOptions;
  readonly #connection: Connection;
  readonly #pieces: Buffer[] = [];
  #write: RowWriter | undefined;
  #text = '';
  #wake: (() => void) | undefined;
  #ended = false;
  #abandoned = false;

  constructor(connection: Connection, options: RowOptions) {
    this.#connection = connection;
    this.options = options;
  }

  columns(columns: readonly Column[]): void {
    this.#write = shapeOf(columns, this.options).write;
    this.accepted.resolve();
  }

  row(reader: Reader): void {
    this.rowCount += 1;
    if (this.#abandoned) return;
    // Whoever waits gets all rows of what the socket has just brought.
    if (this.#text === '' && this.#wake) queueMicrotask(() => this.#cut());
    this.#text += `${this.#write?.(reader)}\n`;
    if (this.#text.length >= PIECE_LENGTH) this.#cut();
  }

  /** Drops what still comes, so that the server gets to read that it shall stop. */
  abandon(): void {
    this.#abandoned = true;
    this.#pieces.length = 0;
    this.#connection.wire.socket.resume();
  }

  /** The last piece, whatever its size; none comes after. */
  end(): void {
    this.#cut();
    this.#ended = true;
    this.#wake?.();
  }

  /** The next piece; undefined after the last. */
  async next(): Promise<Buffer | undefined> {
    // What came while nobody waited is handed over as it is.
    if (this.#pieces.length === 0) this.#cut();
    while (this.#pieces.length === 0 && !this.#ended) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    const piece = this.#pieces.shift();
    if (this.#pieces.length < WAITING_MAX) this.#connection.wire.socket.resume();
    return piece;
  }

  #cut(): void {
    if (this.#text === '') return;
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
    if (this.#pieces.length >= WAITING_MAX) this.#connection.wire.socket.pause();
    this.#wake?.();
  }
}

/**
 * Streams one statement. The first piece is empty and follows the server's acceptance. A change
 * that answers rows is kept once its last row has arrived here; leaving before that undoes it. A read
 * on a pooled connection that turns out dead before the first piece is tried again.
 */
export async function* streamRows(
  database: Database,
  request: MysqlRequest,
  call: Call,
): AsyncGenerator<Uint8Array> {
  const rows = rowsRequest(request, call);
  const parsed = oneStatement(rows.query, hasNames(rows), 'call');
  for (;;) {
    const connection = await database.borrow(call.signal);
    const { reused } = connection;
    connection.reused = true;
    const streaming = new Streaming({ database, connection, call, place: 'call' }, rows, parsed);
    try {
      await streaming.begin();
    } catch (error) {
      const wasDead = reused && connection.wire.lost && !connection.interrupted;
      database.giveBack(connection, 'some');
      if (wasDead && streaming.read && isLoss(error)) continue;
      throw error;
    }
    return yield* streaming.pieces();
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'CONNECTION_FAILED';
}

function rowsRequest(request: MysqlRequest, { mode }: Call): RowsRequest {
  checkType(request, mode);
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute': {
      const message = `Requests of type ${request.type} cannot be streamed`;
      throw new GatewayError('BAD_REQUEST', message, { details: [{ path: 'type', message }] });
    }
    default:
      return request;
  }
}

class Streaming {
  readonly read: boolean;
  readonly #scene: Scene;
  readonly #request: RowsRequest;
  readonly #parsed: Parsed;
  readonly #lines: Lines;
  #traces: Traces = 'some';
  #running: Promise<void> = Promise.resolve();
  #outcome: 'running' | 'ended' | { readonly error: unknown } = 'running';

  constructor(scene: Scene, request: RowsRequest, parsed: Parsed) {
    this.#scene = scene;
    this.#request = request;
    this.#parsed = parsed;
    const { numbersAsStrings } = scene.call;
    const rowFormat = request.row_format ?? 'object';
    this.#lines = new Lines(scene.connection, { numbersAsStrings, rowFormat, form: 'binary' });
    this.read = isRead(request, scene.call.mode);
  }

  /** Until the server has accepted the statement. */
  async begin(): Promise<void> {
    const lines = this.#lines;
    this.#running = this.#attempt(() => this.#execute()).then(
      () => {
        this.#outcome = 'ended';
      },
      (error: unknown) => {
        this.#outcome = { error };
      },
    );
    void this.#running.then(() => lines.end());
    await Promise.race([lines.accepted.promise, this.#running]);
    if (lines.rowCount === 0) this.#throwFailure();
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const { connection, database } = this.#scene;
    const lines = this.#lines;
    try {
      yield new Uint8Array();
      for (let piece = await lines.next(); piece; piece = await lines.next()) yield piece;
      await this.#running;
      this.#throwFailure();
    } finally {
      if (this.#outcome === 'running') {
        connection.interrupt();
        lines.abandon();
        await this.#running;
      }
      database.giveBack(connection, this.#traces);
    }
  }

  #throwFailure(): void {
    if (typeof this.#outcome === 'object') throw this.#outcome.error;
  }

  async #execute(): Promise<void> {
    const { connection, call } = this.#scene;
    this.#traces = await admitted(this.#scene, this.#parsed, this.read);
    const values = valuesOf(this.#request, this.#parsed);
    const undoable = !this.read && this.#parsed.returning;
    const begun = this.read && (await beforeRead(this.#scene));
    if (undoable) await connection.query('START TRANSACTION');
    try {
      const commits = !this.read && !undoable;
      await send(
        this.#scene,
        { parsed: this.#parsed, values },
        (form) => this.#sink(form),
        commits,
      );
      call.signal.throwIfAborted();
      checkCount(this.#request.type, this.#lines.rowCount);
    } catch (error) {
      if (undoable || begun) await ended(connection, 'ROLLBACK');
      throw error;
    }
    if (undoable || begun) await connection.query('COMMIT', {}, undoable);
  }

  #sink(form: RowOptions['form']): Sink {
    this.#lines.options = { ...this.#lines.options, form };
    return this.#lines;
  }

  #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    const { connection, call } = this.#scene;
    const stop = () => this.#lines.abandon();
    call.signal.addEventListener('abort', stop, { once: true });
    return attempt(connection, this.read ? 'read' : 'write', call.signal, work).finally(() =>
      call.signal.removeEventListener('abort', stop),
    );
  }
}
