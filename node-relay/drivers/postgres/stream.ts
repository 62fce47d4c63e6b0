/** Rows as lines of NDJSON while they arrive, as fast as they are taken. Contract §6, "Large results". */
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { PostgresRequest } from '../../../proto/kinds/postgres.ts';
import { checkType, isRead, oneStatement } from './admit.ts';
import type { Connection } from './connection.ts';
import { attempt, type Database, type Traces } from './database.ts';
import type { FieldValue } from './encode.ts';
import { admitted, beforeRead, bound, checkCount, type Scene, undo } from './execute.ts';
import { executeMessages, portalMessages, statementMessages } from './messages.ts';
import type { RowWriter } from './result.ts';
import type { Field, Sink } from './wire.ts';

const PIECE_LENGTH = 65_536;
/** Pieces that wait to be taken before the socket is no longer read. */
const WAITING_MAX = 4;

/** Collects lines into pieces and holds the socket back while nobody takes them. */
class Lines implements Sink {
  rowCount = 0;
  columns: readonly Field[] = [];
  write: RowWriter | undefined;
  readonly #connection: Connection;
  readonly #pieces: Buffer[] = [];
  #text = '';
  #wake: (() => void) | undefined;
  #ended = false;
  #abandoned = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  fields(fields: readonly Field[]): void {
    this.columns = fields;
  }

  row(values: readonly FieldValue[]): void {
    this.rowCount += 1;
    if (this.#abandoned) return;
    // Whoever waits gets all rows of what the socket has just brought.
    if (this.#text === '' && this.#wake) queueMicrotask(() => this.#cut());
    this.#text += `${this.write?.(values)}\n`;
    if (this.#text.length >= PIECE_LENGTH) this.#cut();
  }

  /** Drops what still comes, so that the server gets to read that it shall stop. */
  abandon(): void {
    this.#abandoned = true;
    this.#pieces.length = 0;
    this.#connection.wire.stream.resume();
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
    if (this.#pieces.length < WAITING_MAX) this.#connection.wire.stream.resume();
    return piece;
  }

  #cut(): void {
    if (this.#text === '') return;
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
    if (this.#pieces.length >= WAITING_MAX) this.#connection.wire.stream.pause();
    this.#wake?.();
  }
}

/**
 * Streams one statement. The first piece is empty and follows the server's acceptance. A write is kept once its
 * last row has arrived here; leaving before that undoes it. A read on a pooled connection that
 * turns out dead before the first piece is tried again.
 */
export async function* streamRows(
  database: Database,
  request: PostgresRequest,
  call: Call,
): AsyncGenerator<Uint8Array> {
  const rows = rowsRequest(request, call);
  for (;;) {
    const connection = await database.borrow(call.signal);
    const { reused } = connection;
    connection.reused = true;
    const scene: Scene = { database, connection, call, place: 'call' };
    const streaming = new Streaming(scene, rows);
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

function rowsRequest(request: PostgresRequest, { mode }: Call) {
  checkType(request, mode);
  if ('params' in request || request.type.startsWith('query') || request.type === 'execute') {
    return request as Extract<PostgresRequest, { params?: unknown }>; // All types that take parameters.
  }
  const message = `Requests of type ${request.type} cannot be streamed`;
  throw new GatewayError('BAD_REQUEST', message, { details: [{ path: 'type', message }] });
}

class Streaming {
  readonly read: boolean;
  readonly #scene: Scene;
  readonly #request: Extract<PostgresRequest, { params?: unknown }>;
  readonly #lines: Lines;
  #traces: Traces = 'some';
  #undoable = false;

  constructor(scene: Scene, request: Extract<PostgresRequest, { params?: unknown }>) {
    this.#scene = scene;
    this.#request = request;
    this.#lines = new Lines(scene.connection);
    this.read = isRead(request, scene.call.mode);
  }

  /** Until the server has accepted the statement and said what its rows hold. */
  begin(): Promise<void> {
    return this.#attempt(async () => {
      const { connection, database, call } = this.#scene;
      const parsed = oneStatement(this.#request.query, this.read, 'call');
      this.#undoable = parsed?.returnsRows === true;
      this.#traces = await admitted(this.#scene, parsed, this.read);
      const statement = await bound(this.#scene, this.#request);
      const before = this.read ? await beforeRead(this.#scene) : connection.preamble;
      // Each is complete before the next is parsed, so `described` is the last one's.
      if (before.length > 0) {
        await connection.wire.exchange({
          bytes: statementMessages(before, 'flush'),
          until: 'complete',
          main: before.length - 1,
        });
      }
      await connection.wire.exchange({
        // Named, so that a look-up of types leaves it alone.
        bytes: portalMessages(statement, PORTAL),
        until: 'described',
        sink: this.#lines,
      });
      const { columns } = this.#lines;
      const oids = columns.map(({ dataTypeID }) => dataTypeID);
      await database.types.learn(oids, (statement) => connection.rows(statement, true));
      const rowFormat = this.#request.row_format ?? 'object';
      const { numbersAsStrings } = call;
      this.#lines.write = database.shapes.of(columns, { numbersAsStrings, rowFormat })?.write;
    });
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const { connection, database } = this.#scene;
    let outcome: 'running' | 'ended' | { readonly error: unknown } = 'running';
    const running = this.#attempt(() => this.#execute()).then(
      () => (outcome = 'ended'),
      (error: unknown) => (outcome = { error }),
    );
    void running.then(() => this.#lines.end());
    try {
      yield new Uint8Array();
      for (let piece = await this.#lines.next(); piece; piece = await this.#lines.next())
        yield piece;
      await running;
      if (typeof outcome === 'object') throw (outcome as { error: unknown }).error;
    } finally {
      if (outcome === 'running') {
        connection.interrupt();
        this.#lines.abandon();
        await running;
      }
      database.giveBack(connection, this.#traces);
    }
  }

  async #execute(): Promise<void> {
    const { connection, call } = this.#scene;
    const { wire } = connection;
    await wire.exchange({
      bytes: executeMessages(PORTAL),
      until: 'complete',
      // Other statements, such as CALL, may keep what they change by themselves.
      commits: !this.read && !this.#undoable,
      sink: { row: (values) => this.#lines.row(values) },
    });
    if (connection.interrupted) {
      await undo(() => wire.rollback());
      call.signal.throwIfAborted();
      return;
    }
    try {
      checkCount(this.#request.type, this.#lines.rowCount);
    } catch (error) {
      await undo(() => wire.rollback());
      throw error;
    }
    await wire.commit();
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

const PORTAL = 'rows';
