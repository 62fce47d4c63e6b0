/** Rows as lines of NDJSON, page by page, as fast as they are taken. Contract §6, "Large results". */
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { CassandraRequest } from '../../../proto/kinds/cassandra.ts';
import type { Answer, Connection } from './connection.ts';
import type { Database, Work } from './database.ts';
import { type Beginning, beginningOf, type StatementRequest, workOf } from './execute.ts';
import { fetchPage, firstSize, nextSize, rowTexts } from './pages.ts';

const PIECE_LENGTH = 65_536;

/**
 * Streams one statement. The first piece is empty and follows the server's acceptance. Leaving
 * early asks for no more pages.
 */
export async function* streamRows(
  database: Database,
  request: CassandraRequest,
  call: Call,
): AsyncGenerator<Uint8Array> {
  if (request.type === 'batch')
    throw refusal('type', 'Requests of type batch answer no rows to stream');
  if (request.tracing === true)
    throw refusal('tracing', 'tracing: a stream has no place for a trace');
  const work = workOf(request, call);
  const beginning = beginningOf(database, request, firstSize(request.query));
  const opened = await firstPage(database, request, call, { work, beginning });
  const { connection } = opened;
  const single = request.type.startsWith('query_single_page');
  let { answer } = opened;
  let { size } = opened;
  const hasSize = 'page_size' in request && request.page_size !== undefined;
  const stop = () => connection.interrupt();
  call.signal.addEventListener('abort', stop, { once: true });
  try {
    yield new Uint8Array();
    for (;;) {
      yield* pieces(answer, request, call);
      const next = answer.meta?.pageState;
      if (single || !next || next.length === 0) return;
      size = hasSize ? size : nextSize(request.query, size, answer);
      answer = await database.attempt(connection, work, call, () =>
        fetchPage(database, connection, request, { size, state: next }, work),
      );
    }
  } finally {
    call.signal.removeEventListener('abort', stop);
    database.giveBack(connection);
  }
}

interface Opened {
  readonly connection: Connection;
  readonly answer: Answer;
  readonly size: number;
}

/** Keeps the connection for the pages to come; a dead one is replaced as for any call. */
async function firstPage(
  database: Database,
  request: StatementRequest,
  call: Call,
  { work, beginning }: { readonly work: Work; readonly beginning: Beginning },
): Promise<Opened> {
  return database.keep(work, call, async (connection) => {
    const answer = await fetchPage(database, connection, request, beginning, work);
    return { connection, answer, size: beginning.size };
  });
}

function* pieces(answer: Answer, request: StatementRequest, call: Call): Generator<Uint8Array> {
  let lines = '';
  const rowFormat = request.row_format ?? 'object';
  for (const row of rowTexts(answer, { rowFormat, numbersAsStrings: call.numbersAsStrings })) {
    lines += `${row}\n`;
    if (lines.length < PIECE_LENGTH) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  if (lines !== '') yield Buffer.from(lines);
}

function refusal(path: string, message: string): GatewayError {
  return new GatewayError('BAD_REQUEST', message, { details: [{ path, message }] });
}
