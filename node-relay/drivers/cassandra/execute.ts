/** Runs one request and builds its result. */
import { setImmediate } from 'node:timers/promises';
import { type CassandraRequest, cassandra as kind } from '../../../kinds/cassandra/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest } from '../../../proto/errors.ts';
import { inTurnOf } from '../long-rows.ts';
import { runBatch } from './batch.ts';
import type { Connection } from './connection.ts';
import type { ConnectionWork, Database } from './database.ts';
import { extras } from './extras.ts';
import { admit, statementOf } from './guard.ts';
import {
  checkColumns,
  columnsText,
  fetchPage,
  firstSize,
  nextSize,
  PAGE_MAX_BYTES,
  rowTexts,
} from './pages.ts';
import { openedState, sealedState } from './paging.ts';
import type { StatementReply } from './reply.ts';
import { ResultText } from './result.ts';
import { readTrace } from './trace.ts';

/** A request of one statement. */
export type StatementRequest = Exclude<CassandraRequest, { type: 'batch' }>;

/** Runs a request of any type. */
export async function runRequest(
  database: Database,
  request: CassandraRequest,
  call: Call,
): Promise<Buffer> {
  if (request.type === 'batch') {
    refuseWrite(request.type, call);
    return runBatch(database, request, call);
  }
  const work = workOf(request, call);
  const usual = isSingle(request) ? PAGE_ROWS : firstSize(request.query);
  const beginning = beginningOf(database, request, usual);
  return database.call(work, call, (connection) =>
    gathered(database, connection, request, { call, work, beginning }),
  );
}

/**
 * What a request does, when it may run.
 * @throws GatewayError BAD_REQUEST
 */
export function workOf(request: StatementRequest, call: Call): ConnectionWork {
  refuseWrite(request.type, call);
  const read = call.mode === 'read' || request.type.endsWith('_read_only');
  const { kind: word } = admit(request.query, read);
  if (read && request.tracing === true) {
    const message = 'is taken on /write only: the server writes down what it traces';
    throw badRequest('tracing', message);
  }
  return { changes: word !== 'SELECT', sent: false, inPieces: call.inPieces };
}

function refuseWrite(type: string, { mode }: Call): void {
  if (mode !== 'read' || kind.types[type] === 'read') return;
  const message = `Requests of type ${type} write; send them to /write`;
  throw badRequest('type', message, message);
}

interface Paged {
  readonly page_size?: number | undefined;
  readonly paging_state?: string | undefined;
}

/** Where a request begins: its first page's size, and the server's place that it goes on from. */
interface FirstPage {
  readonly size: number;
  readonly state: Buffer | undefined;
}

/**
 * Where a request begins.
 * @param usual rows of a page where the request does not say
 * @throws GatewayError BAD_REQUEST
 */
export function beginningOf(
  database: Database,
  request: StatementRequest,
  usual: number,
): FirstPage {
  const paged: Paged = 'page_size' in request || 'paging_state' in request ? request : {};
  const { page_size, paging_state } = paged;
  const place = openedState(database.host, request, paging_state);
  const wanted = page_size ?? usual;
  const isBound = place !== undefined && statementOf(request.query).isLimited;
  return { size: isBound ? Math.min(wanted, place.size) : wanted, state: place?.state };
}

const isSingle = (request: StatementRequest) =>
  request.type.startsWith('query_single_page') ||
  ('page_size' in request && request.page_size !== undefined) ||
  ('paging_state' in request && request.paging_state !== undefined);

/** Rows of a page when the request names no size. Source: the driver's own default. */
const PAGE_ROWS = 5_000;
/** Bytes that a value of one character may take on the wire: its length, and eight of a number. */
const WIRE_FACTOR = 12;
const FRAME_MIN = 65_536;
/** Characters after which others have their turn. */
const TURN_LENGTH = 256 * 1024;

interface Gathering {
  readonly call: Call;
  readonly work: ConnectionWork;
  readonly beginning: FirstPage;
}

/** One page, or all of them after each other. */
async function gathered(
  database: Database,
  connection: Connection,
  request: StatementRequest,
  { call, work, beginning }: Gathering,
): Promise<Buffer> {
  connection.frameMax = Math.min(
    PAGE_MAX_BYTES,
    Math.max(FRAME_MIN, call.resultMaxBytes * WIRE_FACTOR),
  );
  const result = new ResultText(call.resultMaxBytes);
  const options = {
    rowFormat: request.row_format ?? 'object',
    numbersAsStrings: call.numbersAsStrings,
  } as const;
  const single = isSingle(request);
  let { size, state: next } = beginning;
  let first: StatementReply | undefined;
  for (;;) {
    const answer = await fetchPage(database, connection, request, { size, state: next }, work);
    first ??= answer;
    checkColumns(first, answer);
    await addRows(result, rowTexts(answer, options), call);
    next = answer.meta?.pageState;
    if (single || !next || next.length === 0) break;
    size = nextSize(request.query, size, answer);
  }
  const trace = request.tracing === true ? await readTrace(connection, first) : undefined;
  const page = single
    ? `,"paging_state":${JSON.stringify(sealedState(database.host, request, next, size))}`
    : '';
  return result.finish(columnsText(first.meta?.columns ?? []), page + extras(first, trace));
}

/** Adds a page's rows, and gives way to others meanwhile. */
async function addRows(
  result: ResultText,
  rows: ReturnType<typeof rowTexts>,
  call: Call,
): Promise<void> {
  let written = 0;
  for (const row of rows) {
    if (typeof row !== 'string') {
      await inTurnOf(call, result.addLong(row));
      continue;
    }
    result.add(row);
    written += row.length;
    if (written < TURN_LENGTH) continue;
    written = 0;
    await setImmediate();
  }
}
