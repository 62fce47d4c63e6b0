/** Rows as lines of NDJSON while they arrive, as fast as they are taken. Contract §6, "Large results". */
import type { Socket } from 'node:net';
import { checkType, isRead, oneStatement } from '../../../kinds/mysql/dialect/admit.ts';
import { checkCount } from '../../../kinds/mysql/dialect/count.ts';
import { hasNames, type RowsRequest, valuesOf } from '../../../kinds/mysql/dialect/parameters.ts';
import type { Parsed } from '../../../kinds/mysql/dialect/statement.ts';
import type { Column } from '../../../kinds/mysql/dialect/types.ts';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest, type GatewayError } from '../../../proto/errors.ts';
import { FIELD_MAX_BYTES, fieldOrRowTooLarge } from '../field-limit.ts';
import { attemptLines, type Streaming, type Traces } from '../lender.ts';
import { columnsLine, Filling } from '../lines.ts';
import { LongLines } from '../long-lines.ts';
import type { Database } from './database.ts';
import type { Sink } from './exchange.ts';
import { admitted, type Execution, ended, send } from './execute.ts';
import { tooLargeIn } from './large-row.ts';
import type { Packet } from './packets.ts';
import { beforeRead } from './reading.ts';
import {
  AT_ONCE_BYTES,
  type LongRow,
  type RowOptions,
  type Shape,
  shapeOf,
  writeParts,
} from './rows.ts';

/** Lines of the rows that one statement answers. */
class PacketLines extends LongLines<Packet, LongRow> implements Sink {
  readonly rowMax = FIELD_MAX_BYTES;
  /** A row was too large and is left out: the statement has to stop. */
  tooLarge: GatewayError | undefined;
  /** Resolves when the server has accepted the statement. */
  readonly accepted = Promise.withResolvers<void>();
  options: RowOptions;

  readonly #tellsColumns: boolean;
  readonly #stop: () => void;
  #shape: Shape | undefined;

  constructor(source: Socket, call: Call, options: RowOptions, stop: () => void) {
    super(source, call, (row) => (out) => writeParts(row, out));
    this.options = options;
    this.#tellsColumns = call.tellsColumns ?? false;
    this.#stop = stop;
  }

  oversize(begun: readonly Buffer[], columns: readonly Column[]): void {
    if (this.tooLarge) return;
    this.tooLarge = fieldOrRowTooLarge(tooLargeIn(begun, columns, this.options.form));
    this.#stop();
  }

  columns(columns: readonly Column[]): void {
    this.#shape = shapeOf(columns, this.options);
    const { write, columnsJson } = this.#shape;
    this.write = write;
    if (this.#tellsColumns) this.head = columnsLine(columnsJson);
    this.accepted.resolve();
  }

  override row(reader: Packet): void {
    const isLong = reader.left > AT_ONCE_BYTES || this.isWriting;
    if (isLong && this.#shape) this.addLong(this.#shape.parts(reader));
    else super.row(reader);
  }
}

/**
 * Streams one statement. The first piece has no rows and follows the server's acceptance. A change
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
  yield* database.stream(
    call.signal,
    (connection) => new RowStreaming({ database, connection, call, place: 'call' }, rows, parsed),
  );
}

function rowsRequest(request: MysqlRequest, { mode }: Call): RowsRequest {
  checkType(request, mode);
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute': {
      const message = `Requests of type ${request.type} cannot be streamed`;
      throw badRequest('type', message, message);
    }
    default:
      return request;
  }
}

class RowStreaming implements Streaming {
  readonly read: boolean;
  readonly #execution: Execution;
  readonly #request: RowsRequest;
  readonly #parsed: Parsed;
  readonly #lines: PacketLines;
  traces: Traces = 'some';

  constructor(execution: Execution, request: RowsRequest, parsed: Parsed) {
    this.#execution = execution;
    this.#request = request;
    this.#parsed = parsed;
    const { numbersAsStrings } = execution.call;
    const rowFormat = request.row_format ?? 'object';
    const { connection } = execution;
    const options: RowOptions = { numbersAsStrings, rowFormat, form: 'binary' };
    this.#lines = new PacketLines(connection.wire.socket, execution.call, options, () =>
      connection.drop(),
    );
    this.read = isRead(request, execution.call.mode);
  }

  async begin(): Promise<Filling> {
    const lines = this.#lines;
    const filling = new Filling(
      lines,
      this.#attempt(() => this.#execute()),
    );
    await Promise.race([lines.accepted.promise, filling.ended]);
    if (lines.rowCount === 0) filling.throwFailure();
    return filling;
  }

  async #execute(): Promise<void> {
    const { connection, call } = this.#execution;
    this.traces = await admitted(this.#execution, this.#parsed, this.read);
    const values = valuesOf(this.#request, this.#parsed);
    const undoable = !this.read && this.#parsed.returning;
    const begun = this.read && (await beforeRead(this.#execution));
    if (undoable) await connection.query('START TRANSACTION');
    try {
      const commits = !this.read && !undoable;
      const statement = { parsed: this.#parsed, values, read: this.read };
      const answered = send(this.#execution, statement, (form) => this.#sink(form), commits);
      await this.#lines.after(answered);
      call.signal.throwIfAborted();
      if (this.#lines.tooLarge) throw this.#lines.tooLarge;
      checkCount(this.#request.type, this.#lines.rowCount);
    } catch (error) {
      if (undoable || begun) await ended(connection, 'ROLLBACK');
      throw call.signal.aborted ? error : (this.#lines.tooLarge ?? error);
    }
    if (undoable || begun) await connection.query('COMMIT', {}, undoable);
  }

  #sink(form: RowOptions['form']): Sink {
    this.#lines.options = { ...this.#lines.options, form };
    return this.#lines;
  }

  #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    const { connection, call } = this.#execution;
    const { signal } = call;
    const mode = this.read ? 'read' : 'write';
    return attemptLines(connection, this.#lines, { mode, signal }, work);
  }
}
