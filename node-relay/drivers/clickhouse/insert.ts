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

/**
 * The statement and the rows in its format.
 * @throws GatewayError BAD_REQUEST for rows of two forms, or neither objects nor arrays
 */
export function insertion(request: InsertRequest): Insertion {
  const { table, database, columns, rows, values, format } = request;
  for (const [path, name] of Object.entries({ table, database })) {
    if (name !== undefined) checkName(name, path);
  }
  for (const [at, name] of (columns ?? []).entries()) checkName(name, `columns.${at}`);
  const form = rows === undefined ? (format ?? 'JSONEachRow') : formOf(rows);
  const target = [...(database === undefined ? [] : [database]), table].map(identifier).join('.');
  const list = columns === undefined ? '' : ` (${columns.map(identifier).join(', ')})`;
  return {
    statement: encodeURIComponent(`INSERT INTO ${target}${list} FORMAT ${form}`),
    body:
      rows === undefined
        ? Buffer.from(values ?? '')
        : Buffer.from(`${rows.map(rowBytes).join('\n')}\n`, 'latin1'),
  };
}

/** Whole numbers are digits alone, for a column of integers takes nothing else. */
function rowBytes(row: Json): string {
  const bytes = jsonBytes(row);
  return isWrittenOtherwise(bytes) ? jsonBytes(withDigits(row)) : bytes;
}

/** Digits of the largest `Int256`. */
const INTEGER_DIGITS = 77;

function withDigits(value: Json): Json {
  if (isRawJson(value)) return JSON.rawJSON(wholeText(value.rawJSON, INTEGER_DIGITS));
  if (Array.isArray(value)) return inOrderOf(value.map(withDigits), value);
  if (!isJsonObject(value)) return value;
  const own: JsonObject = {};
  for (const [name, each] of Object.entries(value)) setMember(own, name, withDigits(each));
  return inOrderOf(own, value);
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
