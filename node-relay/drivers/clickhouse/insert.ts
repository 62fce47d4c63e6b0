/** Rows of an `insert` as the server takes them: the statement in the URL, the rows in the body. */

import type { ClickhouseRequest } from '../../../kinds/clickhouse/index.ts';
import { wholeText } from '../../../proto/decimal.ts';
import { badRequest } from '../../../proto/errors.ts';
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  setMember,
} from '../../../proto/json.ts';
import { inOrderOf } from '../../../proto/ordered-json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { isWrittenOtherwise } from '../../../proto/written-json.ts';
import { jsonBytes } from './binary.ts';

/** A request that brings rows. */
type InsertRequest = Extract<ClickhouseRequest, { type: 'insert' }>;

/** What an insertion sends. */
interface Insertion {
  /** Percent-encoded. */
  readonly statement: string;
  readonly body: Buffer;
}

/** UTF-8 has no such half: another text would be stored. */
const HALF_A_PAIR = 'holds half of a surrogate pair';
/** Rows that are written between two pauses; a larger text ends a piece before. */
const ROWS_OF_A_PIECE = 512;
const PIECE_LENGTH = 65_536;

/**
 * The statement and the rows in its format, in pieces.
 * @throws GatewayError BAD_REQUEST for rows of two forms, or neither objects nor arrays, and for a number beyond all types
 */
export function* insertion(request: InsertRequest): Pieces<Insertion> {
  const { table, database, columns, rows, values, format } = request;
  for (const [path, name] of Object.entries({ table, database })) {
    if (name !== undefined) checkName(name, path);
  }
  for (const [at, name] of (columns ?? []).entries()) checkName(name, `columns.${at}`);
  if (values?.isWellFormed() === false) throw badRequest('values', HALF_A_PAIR);
  const form = rows === undefined ? (format ?? 'JSONEachRow') : formOf(rows);
  const target = [...(database === undefined ? [] : [database]), table].map(identifier).join('.');
  const list = columns === undefined ? '' : ` (${columns.map(identifier).join(', ')})`;
  return {
    statement: encodeURIComponent(`INSERT INTO ${target}${list} FORMAT ${form}`),
    body: rows === undefined ? Buffer.from(values ?? '') : yield* linesOf(rows),
  };
}

/** A line each; without rows an empty one. */
function* linesOf(rows: readonly Json[]): Pieces<Buffer> {
  const lines: Buffer[] = [];
  let text = '';
  for (const [at, row] of rows.entries()) {
    text += `${rowBytes(row)}\n`;
    if ((at + 1) % ROWS_OF_A_PIECE !== 0 && text.length < PIECE_LENGTH) continue;
    lines.push(Buffer.from(text, 'latin1'));
    text = '';
    yield;
  }
  return Buffer.concat([...lines, Buffer.from(rows.length === 0 ? '\n' : text, 'latin1')]);
}

/** Whole numbers are digits alone, for a column of integers takes nothing else. */
function rowBytes(row: Json): string {
  const bytes = jsonBytes(row);
  return isWrittenOtherwise(bytes) ? jsonBytes(withDigits(row)) : bytes;
}

/** Digits of the largest `Int256`. */
const INTEGER_DIGITS = 77;

function withDigits(value: Json): Json {
  if (isRawJson(value)) return JSON.rawJSON(heldText(value.rawJSON));
  if (Array.isArray(value)) return inOrderOf(value.map(withDigits), value);
  if (!isJsonObject(value)) return value;
  const own: JsonObject = {};
  for (const [name, each] of Object.entries(value)) setMember(own, name, withDigits(each));
  return inOrderOf(own, value);
}

/** Of a number that no type of numbers holds servers make an infinity, unasked. @throws GatewayError BAD_REQUEST */
function heldText(text: string): string {
  if (Number.isFinite(Number(text))) return wholeText(text, INTEGER_DIGITS);
  const shown = text.length > 32 ? `${text.slice(0, 32)}…` : text;
  throw badRequest('rows', `have ${shown}, which no type of numbers holds; a text may hold it`);
}

function formOf(rows: readonly Json[]): string {
  const arrays = rows.filter(Array.isArray).length;
  if (arrays !== 0 && arrays !== rows.length) {
    throw badRequest('rows', 'must be all objects or all arrays');
  }
  const at = rows.findIndex(
    (row) => typeof row !== 'object' || row === null || JSON.isRawJSON(row),
  );
  if (at >= 0) throw badRequest(`rows.${at}`, 'must be an object or an array');
  return arrays === 0 ? 'JSONEachRow' : 'JSONCompactEachRow';
}

/** A name in quotes: whatever it holds, it stays one name. Source: ClickHouse manual, "Identifiers". */
function identifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``;
}

function checkName(name: string, path: string): void {
  if (name.includes('\0') || !name.isWellFormed()) {
    throw badRequest(path, 'holds a NUL or half of a surrogate pair');
  }
}
