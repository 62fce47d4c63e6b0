/** Rows as lines of NDJSON while they arrive, as fast as they are taken. Contract §6, "Large results". */

import { checkType, isRead, oneStatement } from '../../../kinds/postgres/dialect/admit.ts';
import { mayCommitInside } from '../../../kinds/postgres/dialect/commits-inside.ts';
import { checkCount } from '../../../kinds/postgres/dialect/count.ts';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import { parametersOf } from '../../../kinds/postgres/dialect/parameters.ts';
import {
  AT_ONCE_CHARACTERS,
  type Field,
  type Shape,
} from '../../../kinds/postgres/dialect/rows.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest, type GatewayError } from '../../../proto/errors.ts';
import type { LongText } from '../../../proto/long-text.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { FIELD_MAX_BYTES, fieldOrRowTooLarge } from '../field-limit.ts';
import { attemptLines, type Streaming, type Traces } from '../lender.ts';
import { columnsLine, Filling, type Source } from '../lines.ts';
import { LongLines } from '../long-lines.ts';
import { admitted, isWatched } from './admission.ts';
import { aheadOf, aroundRead, endUndone, undo } from './around.ts';
import { bound } from './bound.ts';
import type { Database } from './database.ts';
import { demandTellable } from './encoding.ts';
import type { Sink } from './exchange.ts';
import type { Execution } from './execute.ts';
import { executeMessages, portalMessages, statementMessages } from './messages.ts';

/** Lines of the rows that a portal answers. */
class FieldLines extends LongLines<readonly FieldValue[], readonly FieldValue[]> implements Sink {
  columns: readonly Field[] = [];
  #shape: Shape | undefined;

  constructor(source: Source, call: Call) {
    super(source, call, (values) => (out) => this.#writeLong(values, out));
  }

  fields(fields: readonly Field[]): void {
    this.columns = fields;
  }

  set shape(shape: Shape | undefined) {
    this.#shape = shape;
    this.write = shape?.write;
  }

  override row(values: readonly FieldValue[], bytes = 0): void {
    const isLong = bytes > AT_ONCE_CHARACTERS && this.#shape?.isLong(values) === true;
    if (isLong || this.isWriting) this.addLong(values);
    else super.row(values);
  }

  *#writeLong(values: readonly FieldValue[], out: LongText): Pieces<void> {
    if (this.#shape) yield* this.#shape.writeLong(values, out);
  }
}

/**
 * Streams one statement. The first piece has no rows and follows the server's acceptance. A write is kept once its
 * last row has arrived here; leaving before that undoes it. A read on a pooled connection that
 * turns out dead before the first piece is tried again.
 */
export async function* streamRows(
  database: Database,
  request: PostgresRequest,
  call: Call,
): AsyncGenerator<Uint8Array> {
  const rows = rowsRequest(request, call);
  yield* database.stream(
    call.signal,
    (connection) => new RowStreaming({ database, connection, call, place: 'call' }, rows),
  );
}

function rowsRequest(request: PostgresRequest, { mode }: Call) {
  checkType(request, mode);
  if ('params' in request || request.type.startsWith('query') || request.type === 'execute') {
    return request as Extract<PostgresRequest, { params?: unknown }>; // All types that take parameters.
  }
  const message = `Requests of type ${request.type} cannot be streamed`;
  throw badRequest('type', message, message);
}

class RowStreaming implements Streaming {
  readonly read: boolean;
  readonly #execution: Execution;
  readonly #request: Extract<PostgresRequest, { params?: unknown }>;
  readonly #lines: FieldLines;
  traces: Traces = 'some';
  #undoable = false;
  #undone = false;
  #commitsInside = false;
  /** A row was too large: that is why the statement was stopped. */
  #oversize: GatewayError | undefined;

  constructor(execution: Execution, request: Extract<PostgresRequest, { params?: unknown }>) {
    this.#execution = execution;
    this.#request = request;
    this.#lines = new FieldLines(execution.connection.wire.stream, execution.call);
    this.read = isRead(request, execution.call.mode);
  }

  /** The server has then also said what the rows hold. */
  async begin(): Promise<Filling> {
    await this.#attempt(async () => {
      const { connection, database, call } = this.#execution;
      const parsed = oneStatement(this.#request, this.read || isWatched(this.#execution), 'call');
      this.#undoable = parsed?.returnsRows === true;
      const { types: given } = parametersOf(this.#request);
      const admission = await admitted(this.#execution, parsed, this.read, given);
      this.traces = admission.traces;
      this.#undone = admission.undone;
      const statement = await bound(this.#execution, this.#request, admission);
      this.#commitsInside = parsed?.commitsInside ?? mayCommitInside(statement.text);
      const before = this.read
        ? aroundRead(this.#execution, this.#undone, parsed).before
        : aheadOf(this.#execution, parsed);
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
      const { numbersAsStrings, tellsColumns } = call;
      const shape = database.shapes.of(columns, { numbersAsStrings, rowFormat });
      this.#lines.shape = shape;
      if (tellsColumns) this.#lines.head = columnsLine(shape?.columnsJson ?? '[]');
    });
    return new Filling(
      this.#lines,
      this.#attempt(() => this.#execute()),
    );
  }

  async #execute(): Promise<void> {
    const { connection, call } = this.#execution;
    const { wire } = connection;
    // Other statements, such as CALL, may keep what they change by themselves.
    const commits = !this.read && !this.#undoable;
    connection.mayKeep ||= commits && this.#commitsInside;
    const answered = wire.exchange({
      bytes: executeMessages(PORTAL),
      until: 'complete',
      commits,
      sink: {
        row: (values, bytes) => this.#lines.row(values, bytes),
        oversize: (field) => {
          this.#oversize = fieldOrRowTooLarge(field);
          connection.drop();
        },
      },
      rowMax: FIELD_MAX_BYTES,
      portal: this.#lines.columns,
    });
    await this.#lines.after(answered, () => undo(() => wire.rollback()));
    if (connection.interrupted) {
      await undo(() => wire.rollback());
      if (this.#oversize) throw this.#oversize;
      call.signal.throwIfAborted();
      return;
    }
    try {
      checkCount(this.#request.type, this.#lines.rowCount);
      const maySet = this.#undone || (!this.read && this.traces !== 'none');
      if (maySet && this.#lines.rowCount > 0) await demandTellable(connection);
    } catch (error) {
      await undo(() => wire.rollback());
      throw error;
    }
    if (this.#undone) await wire.rollback();
    else await wire.commit();
  }

  #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    const { connection, call } = this.#execution;
    const { signal } = call;
    const mode = this.read ? 'read' : 'write';
    return attemptLines(connection, this.#lines, { mode, signal }, async () => {
      try {
        return await work();
      } catch (error) {
        if (this.#undone) await endUndone(connection, true);
        throw signal.aborted ? error : (this.#oversize ?? error);
      }
    });
  }
}

const PORTAL = 'rows';
