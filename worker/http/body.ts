/** Checks a request's body by its headers, and reads its bytes as JSON without losing digits. */
import { GatewayError } from '../../proto/errors.ts';
import { type Json, parseJson } from '../../proto/json.ts';
import { faultInPieces, faultOf } from '../../proto/json-fault.ts';
import { parseInPieces, TooDeep } from '../../proto/json-pieces.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import {
  type LookedThrough,
  lookThrough,
  parseAsWrittenInPieces,
  parseWritten,
} from '../../proto/written-json.ts';
import { notePlain } from '../plain-bodies.ts';
import type { Settings } from '../settings.ts';
import type { BodyTimes } from './body-clock.ts';
import { checkTransferCoding } from './transfer-coding.ts';

/** Bytes of a body that comes without a token. Contract: "Body size". */
const STRANGERS_MAX_BYTES = 64 * 1024;
/** Milliseconds that a body without a known caller has, so that it does not delay a stop. Spec silent. */
const STRANGERS_MAX_MS = 10_000;

/** How large a body may be, and how slow. */
export interface BodyLimits extends BodyTimes {
  /** Bytes that are kept and parsed. */
  readonly maxBytes: number;
  /** Bytes of one that is too large which are read all the same, and dropped: worker/http/body-bytes.ts. */
  readonly takenInBytes: number;
}

type BodySettings = Pick<Settings, 'BODY_MAX_BYTES' | 'BODY_IDLE_S' | 'BODY_TOTAL_S'>;

/** The limits of a route's body. Contract: "Body size"; its times: spec silent. */
export function bodyLimits(
  { BODY_MAX_BYTES, BODY_IDLE_S, BODY_TOTAL_S }: BodySettings,
  isPublic: boolean,
): BodyLimits {
  return {
    maxBytes: isPublic ? Math.min(BODY_MAX_BYTES, STRANGERS_MAX_BYTES) : BODY_MAX_BYTES,
    takenInBytes: 2 * BODY_MAX_BYTES,
    idleMs: BODY_IDLE_S * 1000,
    totalMs: Math.min(BODY_TOTAL_S * 1000, isPublic ? STRANGERS_MAX_MS : Number.POSITIVE_INFINITY),
  };
}

/** Contract: "Body size"; only `identity` encoding is taken. */
const JSON_TYPES = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i;

/** The charset that a media type names. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const UTF_8 = /^utf-?8$/i;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const lenient = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
const encoder = new TextEncoder();
const REPLACEMENT = String(encoder.encode('\ufffd'));

/**
 * Refuses a body by its headers alone, before it is read.
 * @param types which types are taken
 * @throws GatewayError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, NOT_SUPPORTED
 */
export function checkBodyHeaders(
  request: Request,
  maxBytes: number,
  types: 'json' | 'any' = 'json',
): void {
  const length = request.headers.get('Content-Length');
  if (length !== null && Number(length) > maxBytes) throw tooLarge(maxBytes);
  if (!hasBody(request, length)) return;
  checkTransferCoding(request.headers.get('Transfer-Encoding'));
  const encoding = request.headers.get('Content-Encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new GatewayError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Encoding is not taken: send the body as it is',
      { headers: { 'Accept-Encoding': 'identity' } },
    );
  }
  if (types === 'any') return;
  const type = request.headers.get('Content-Type');
  if (type !== null && type !== 'application/json') checkType(type);
}

/** A header that came twice is joined by a comma, and so is no type. */
function checkType(type: string): void {
  if (!JSON_TYPES.test(type)) {
    throw new GatewayError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as Content-Type: application/json',
    );
  }
  const charset = CHARSET.exec(type)?.[1];
  if (charset !== undefined && !UTF_8.test(charset)) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Send the body in UTF-8');
  }
}

/**
 * Parses bytes as JSON; `undefined` when there are none. A byte order mark is passed over. Of
 * members of one name the last counts, which RFC 8259 §4 leaves to the receiver.
 * @throws GatewayError BAD_REQUEST when they are not JSON in UTF-8, or nest deeper than `DEPTH_MAX`
 */
export function parseBody(bytes: Uint8Array | undefined): Json | undefined {
  if (isEmpty(bytes)) return undefined;
  const text = decoded(bytes);
  const look = lookThrough(text);
  if (!look.isWrittenOtherwise) notePlain(bytes);
  return parsed(text, look);
}

function isEmpty(bytes: Uint8Array | undefined): bytes is undefined {
  return bytes === undefined || bytes.byteLength === 0; // Of none there is nothing to tell.
}

function parsed(text: string, { tooDeep }: LookedThrough): Json {
  if (tooDeep !== undefined) throw badBody('The body nests too deep', tooDeep);
  try {
    return parseJson(text);
  } catch (cause) {
    throw badBody('The body is not JSON', faultOf(text) ?? 'it cannot be read', cause);
  }
}

/** As `parseBody`, with numbers and members as they were written: `writtenText` writes them again. @throws GatewayError BAD_REQUEST */
export function parseBodyAsWritten(bytes: Uint8Array | undefined): Json | undefined {
  if (isEmpty(bytes)) return undefined;
  const text = decoded(bytes);
  const look = lookThrough(text);
  const plain = parsed(text, look);
  return look.isWrittenOtherwise ? parseWritten(text) : plain;
}

/**
 * As `parseBody`, in pieces.
 * @throws GatewayError BAD_REQUEST
 */
export function* parseBodyInPieces(bytes: Uint8Array): Pieces<Json> {
  const text = decoded(bytes);
  yield;
  return yield* parsedInPieces(text);
}

function* parsedInPieces(text: string): Pieces<Json> {
  try {
    return yield* parseInPieces(text);
  } catch (cause) {
    if (cause instanceof TooDeep) throw badBody('The body nests too deep', cause.message);
    throw badBody(
      'The body is not JSON',
      (yield* faultInPieces(text)) ?? 'it cannot be read',
      cause,
    );
  }
}

/** As `parseBodyAsWritten`, in pieces. @throws GatewayError BAD_REQUEST */
export function* parseBodyAsWrittenInPieces(bytes: Uint8Array): Pieces<Json> {
  const text = decoded(bytes);
  yield;
  return yield* parseAsWrittenInPieces(text, yield* parsedInPieces(text));
}

function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw badBody('The body is not UTF-8', `at byte ${brokenAt(bytes)}, counted from 0`, cause);
  }
}

/** The first byte that belongs to no character. A replacement character may also have been sent. */
function brokenAt(bytes: Uint8Array): number {
  let at = 0;
  for (const whole of lenient.decode(bytes).split('\ufffd')) {
    at += encoder.encode(whole).byteLength;
    if (String(bytes.subarray(at, at + 3)) !== REPLACEMENT) break;
    at += 3;
  }
  return at;
}

function badBody(message: string, where: string, cause?: unknown): GatewayError {
  return new GatewayError('BAD_REQUEST', `${message}: ${where}`, {
    cause,
    details: [{ path: 'body', message: where }],
  });
}

/** Whether there is one. Asks for the body itself, which makes a stream of it, only where no length reports. */
export function hasBody(request: Request, length: string | null): boolean {
  return length === null ? request.body !== null : length !== '0';
}

/** The refusal of a body. */
export function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
}
