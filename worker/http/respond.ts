/** Turns the outcome of a call, or whatever was thrown, into a response. */
import { ERRORS, errorBody, GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import type { PublicContext } from '../context.ts';
import { loggedFault, storageFault } from '../db/fault.ts';
import { NoReply } from '../drivers/no-reply.ts';
import { unseen } from '../drivers/unseen.ts';
import { log } from '../log.ts';
import {
  Accepted,
  Content,
  failureOf,
  JsonBytes,
  type Outcome,
  Tagged,
  type Timing,
  Upgraded,
} from '../outcome.ts';
import type { AnyRoute, Facade } from '../route.ts';
import type { Settings } from '../settings.ts';
import { compressing } from './compress.ts';
import { isKnown } from './conditional.ts';
import { loggedPath } from './request-log.ts';

/** Contract: "Other headers"; on every reply. */
export const ALWAYS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
const JSON_TYPE = 'application/json; charset=utf-8';
const encoder = new TextEncoder();
const BEFORE = encoder.encode('{"status":"success","data":');
const AFTER = encoder.encode('}');

/** Of a request: its id, what was measured of it, and whether its client is there. */
interface ReplyContext
  extends Pick<PublicContext, 'requestId'>,
    Partial<Pick<PublicContext, 'signal'>> {
  readonly timing?: Timing;
  /** Of a reply that is told again: the id of the request that ran. */
  readonly replayOf?: string | undefined;
}

/**
 * The response for an outcome.
 * @throws GatewayError what the call failed with; PRECONDITION_FAILED for a GET of what `If-Match` does not name
 */
export function respond(
  { result, timing, replayOf }: Outcome,
  { reply: envelope }: Pick<AnyRoute, 'reply'>,
  request: Request,
  { requestId, settings }: Pick<PublicContext, 'requestId' | 'settings'>,
): Response {
  if (result instanceof GatewayError) throw result;
  if (result instanceof Upgraded) {
    const { webSocket, protocol } = result;
    const upgraded = { ...headersOf({ requestId }), 'Sec-WebSocket-Protocol': protocol };
    return new Response(null, { status: 101, webSocket, headers: upgraded });
  }
  const headers = headersOf({ requestId, timing, replayOf });
  if (result instanceof Tagged) {
    headers.ETag = `"${result.tag}"`;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && isKnown(request, result.tag)) return notModified(headers);
    return new Response(bodyOf(result.value, envelope), { headers });
  }
  if (result instanceof Content) {
    headers['Content-Type'] = result.type;
    return coded(result.bytes, headers, request, settings);
  }
  if (result instanceof Accepted) {
    if (result.location !== undefined) headers.Location = result.location;
    // RFC 7240 §3.
    if (result.preferred) headers['Preference-Applied'] = 'respond-async';
    return new Response(bodyOf(result.value, envelope), { status: 202, headers });
  }
  return coded(bodyOf(result, envelope), headers, request, settings);
}

/** The response, which the runtime compresses as its headers say. */
function coded(
  body: BodyInit,
  headers: Record<string, string>,
  request: Request,
  settings: Settings,
): Response {
  return new Response(body, {
    headers: { ...headers, ...compressing(request, settings, body, headers['Content-Type']) },
  });
}

/** Given whole when a response is made: to change them afterwards costs the runtime an object more. */
function headersOf({ requestId, timing = {}, replayOf }: ReplyContext): Record<string, string> {
  const measured = serverTiming(timing);
  return {
    ...ALWAYS,
    'Content-Type': JSON_TYPE,
    'X-Request-Id': requestId,
    ...(measured === '' ? {} : { 'Server-Timing': measured }),
    ...(replayOf === undefined ? {} : { 'Idempotent-Replayed': 'true' }),
  };
}

/** RFC 9110 §15.4.5: what the client has is still so. */
function notModified({ 'Content-Type': _type, ...headers }: Record<string, string>): Response {
  return new Response(null, { status: 304, headers });
}

function bodyOf(reply: Json | JsonBytes, envelope: AnyRoute['reply']): BodyInit {
  if (!(reply instanceof JsonBytes)) {
    const text = JSON.stringify(reply);
    return envelope === 'data' ? `{"status":"success","data":${text}}` : text;
  }
  const { bytes } = reply;
  if (bytes instanceof Uint8Array) return envelope === 'bare' ? bytes : enclosed(bytes);
  return envelope === 'bare' ? unseen(bytes) : enclosing(unseen(bytes));
}

function enclosed(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(BEFORE.byteLength + bytes.byteLength + AFTER.byteLength);
  whole.set(BEFORE);
  whole.set(bytes, BEFORE.byteLength);
  whole.set(AFTER, BEFORE.byteLength + bytes.byteLength);
  return whole;
}

/** By streams of the runtime's own, which move what they can without a look at it. */
function enclosing(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  // What fails breaks the reply off, and ends the other side: there is nobody else to tell.
  enclose(stream, writable).catch(() => {});
  return readable;
}

async function enclose(
  stream: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
): Promise<void> {
  try {
    await write(writable, BEFORE);
  } catch (cause) {
    await stream.cancel(cause);
    throw cause;
  }
  await stream.pipeTo(writable, { preventClose: true });
  await write(writable, AFTER);
  await writable.close();
}

async function write(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  try {
    await writer.write(bytes);
  } finally {
    writer.releaseLock();
  }
}

/** Writes what was measured. Contract: "Other headers". */
function serverTiming(timing: Timing): string {
  return Object.entries(timing)
    .map(([name, ms]) => `${name};dur=${Math.round(ms * 100) / 100}`)
    .join(', ');
}

/**
 * The documented error reply, or that of a facade. A failure of ours is logged with its cause; a
 * client's fault is not, nor what was dropped because the client has gone, nor what is told again.
 */
export function respondToError(
  thrown: unknown,
  told: ReplyContext,
  path: string,
  facade?: Facade,
): Response {
  const failure = failureOf(thrown);
  const { status } = ERRORS[failure.code];
  const isDropped = failure.code === 'SERVICE_UNAVAILABLE' && told.signal?.aborted;
  const isFault = status >= 500 && failure.code !== 'NOT_SUPPORTED' && !isDropped;
  if (isFault && told.replayOf === undefined) logFailure(failure, told.requestId, path);
  const requestId = told.replayOf ?? told.requestId;
  const body = facade ? facade.errorBody(failure, requestId) : errorBody(failure, requestId);
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...headersOf(told),
      ...(failure.retryAfter === undefined ? {} : { 'Retry-After': String(failure.retryAfter) }),
      ...failure.headers,
    },
  });
}

function logFailure(failure: GatewayError, requestId: string, path: string): void {
  const { cause, code } = failure;
  const storage = storageFault(cause);
  const said = storage === undefined ? faultOf(cause) : { storage };
  const fields = { request_id: requestId, path: loggedPath(path), code, ...said };
  const isOurs = code === 'INTERNAL';
  const unforeseen = isOurs && cause instanceof Error ? loggedFault(cause) : {};
  const level = isOurs || storage !== undefined ? 'error' : 'warn';
  log(level, 'request failed', { ...fields, ...unforeseen });
}

/** Of a node's reply that is none: where, and what is wrong there. */
function faultOf(cause: unknown): { readonly fault?: string } {
  return cause instanceof NoReply ? { fault: cause.message } : {};
}
