/** Runs one request and builds its result. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
import { clickhouse as kind } from '../../../kinds/clickhouse/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import { resultTooLarge } from '../byte-text.ts';
import { inPiecesOf } from '../in-pieces.ts';
import { wholeBody } from '../whole-body.ts';
import { latin1 } from './binary.ts';
import type { Database, Prepared } from './database.ts';
import { admit } from './guard.ts';
import { insertion } from './insert.ts';
import { parametersOf } from './parameters.ts';
import { ReplyReader } from './reply.ts';
import { oneStatement, type Statement } from './statement.ts';
import { summaryOf } from './summary.ts';
import { refuseUserFunctions } from './user-functions.ts';

/** A request that carries a statement. */
export type StatementRequest = Exclude<ClickhouseRequest, { type: 'insert' }>;

/** How results are written. They are after the caller's, so nothing overrides them. */
const OUTPUT =
  '&default_format=JSONCompactEachRowWithNamesAndTypes' +
  '&output_format_json_quote_64bit_integers=0&output_format_json_quote_decimals=1' +
  '&output_format_json_quote_denormals=1&output_format_json_escape_forward_slashes=0' +
  '&output_format_json_named_tuples_as_objects=1&output_format_json_validate_utf8=0' +
  '&output_format_decimal_trailing_zeros=1&date_time_output_format=iso' +
  '&http_write_exception_in_output_format=0';
/** Times in ISO 8601 are read as they are written, and a row has no columns that the table lacks. */
const INPUT = '&date_time_input_format=best_effort&input_format_skip_unknown_fields=0';
const READ = '&readonly=1&cancel_http_readonly_queries_on_client_close=1';
/** A write answers when it has ended. */
const WHOLE = '&wait_end_of_query=1';
/** Most that the server is asked to hold back, so that the head of its reply gives all of it. */
const HELD_MAX = 67_108_864;

const READ_ONLY_TYPES = /_read_only$|^fetch/;
/** They change nothing wherever they run. */
const HARMLESS_KINDS = new Set(['SELECT', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'EXISTS']);

/**
 * What is sent for a request.
 * @param isWhole the reply is wanted as a whole, its cost in its head
 * @throws GatewayError BAD_REQUEST, REQUEST_FAILED, PAYLOAD_TOO_LARGE
 */
async function prepare(
  { settings, allowed }: Database,
  request: ClickhouseRequest,
  call: Call,
  isWhole: boolean,
): Promise<Prepared> {
  if (call.mode === 'read' && kind.types[request.type] !== 'read') {
    const message = `Requests of type ${request.type} write; send them to /write`;
    throw badRequest('type', message, message);
  }
  const read = call.mode === 'read' || READ_ONLY_TYPES.test(request.type);
  const given = { ...settings.serverSettings, ...request.settings };
  const query = INPUT + settingsText(given) + OUTPUT + (read ? READ : '');
  if (request.type === 'insert') {
    const { statement, body } = await inPiecesOf(call, insertion(request));
    return { query: `${query}${WHOLE}&query=${statement}`, body, read, changes: true };
  }
  const statement = admit(request, read, allowed);
  const changes = !read && !HARMLESS_KINDS.has(statement.kind);
  const held = isWhole ? `&buffer_size=${Math.min(call.resultMaxBytes, HELD_MAX)}` : '';
  const format = request.type === 'fetch_bytes' ? `&default_format=${request.format}` : '';
  return {
    query:
      query.replace(/&default_format=\w+/, (found) => format || found) +
      (changes ? WHOLE : held) +
      bound(request, statement),
    body: request.query,
    read,
    changes,
  };
}

/** As `prepare`, when a read calls no functions of users. @throws GatewayError */
export async function admitted(
  database: Database,
  request: ClickhouseRequest,
  call: Call,
  isWhole: boolean,
): Promise<Prepared> {
  const prepared = await prepare(database, request, call, isWhole);
  if (prepared.read && request.type !== 'insert') {
    await refuseUserFunctions(database, oneStatement(request.query), call);
  }
  return prepared;
}

