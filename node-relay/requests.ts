/** Reads the requests that calls carry, as their kinds do. */

import { type Kind, kindSpec, type ParsedRequest, parseRequest } from '../kinds/index.ts';
import { ofWritten, requestIn } from '../kinds/passed.ts';
import { noteUnreferring } from '../kinds/result-references.ts';
import type { Mode } from '../proto/driver.ts';
import { badRequest, GatewayError } from '../proto/errors.ts';
import { isJsonInPieces } from '../proto/is-json.ts';
import { DEPTH_MAX, isJsonObject, isRawJson, type Json } from '../proto/json.ts';
import { TooDeep, parseInPieces as valueInPieces } from '../proto/json-pieces.ts';
import { namesOf } from '../proto/ordered-json.ts';
import { parseOrdered, parseOrderedInPieces } from '../proto/parse-ordered.ts';
import type { Pieces } from '../proto/work/pieces.ts';
import {
  isWrittenOtherwiseInPieces,
  parseWrittenInPieces,
  writeAhead,
} from '../proto/written-json.ts';
import type { CallTarget } from './target.ts';

/**
 * The request as its kind reads it. Whether its text writes is for the driver to see; its type may not.
 * @throws GatewayError BAD_REQUEST, NOT_SUPPORTED
 */
export function parse({ kind, mode }: CallTarget, bytes: Uint8Array): ParsedRequest['request'] {
  return checked(kind, mode, json(kind, bytes, 'request'));
}

/** As `parse`, in pieces. @throws GatewayError BAD_REQUEST, NOT_SUPPORTED */
export function* parseInPieces(
  { kind, mode }: CallTarget,
  bytes: Uint8Array,
): Pieces<ParsedRequest['request']> {
  const body = yield* jsonInPieces(kind, bytes, 'request');
  yield;
  const request = checked(kind, mode, body);
  yield* writtenAhead(kind, request);
  return request;
}

/** As one request, each of those of a transaction; a failure names which it is of. @throws GatewayError BAD_REQUEST, NOT_SUPPORTED */
export function parseOperations(
  { kind, mode }: CallTarget,
  bytes: Uint8Array,
): ParsedRequest['request'][] {
  return operationsIn(json(kind, bytes, 'operations')).map((operation, index) =>
    checkedOperation(kind, mode, operation, index),
  );
}

/** As `parseOperations`, in pieces. @throws GatewayError BAD_REQUEST, NOT_SUPPORTED */
export function* parseOperationsInPieces(
  { kind, mode }: CallTarget,
  bytes: Uint8Array,
): Pieces<ParsedRequest['request'][]> {
  const operations = operationsIn(yield* jsonInPieces(kind, bytes, 'operations'));
  const parsed: ParsedRequest['request'][] = [];
  const refersNowhere = !SIGNS.some((each) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(each),
  );
  for (const [index, operation] of operations.entries()) {
    yield;
    const request = checkedOperation(kind, mode, operation, index);
    if (refersNowhere) for (const member of Object.values(request)) noteUnreferring(member);
    yield* writtenAhead(kind, request);
    parsed.push(request);
  }
  return parsed;
}

/** Without these there is neither a reference nor a literal: an escape may stand for a letter of theirs. */
const SIGNS = ['$result', '$literal', '\\u00'];

/** Characters of a text that may be in memory twice. */
const SMALL = 64 * 1024;

/** Elements or members that are written by themselves; of more, each is small. */
const EACH_MAX = 4_096;

/** Writes what of a request its driver sends as JSON text. */
function* writtenAhead(kind: Kind, request: object): Pieces<void> {
  const members = new Map<string, Json | undefined>(Object.entries(request));
  for (const [member, how] of Object.entries(kindSpec(kind).writes ?? {})) {
    const value = members.get(member) ?? null;
    for (const each of how === 'whole' ? [value] : within(value)) yield* writeAhead(each);
  }
}

function within(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value.length < EACH_MAX ? value : [];
  const names = isJsonObject(value) ? namesOf(value) : [];
  if (!isJsonObject(value) || names.length >= EACH_MAX) return [];
  return names.map((name) => value[name] ?? null);
}

function operationsIn(body: Json): Json[] {
  // As its client wrote it, a transaction has more members.
  const operations = isJsonObject(body) ? body.operations : body;
  if (!Array.isArray(operations)) throw badRequest('operations', 'must be an array');
  return operations;
}

function checkedOperation(kind: Kind, mode: Mode, operation: Json, index: number) {
  try {
    return checked(kind, mode, operation);
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    const details = [...cause.details, { operation: index }];
    throw new GatewayError(cause.code, cause.message, { cause, details });
  }
}

function checked(kind: Kind, mode: Mode, body: Json): ParsedRequest['request'] {
  const parsed = parseRequest(kind, withPlainDeadline(body));
  if (mode === 'read' && parsed.mode === 'write') {
    throw badRequest('type', `${parsed.request.type} writes`);
  }
  return parsed.request;
}

/** Where numbers keep their text, the deadline is its value all the same: `1e4` is 10,000. */
function withPlainDeadline(body: Json): Json {
  if (!isJsonObject(body) || !isRawJson(body.timeout_ms)) return body;
  // The same object: it knows the order of its members.
  body.timeout_ms = Number(body.timeout_ms.rawJSON);
  return body;
}

function json(kind: Kind, bytes: Uint8Array, path: string): Json {
  const text = new TextDecoder().decode(bytes);
  try {
    if (kindSpec(kind).keepsText) return parseOrdered(text);
    return requestIn(kind, text).body;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function* jsonInPieces(kind: Kind, bytes: Uint8Array, path: string): Pieces<Json> {
  const text = new TextDecoder().decode(bytes);
  yield;
  try {
    if (kindSpec(kind).keepsText) return yield* parseOrderedInPieces(text);
    if (kindSpec(kind).passes === undefined || !(yield* isWrittenOtherwiseInPieces(text))) {
      return yield* valueInPieces(text);
    }
    // Who reads it says what is wrong. A large one that is JSON would be in memory twice.
    if (text.length <= SMALL || !(yield* isJsonInPieces(text, DEPTH_MAX)))
      yield* valueInPieces(text);
    return ofWritten(kind, yield* parseWrittenInPieces(text));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  return badRequest(path, cause instanceof TooDeep ? 'nests too deep' : 'is not JSON');
}
