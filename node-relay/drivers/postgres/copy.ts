/** COPY between a table and the text of a request or a reply. Contract §6: `{rows_affected}` and `{value}`. */

import { copyStatement, isRead } from '../../../kinds/postgres/dialect/admit.ts';
import { rowsAffected } from '../../../kinds/postgres/dialect/rows.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import { badRequest } from '../../../proto/errors.ts';
import { resultTooLarge } from '../byte-text.ts';
import type { Done } from '../lender.ts';
import { admitted, demandMayRun } from './admission.ts';
import { aheadOf, aroundRead, endUndone } from './around.ts';
import { demandEncoding } from './encoding.ts';
import type { Execution } from './execute.ts';
import { statementMessages } from './messages.ts';
import { refuseBehindPooler } from './pooler.ts';

type CopyIn = Extract<PostgresRequest, { type: 'copy_in' }>;
type CopyOut = Extract<PostgresRequest, { type: 'copy_out' }>;

/** Sends a text to `COPY … FROM STDIN`. */
export async function runCopyIn(
  execution: Execution,
  { query, value }: CopyIn,
): Promise<Done<Buffer>> {
  const { wire } = execution.connection;
  // UTF-8 has no such half: another text would be stored.
  if (!value.isWellFormed()) throw badRequest('value', 'holds half of a surrogate pair');
  demandEncoding(execution, query);
  const parsed = copyStatement(query, 'in');
  await demandMayRun(execution, parsed);
  const before = aheadOf(execution, parsed);
  refuseBehindPooler(execution.connection, 'COPY … FROM STDIN is');
  execution.connection.altered = true;
  const tag = await wire.exchange({
    bytes: statementMessages([...before, { text: query }], 'flush'),
    until: 'ready',
    main: before.length,
    commits: !wire.inTransaction,
    sink: { copyIn: Buffer.from(value) },
  });
  return {
    value: Buffer.from(JSON.stringify({ rows_affected: rowsAffected(tag) ?? 0 })),
    traces: 'some',
  };
}

/** Collects the text of `COPY … TO STDOUT`. */
export async function runCopyOut(execution: Execution, request: CopyOut): Promise<Done<Buffer>> {
  const { connection, call, place } = execution;
  const { wire } = connection;
  const read = isRead(request, call.mode);
  demandEncoding(execution, request.query);
  const parsed = copyStatement(request.query, 'out');
  const { traces, undone } = await admitted(execution, parsed, read);
  const { before, after } = read
    ? aroundRead(execution, undone, parsed)
    : { before: aheadOf(execution, parsed), after: [] };
  const wasIdle = wire.idle;
  if (!read) connection.altered = true;
  const pieces: Buffer[] = [];
  let bytes = 0;
  const overflow = () => {
    bytes = Number.POSITIVE_INFINITY;
    pieces.length = 0;
    if (place === 'call') connection.drop();
  };
  const copyOut = (piece: Buffer) => {
    bytes += piece.length;
    // The piece is part of a buffer that is used again.
    if (bytes <= call.resultMaxBytes) pieces.push(Buffer.from(piece));
    else overflow();
  };
  try {
    await wire.exchange({
      bytes: statementMessages([...before, { text: request.query }, ...after], 'sync'),
      until: 'ready',
      main: before.length,
      commits: !read && !wire.inTransaction,
      sink: { copyOut, oversize: overflow },
      rowMax: call.resultMaxBytes,
    });
  } catch (error) {
    if (undone) await endUndone(connection, wasIdle);
    if (bytes > call.resultMaxBytes && !call.signal.aborted)
      throw resultTooLarge(call.resultMaxBytes);
    throw error;
  }
  const whole = Buffer.from(JSON.stringify({ value: Buffer.concat(pieces).toString() }));
  if (bytes > call.resultMaxBytes || whole.length > call.resultMaxBytes)
    throw resultTooLarge(call.resultMaxBytes);
  return { value: whole, traces };
}