function bound({ params }: StatementRequest, { placeholders }: Statement): string {
  return parametersOf(placeholders, params);
}

function settingsText(settings: { readonly [name: string]: string | number | boolean }): string {
  return Object.entries(settings)
    .map(([name, value]) => {
      const text = typeof value === 'boolean' ? Number(value) : value;
      return `&${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
    })
    .join('');
}

/** Runs a request of any type. */
export async function runRequest(
  database: Database,
  request: ClickhouseRequest,
  call: Call,
): Promise<Buffer> {
  const prepared = await admitted(database, request, call, true);
  if (request.type === 'fetch_bytes') {
    return database.call(prepared, call, (reply) => bytesResult(reply, call.resultMaxBytes));
  }
  const started = performance.now();
  return database.call(prepared, call, async (reply) => {
    const rows = new RowsText(call.resultMaxBytes);
    const rowFormat = ('row_format' in request && request.row_format) || 'object';
    const options = { numbersAsStrings: call.numbersAsStrings, rowFormat } as const;
    const bounds = {
      // A name that several columns have is in the result once.
      rowMax: 2 * call.resultMaxBytes + ROW_ROOM,
      tooLong: () => resultTooLarge(call.resultMaxBytes),
      call,
    };
    const reader = new ReplyReader(options, bounds, (row) => rows.add(row));
    for await (const _ of reader.taken(reply));
    checkCount(request.type, reader.rowCount);
    const { statistics, written } = summaryOf(reply, performance.now() - started);
    const inserts = request.type === 'insert' || /^[\s(]*insert\b/i.test(prepared.body.toString());
    return rows.finish(
      `{"columns":${latin1(JSON.stringify(reader.columns))},"rows":[`,
      `],"row_count":${reader.rowCount}${inserts ? `,"rows_affected":${written}` : ''}` +
        `,"statistics":${JSON.stringify(statistics)}}`,
    );
  });
}

/** @throws GatewayError REQUEST_FAILED when `fetch_one` or `fetch_optional` meet another number of rows */
export function checkCount(type: string, count: number): void {
  const one = type === 'fetch_one';
  if (count <= 1 && !(one && count === 0)) return;
  if (!one && type !== 'fetch_optional') return;
  const message = `The statement answers ${count} rows where ${one ? 'exactly one is' : 'at most one is'} asked for`;
  // The server's own codes for a scalar of none or several rows.
  const code = count === 0 ? '108' : '125';
  throw new GatewayError('REQUEST_FAILED', message, {
    details: [{ source: 'clickhouse', code, message }],
  });
}

const PIECE_LENGTH = 65_536;
/** Bytes that a row may have more than a result that holds it. */
const ROW_ROOM = 65_536;

/** Rows that grow by pieces into bytes, up to a limit; texts hold one byte a character. */
class RowsText {
  readonly #max: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #text = '';
  #comma = '';

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws GatewayError RESULT_TOO_LARGE */
  add(row: string): void {
    this.#text += this.#comma + row;
    this.#comma = ',';
    if (this.#text.length < PIECE_LENGTH) return;
    this.#flush();
    if (this.#bytes > this.#max) throw resultTooLarge(this.#max);
  }

  /** @throws GatewayError RESULT_TOO_LARGE */
  finish(head: string, tail: string): Buffer {
    this.#flush();
    const whole = Buffer.concat([
      Buffer.from(head, 'latin1'),
      ...this.#pieces,
      Buffer.from(tail, 'latin1'),
    ]);
    if (whole.length > this.#max) throw resultTooLarge(this.#max);
    return whole;
  }

  #flush(): void {
    const piece = Buffer.from(this.#text, 'latin1');
    this.#text = '';
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }
}

async function bytesResult(reply: IncomingMessage, max: number): Promise<Buffer> {
  const bytes = await wholeBody(reply, max, () => resultTooLarge(max));
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  const result = Buffer.from(JSON.stringify({ value: bytes.toString(encoding), encoding }));
  if (result.length > max) throw resultTooLarge(max);
  return result;
}
