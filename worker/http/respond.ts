/** Turns what a handler answered, or whatever was thrown, into a response. */
import { ERRORS, errorBody, GatewayError } from '../../proto/errors.ts';
import type { PublicContext, Timing } from '../context.ts';
import { storageFault } from '../db/fault.ts';
import { isKnown } from './conditional.ts';
import { type Facade, JsonBytes, type Reply, Tagged } from './route.ts';

/** Contract: "Other headers"; on every reply. */
export const ALWAYS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
/** Seconds after which somebody may have made room on the disk. Spec silent. */
const STORAGE_RETRY_S = 5;
const JSON_TYPE = 'application/json; charset=utf-8';
const encoder = new TextEncoder();
const BEFORE = encoder.encode('{"status":"success","data":');
const AFTER = encoder.encode('}');

/** Of a request: its id, what was measured of it, what it has done, and whether its client is there. */
type Told = Pick<PublicContext, 'requestId' | 'timing'> &
  Partial<Pick<PublicContext, 'effects' | 'signal'>>;

/**
 * The response for a handler's answer. A `Response` goes as it is, with the headers of every reply.
 * @throws GatewayError PRECONDITION_FAILED for a GET of what `If-Match` does not name
 */
export function respond(
  reply: Reply,
  envelope: 'bare' | 'data',
  told: Told & Pick<PublicContext, 'request'>,
): Response {
  if (reply instanceof Response) return withHeaders(reply, told);
  if (reply instanceof Tagged) {
    const headers = { ...headersOf(told), ETag: `"${reply.tag}"` };
    const isRead = told.request.method === 'GET' || told.request.method === 'HEAD';
    if (isRead && isKnown(told.request, reply.tag)) return notModified(headers);
    return new Response(bodyOf(reply.value, envelope), { headers });
  }
  return new Response(bodyOf(reply, envelope), { headers: headersOf(told) });
}

/** Given whole when a response is made: to change them afterwards costs the runtime an object more. */
function headersOf({ requestId, timing }: Told): Record<string, string> {
  const measured = serverTiming(timing);
  return {
    ...ALWAYS,
    'Content-Type': JSON_TYPE,
    'X-Request-Id': requestId,
    ...(measured === '' ? {} : { 'Server-Timing': measured }),
  };
}

/** RFC 9110 §15.4.5: what the client has is still so. */
function notModified({ 'Content-Type': _type, ...headers }: Record<string, string>): Response {
  return new Response(null, { status: 304, headers });
}

function bodyOf(reply: Exclude<Reply, Response | Tagged>, envelope: 'bare' | 'data'): BodyInit {
  if (!(reply instanceof JsonBytes)) {
    const text = JSON.stringify(reply);
    return envelope === 'data' ? `{"status":"success","data":${text}}` : text;
  }
  if (envelope === 'bare') return reply.bytes;
  return reply.bytes instanceof Uint8Array ? enclosed(reply.bytes) : enclosing(reply.bytes);
}

function enclosed(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(BEFORE.byteLength + bytes.byteLength + AFTER.byteLength);
  whole.set(BEFORE);
  whole.set(bytes, BEFORE.byteLength);
  whole.set(AFTER, BEFORE.byteLength + bytes.byteLength);
  return whole;
}

function enclosing(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(BEFORE),
      flush: (controller) => controller.enqueue(AFTER),
    }),
  );
}

/** Adds the headers that every reply carries; a response of the platform's own may be read-only. */
function withHeaders(response: Response, told: Told): Response {
  const open = new Response(response.body, response);
  for (const [name, value] of Object.entries(headersOf(told))) {
    if (!open.headers.has(name)) open.headers.set(name, value);
  }
  return open;
}

/** Writes what was measured. Contract: "Other headers". */
function serverTiming(timing: Timing): string {
  return Object.entries(timing)
    .map(([name, ms]) => `${name};dur=${Math.round(ms * 100) / 100}`)
    .join(', ');
}

/**
 * Whatever was thrown as the failure it stands for: what is unforeseen is INTERNAL, without its text.
 * @param written whether the call has changed a backend by then
 */
export function failureOf(thrown: unknown, written = false): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (storageFault(thrown) !== undefined) return storageFailed(thrown, written);
  return new GatewayError('INTERNAL', 'Something went wrong', { cause: thrown });
}

/** Nobody is told to send a write again that has happened. */
function storageFailed(cause: unknown, written: boolean): GatewayError {
  if (written) {
    const message = 'The request has changed the backend, and then the gateway could not go on';
    return new GatewayError('OUTCOME_UNKNOWN', message, { cause });
  }
  const message = "The gateway's storage cannot be used at the moment; nothing was changed";
  const retryAfter = STORAGE_RETRY_S;
  return new GatewayError('SERVICE_UNAVAILABLE', message, { cause, retryAfter });
}

/**
 * The documented error reply, or that of a facade. A failure of ours is logged with its cause; a
 * client's fault is not, nor what was dropped because he has gone.
 */
export function respondToError(
  thrown: unknown,
  told: Told,
  path: string,
  facade?: Facade,
): Response {
  const failure = failureOf(thrown, told.effects?.written);
  const { status } = ERRORS[failure.code];
  const isDropped = failure.code === 'SERVICE_UNAVAILABLE' && told.signal?.aborted;
  if (status >= 500 && !isDropped) logFailure(failure, told.requestId, path);
  const body = facade ? facade.errorBody(failure) : errorBody(failure, told.requestId);
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
  const { cause } = failure;
  const said = storageFault(cause);
  const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : undefined;
  console.error(
    JSON.stringify({
      level: 'error',
      request_id: requestId,
      path,
      code: failure.code,
      ...(said === undefined ? {} : { storage: said }),
      ...(failure.code === 'INTERNAL' && cause instanceof Error
        ? { cause: why, stack: cause.stack }
        : {}),
    }),
  );
}
