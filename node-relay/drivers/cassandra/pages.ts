/** Pages of a statement's rows, written as JSON while they are taken. */

import cassandra from 'cassandra-driver';
import executionOptions from 'cassandra-driver/lib/execution-options.js';
import requests from 'cassandra-driver/lib/requests.js';
import { consistencyNamed } from '../../../kinds/cassandra/consistency.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { LongText, type LongWriter } from '../../../proto/long-text.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { inPiecesOf } from '../in-pieces.ts';
import { ReplyFault } from './bytes.ts';
import { Cells, encoderOf } from './composites.ts';
import type { Connection } from './connection.ts';
import type { ConnectionWork, Database } from './database.ts';
import { statementOf } from './guard.ts';
import { anyEncoderOf, writeNext } from './long-values.ts';
import { cqlType, typeName } from './marshal.ts';
import type { ProtocolColumn } from './metadata.ts';
import { encodedParams, type Params } from './parameters.ts';
import type { StatementReply } from './reply.ts';
import type { Settings } from './settings.ts';
import { RowRoom } from './values.ts';

/** Members of requests that say how the server works on them. */
interface Wishes {
  readonly consistency?: string | undefined;
  readonly serial_consistency?: string | undefined;
  readonly timestamp?: number | string | undefined;
  readonly tracing?: boolean | undefined;
}

/** What the driver asks when it writes a request. */
export class CallOptions extends executionOptions.ExecutionOptions {
  readonly consistency: number;
  readonly #serial: number | undefined;
  readonly #timestamp: object | null;
  readonly #tracing: boolean;
  readonly #pageSize: number | undefined;
  readonly #pageState: Buffer | undefined;
  readonly #batchType: string;

  constructor(
    settings: Settings,
    wishes: Wishes,
    page: { readonly size?: number; readonly state?: Buffer | undefined } = {},
    batchType = 'logged',
  ) {
    super();
    this.consistency = consistencyNamed(wishes.consistency ?? '') ?? settings.consistency;
    this.#serial = consistencyNamed(wishes.serial_consistency ?? '') ?? settings.serialConsistency;
    const { timestamp } = wishes;
    this.#timestamp =
      timestamp === undefined ? null : cassandra.types.Long.fromString(String(timestamp));
    this.#tracing = wishes.tracing ?? false;
    this.#pageSize = page.size;
    this.#pageState = page.state;
    this.#batchType = batchType;
  }

  getConsistency = () => this.consistency;
  getSerialConsistency = () => this.#serial;
  getOrGenerateTimestamp = () => this.#timestamp;
  isQueryTracing = () => this.#tracing;
  getFetchSize = () => this.#pageSize ?? 0;
  getPageState = () => this.#pageState;
  isBatchLogged = () => this.#batchType === 'logged';
  isBatchCounter = () => this.#batchType === 'counter';
  getCustomPayload = () => undefined;
  getHints = () => undefined;
  getKeyspace = () => undefined;
}

/** A statement to run and how. */
interface PagedStatement extends Wishes {
  readonly query: string;
  readonly params?: Params;
  readonly row_format?: 'object' | 'array' | undefined;
}

/** Where a page begins and how many rows it has at most. */
export interface PageWish {
  readonly size: number;
  readonly state: Buffer | undefined;
}

/** Fetches one page. */
export function fetchPage(
  database: Database,
  connection: Connection,
  statement: PagedStatement,
  page: PageWish,
  work: ConnectionWork,
): Promise<StatementReply> {
  const options = new CallOptions(database.settings, statement, page);
  return database.withPrepared(connection, [statement.query], async ([prepared]) => {
    if (!prepared) throw new Error('One statement was prepared');
    const encoded = encodedParams(prepared.meta.columns, statement.params);
    const values = await inPiecesOf(work, encoded);
    const request = new requests.ExecuteRequest(
      statement.query,
      prepared.id,
      values,
      options,
      prepared.meta,
    );
    // The driver takes the level 0, which is `any`, for none.
    request.consistency = options.consistency;
    work.sent = true;
    return pageOf(await connection.send(request), page, work);
  });
}

/** @throws ReplyFault for an answer that is no page of a query, or the page again that was asked for */
function pageOf(
  answer: StatementReply,
  { state }: PageWish,
  { changes }: ConnectionWork,
): StatementReply {
  if (!changes && answer.kind !== 'rows') throw new ReplyFault('A query answers rows');
  if (state !== undefined && answer.meta?.pageState?.equals(state)) {
    throw new ReplyFault('The page after a page is another');
  }
  return answer;
}

