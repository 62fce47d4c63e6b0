/** Rows as lines of NDJSON, page by page, as fast as they are taken. Contract §6, "Large results". */

import type { CassandraRequest } from '../../../kinds/cassandra/index.ts';
import { refusedAt } from '../../../kinds/refusals.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { columnsLine } from '../lines.ts';
import { inTurnOf, lineOf } from '../long-rows.ts';
import type { Connection } from './connection.ts';
import type { ConnectionWork, Database } from './database.ts';
import { fromFailure } from './errors.ts';
import { beginningOf, type StatementRequest, workOf } from './execute.ts';
import {
  checkColumns,
  columnsText,
  fetchPage,
  firstSize,
  nextSize,
  PAGE_MAX_BYTES,
  type PageWish,
  rowTexts,
} from './pages.ts';
import type { StatementReply } from './reply.ts';

const PIECE_LENGTH = 65_536;

/**
 * Streams one statement. The first piece has no rows and follows the server's acceptance. Leaving
 * early asks for no more pages.
 */
export async function* streamRows(
  database: Database,
  request: CassandraRequest,
  call: Call,
): AsyncGenerator<Uint8Array> {
  if (request.type === 'batch')
    throw refusedAt('type', 'Requests of type batch answer no rows to stream');
  if (request.tracing === true)
    throw refusedAt('tracing', 'tracing: a stream has no place for a trace');
  const work: ConnectionWork = { ...workOf(request, call), streams: true };
  const hasSize = 'page_size' in request && request.page_size !== undefined;
  const single = request.type.startsWith('query_single_page');
  const beginning = beginningOf(database, request, firstSize(request.query));
  const mayShrink = !hasSize && !single && !work.changes;
  const reading: StreamTask = { database, request, call, work, mayShrink, connection: undefined };
  const stop = () => reading.connection?.interrupt();
  try {
    let page = await firstPage(reading, beginning);
    const first = page.answer;
    call.signal.addEventListener('abort', stop, { once: true });
    yield head(reading, first);
    for (;;) {
      yield* pieces(reading, page.answer);
      const { answer, size } = page;
      const state = answer.meta?.pageState;
      if (single || !state || state.length === 0) return;
      page = await nextPage(reading, {
        size: hasSize ? size : nextSize(request.query, size, answer),
        state,
      });
      checkColumns(first, page.answer);
    }
  } finally {
    call.signal.removeEventListener('abort', stop);
    giveBack(reading);
  }
}

/** What is streamed and how. */
interface StreamTask {
  readonly database: Database;
  readonly request: StatementRequest;
  readonly call: Call;
  readonly work: ConnectionWork;
  /** A page that is too large may be asked for with fewer rows. */
  readonly mayShrink: boolean;
  /** Held from one page to the next. */
  connection: Connection | undefined;
}

interface Page {
  readonly answer: StatementReply;
  readonly size: number;
}

function giveBack(reading: StreamTask): void {
  if (reading.connection) reading.database.giveBack(reading.connection);
  reading.connection = undefined;
}

/** Keeps the connection for the pages to come; a dead one is replaced as for any call. */
async function firstPage(reading: StreamTask, wish: PageWish): Promise<Page> {
  const { database, request, call, work } = reading;
  try {
    const answer = await database.keep(work, call, async (connection) => {
      connection.frameMax = PAGE_MAX_BYTES;
      const found = await fetchPage(database, connection, request, wish, work);
      reading.connection = connection;
      return found;
    });
    return { answer, size: wish.size };
  } catch (cause) {
    return firstPage(reading, fewerRows(reading, wish, cause));
  }
}

/** On the same connection, unless the page is too large: then with fewer rows on another. */
async function nextPage(reading: StreamTask, wish: PageWish): Promise<Page> {
  const { database, request, call, work, connection } = reading;
  if (connection === undefined) return firstPage(reading, wish);
  try {
    const answer = await database.attempt(connection, work, call, () =>
      fetchPage(database, connection, request, wish, work),
    );
    return { answer, size: wish.size };
  } catch (cause) {
    const fewer = fewerRows(reading, wish, cause);
    giveBack(reading);
    return firstPage(reading, fewer);
  }
}

/** By how much a page shrinks whose rows were heavier than those before. */
const SHRINK = 16;

/** @throws the failure, where fewer rows are no help */
function fewerRows({ mayShrink }: StreamTask, wish: PageWish, cause: unknown): PageWish {
  const isTooLarge = cause instanceof GatewayError && cause.code === 'RESULT_TOO_LARGE';
  if (!isTooLarge || !mayShrink || wish.size <= 1) throw cause;
  return { ...wish, size: Math.max(1, Math.floor(wish.size / SHRINK)) };
}

/** What comes before the rows: a line of columns, where it is asked for. */
function head({ call, connection }: StreamTask, { meta }: StatementReply): Uint8Array {
  if (!call.tellsColumns) return new Uint8Array();
  try {
    return Buffer.from(columnsLine(columnsText(meta?.columns ?? [])));
  } catch (cause) {
    connection?.interrupt();
    throw fromFailure(cause, { uncertain: false, signal: call.signal, max: 'page' });
  }
}

/** Lines of a page; what cannot be read ends the connection. */
async function* pieces(
  { request, call, connection }: StreamTask,
  answer: StatementReply,
): AsyncGenerator<Uint8Array> {
  let lines = '';
  const rowFormat = request.row_format ?? 'object';
  const { numbersAsStrings, signal } = call;
  try {
    for (const row of rowTexts(answer, { rowFormat, numbersAsStrings })) {
      if (typeof row === 'string') lines += `${row}\n`;
      const isLong = typeof row !== 'string';
      if (lines !== '' && (isLong || lines.length >= PIECE_LENGTH)) {
        yield Buffer.from(lines);
        lines = '';
      }
      if (isLong) yield* await inTurnOf(call, lineOf(row));
    }
  } catch (cause) {
    connection?.interrupt();
    throw fromFailure(cause, { uncertain: false, signal, max: 'page' });
  }
  if (lines !== '') yield Buffer.from(lines);
}
