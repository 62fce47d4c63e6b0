/** Rows as lines of NDJSON while they arrive, as fast as they are taken. Contract §6, "Large results". */

import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest } from '../../../proto/errors.ts';
import { FIELD_MAX_BYTES, fieldTooLarge } from '../field-limit.ts';
import { columnsLine } from '../lines.ts';
import { latin1 } from './binary.ts';
import type { Database } from './database.ts';
import { admitted, checkCount } from './execute.ts';
import { ReplyReader } from './reply.ts';

const PIECE_LENGTH = 65_536;

/**
 * Streams one statement. The first piece has no rows and follows the server's acceptance. Leaving
 * early stops the statement on the server.
 */
export async function* streamRows(
  database: Database,
  request: ClickhouseRequest,
  call: Call,
): AsyncGenerator<Uint8Array> {
  if (request.type === 'fetch_bytes' || request.type === 'insert') {
    const message = `Requests of type ${request.type} answer no rows to stream`;
    throw badRequest('type', message, message);
  }
  const prepared = await admitted(database, request, call, false);
  const open = await database.open(prepared, call);
  let lines = '';
  const rowFormat = ('row_format' in request && request.row_format) || 'object';
  const { numbersAsStrings } = call;
  const bounds = {
    rowMax: FIELD_MAX_BYTES,
    tooLong: (column = 'of a row') => fieldTooLarge(column),
    call,
  };
  const reader = new ReplyReader({ numbersAsStrings, rowFormat }, bounds, (row) => {
    lines += `${row}\n`;
  });
  const chunks = reader.taken(open.reply);
  let running = true;
  let tellsColumns = call.tellsColumns ?? false;
  /** The line of columns, once they have come. */
  const head = () => {
    if (!tellsColumns || reader.columns.length === 0) return '';
    tellsColumns = false;
    return latin1(columnsLine(JSON.stringify(reader.columns)));
  };
  /** The next lines; none after the last. */
  const next = async () => {
    lines = '';
    while (lines.length < PIECE_LENGTH) {
      const { done } = await chunks.next();
      if (done === true) {
        if (!open.reply.complete) throw new Error('The reply ended before its end');
        checkCount(request.type, reader.rowCount);
        open.connection.ended();
        running = false;
        break;
      }
      if (open.reply.readableLength === 0) break;
    }
    return Buffer.from(head() + lines, 'latin1');
  };
  const stop = () => open.connection.interrupt();
  call.signal.addEventListener('abort', stop, { once: true });
  try {
    yield new Uint8Array();
    while (running) {
      const piece = await database.attempt(open, prepared, call, next);
      if (piece.length > 0) yield piece;
    }
  } finally {
    call.signal.removeEventListener('abort', stop);
    if (running) stop();
    database.giveBack(open.connection);
  }
}