/** Rows of the first page where nothing is known of their size. */
const FIRST_ROWS = 200;
const FIRST_ROWS_OF_LIMITED = 1_000;
const ROWS_MAX = 10_000;
const GROWTH = 8;
/** Bytes that a page should have: enough to keep the server busy, little in memory. */
const PAGE_BYTES = 512 * 1024;

/** Bytes of the largest page: a field of 64 MiB, and what is around it. */
export const PAGE_MAX_BYTES = 65 * 1024 * 1024;

/** The size of a first page. */
export function firstSize(query: string): number {
  return statementOf(query).isLimited ? FIRST_ROWS_OF_LIMITED : FIRST_ROWS;
}

/**
 * The size of the next page, by what the last one weighed. It never grows under a LIMIT: a page
 * that is larger than the limit is answered from the beginning, whatever the place that is sent.
 */
export function nextSize(query: string, last: number, answer: StatementReply): number {
  const bytes = (answer.raw?.length ?? 0) / Math.max(answer.rowCount ?? 0, 1);
  const fitting = Math.floor(PAGE_BYTES / Math.max(bytes, 1));
  const most = statementOf(query).isLimited ? last : Math.min(last * GROWTH, ROWS_MAX);
  return Math.max(1, Math.min(fitting, most));
}

/** How rows are written. */
interface RowOptions {
  readonly rowFormat: 'object' | 'array';
  readonly numbersAsStrings: boolean;
}

/** Columns as results tell them. */
export function columnsText(columns: readonly ProtocolColumn[]): string {
  return JSON.stringify(columns.map(({ name, type }) => ({ name, type: typeName(cqlType(type)) })));
}

/**
 * Looks whether a page has the columns of the first: what is before the rows is told once.
 * @throws GatewayError CONNECTION_FAILED
 */
export function checkColumns(first: StatementReply, later: StatementReply): void {
  if (first === later) return;
  if (columnsText(first.meta?.columns ?? []) === columnsText(later.meta?.columns ?? [])) return;
  const message = 'The columns of the result changed from one page to the next';
  throw new GatewayError('CONNECTION_FAILED', message);
}

/** Bytes of collections that are written at once. Most rows are far shorter. */
const AT_ONCE_BYTES = 128 * 1024;
/** How long a byte of a value takes that has no values in it, as a part of one of a collection. */
const PLAIN_WEIGHT = 1 / 8;

/** The text of a row; of one that takes long what writes it, which is to be done before the next row. */
type RowText = string | LongWriter;

/** JSON texts of a page's rows, in order; of several columns of a name the last is kept in objects. @throws ReplyFault, GatewayError RESULT_TOO_LARGE */
export function* rowTexts(answer: StatementReply, options: RowOptions): Generator<RowText> {
  const { raw, rowCount = 0, meta } = answer;
  if (!raw || !meta) return;
  const [open, close] =
    options.rowFormat === 'array' ? (['[', ']'] as const) : (['{', '}'] as const);
  const room = new RowRoom();
  const columns = columnsOf(meta.columns, options, room);
  const weights = raw.length > AT_ONCE_BYTES ? columns.map(({ weight }) => weight) : [];
  const cells = new Cells(raw, room);
  for (let row = 0; row < rowCount; row += 1) {
    room.renew();
    if (cells.costOf(weights) > AT_ONCE_BYTES) {
      yield (out) => longRow(cells, columns, [open, close], out);
      continue;
    }
    let text = '';
    for (const { isKept, before, encode } of columns) {
      const value = cells.next(encode);
      if (isKept) text += `${text && ','}${before}${value}`;
    }
    yield open + text + close;
  }
  cells.end();
}

function* longRow(
  cells: Cells,
  columns: ReturnType<typeof columnsOf>,
  [open, close]: readonly [open: string, close: string],
  out: LongText,
): Pieces<void> {
  out.add(open);
  let comma = '';
  for (const { isKept, before, any } of columns) {
    yield* writeNext(
      cells,
      comma + before,
      any(),
      isKept ? out : new LongText(undefined, () => {}),
    );
    if (isKept) comma = ',';
  }
  out.add(close);
}

function columnsOf(columns: readonly ProtocolColumn[], options: RowOptions, room: RowRoom) {
  const asArray = options.rowFormat === 'array';
  const last = new Map(columns.map(({ name }, index) => [name, index]));
  return columns.map(({ name, type }, index) => {
    const named = cqlType(type);
    return {
      isKept: asArray || last.get(name) === index,
      before: asArray ? '' : `${JSON.stringify(name)}:`,
      encode: encoderOf(named, options.numbersAsStrings, room),
      any: () => anyEncoderOf(named, options.numbersAsStrings, room),
      weight: named.kind === 'simple' ? PLAIN_WEIGHT : 1,
    };
  });
}
