/**
 * How Connect calls travel from the worker: unary calls by one fetch, because the library's own
 * path for them costs half the throughput; streams by the library.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type CallOptions, Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createFetchClient } from '@connectrpc/connect/protocol';
import {
  codeFromHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  createTransport,
  errorFromJson,
} from '@connectrpc/connect/protocol-connect';
import { GatheredBytes } from '../../proto/gathered-bytes.ts';
import { RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import { ofForeign } from './foreign-failures.ts';
import { inLargeParts } from './large-parts.ts';
import { Messages } from './messages.ts';

/** Sends one HTTP request; the `fetch` of a binding, or the runtime's own. @throws ConnectError where it knows why there is no reply, or what the runtime throws */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** What is done with replies where the other side is not the installation's own. */
export interface Foreign {
  /** Of a unary reply; one that is larger counts as lost. */
  readonly replyMaxBytes: number;
  /** Of a message of a stream, likewise. */
  readonly messageMaxBytes: number;
  /** The parts of a body, once they may be kept. @param keptWith bytes that are kept together with a part */
  takeIn(
    body: AsyncIterable<Uint8Array>,
    keptWith: (part: Uint8Array) => number,
    signal: AbortSignal | undefined,
  ): AsyncIterable<Uint8Array>;
}

/** A kept result as bytes alone, and how many they are. */
export interface KeptBytes {
  readonly body: ReadableStream<Uint8Array>;
  readonly length: number;
}

/** Largest message of a stream that is taken, in bytes. Larger ones are no pieces. */
const PIECE_MAX_BYTES = 64 * 1024 * 1024;
/** The same of what an error is told in by nodes of organizations: it is read at once. Spec silent. */
export const ERROR_MAX_BYTES = 256 * 1024;
/** No method of ours has trailers. */
const NO_TRAILER = new Headers();

/**
 * A transport that speaks the Connect protocol in binary. It sets no timer of its own: `timeoutMs`
 * is the deadline that the other side is told, `signal` what ends the call here. A connection
 * that fails is `Code.Unavailable`, whether or not the request arrived.
 * Source: connectrpc.com/docs/protocol.
 */
export function relayTransport(baseUrl: string, send: Send, foreign?: Foreign): Transport {
  const streams = createTransport({
    httpClient: createFetchClient((input) => sendStream(send, new Request(input), foreign)),
    baseUrl,
    useBinaryFormat: true,
    interceptors: [],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    readMaxBytes: Math.min(PIECE_MAX_BYTES, foreign?.messageMaxBytes ?? PIECE_MAX_BYTES),
    writeMaxBytes: Number.MAX_SAFE_INTEGER,
  });
  const whole: Transport = {
    async unary(method, signal, timeoutMs, header, input) {
      const response = await send(`${baseUrl}/${method.parent.typeName}/${method.name}`, {
        method: 'POST',
        headers: unaryHeaders(header, timeoutMs),
        body: toBinary(method.input, create(method.input, input)),
        redirect: 'manual',
        signal: signal ?? null,
      }).catch((cause: unknown) => {
        throw unreachable(cause);
      });
      const body = await wholeBody(response, foreign, signal).catch((cause: unknown) => {
        throw unreachable(cause);
      });
      if (!response.ok) throw failureOf(response, body, foreign);
      return {
        stream: false,
        service: method.parent,
        method,
        // Not used here: the runtime makes the object when it is read.
        get header() {
          return response.headers;
        },
        trailer: NO_TRAILER,
        message: fromBinary(method.output, body),
      };
    },
    // The deadline goes as a header: given as a number, the library would start a timer.
    stream: (method, signal, timeoutMs, header, input, values) =>
      streams.stream(method, signal, undefined, withDeadline(header, timeoutMs), input, values),
  };
  return foreign === undefined ? whole : ofForeign(whole);
}

/**
 * Asks a relay of the installation's own for a kept result as bytes alone. Undefined where the relay is of an earlier version, which
 * has kept the result then. @throws ConnectError
 */
export async function bytesOfKept(
  baseUrl: string,
  send: Send,
  collectId: string,
  { signal, timeoutMs, headers }: CallOptions,
): Promise<KeptBytes | undefined> {
  const { parent, name, input } = RelayService.method.collect;
  const response = await send(`${baseUrl}/${parent.typeName}/${name}`, {
    method: 'POST',
    headers: unaryHeaders(headers, timeoutMs),
    body: toBinary(input, create(input, { collectId })),
    redirect: 'manual',
    signal: signal ?? null,
  }).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (response.ok && response.body) {
    return { body: response.body, length: Number(response.headers.get('content-length') ?? 0) };
  }
  const body = new Uint8Array(await response.arrayBuffer());
  // The library answers so where a method of several replies is asked for one.
  if (response.status === 415) return undefined;
  throw failureOf(response, body);
}

/**
 * What its head says about the length is not believed: the body may be compressed, or from a tunnel.
 * @throws ConnectError when there is more
 */
async function wholeBody(
  response: Response,
  foreign: Foreign | undefined,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  if (foreign === undefined) return new Uint8Array(await response.arrayBuffer());
  if (response.body === null) return new Uint8Array();
  const { replyMaxBytes, takeIn } = foreign;
  const gathered = new GatheredBytes();
  const keptWith = ({ byteLength }: Uint8Array) => gathered.length + byteLength;
  // Leaving the loop cancels the body.
  for await (const part of takeIn(inLargeParts(response.body), keptWith, signal)) {
    gathered.add(part);
    if (gathered.length > replyMaxBytes)
      throw new ConnectError('too large', Code.ResourceExhausted);
  }
  return gathered.take();
}

/** Of a plain record a plain record: the runtime's `Headers` cost more than all else here. */
function unaryHeaders(
  given: HeadersInit | undefined,
  timeoutMs: number | undefined,
): Record<string, string> {
  const plain =
    given instanceof Headers || Array.isArray(given) ? Object.fromEntries(given) : given;
  return {
    ...plain,
    'Connect-Protocol-Version': '1',
    'Content-Type': contentTypeUnaryProto,
    ...(timeoutMs === undefined ? {} : { 'Connect-Timeout-Ms': String(Math.ceil(timeoutMs)) }),
  };
}

function withDeadline(given: HeadersInit | undefined, timeoutMs: number | undefined): Headers {
  const headers = new Headers(given);
  headers.set('Connect-Protocol-Version', '1');
  if (timeoutMs !== undefined) headers.set('Connect-Timeout-Ms', String(Math.ceil(timeoutMs)));
  return headers;
}

/** The library leaves redirects to be followed: a call is for this address and no other. */
async function sendStream(
  send: Send,
  request: Request,
  foreign: Foreign | undefined,
): Promise<Response> {
  const { url, method, headers, body, signal } = request;
  try {
    const response = await send(url, { method, headers, body, signal, redirect: 'manual' });
    if (response.body === null) return response;
    const parts = inLargeParts(response.body);
    if (foreign === undefined) return new Response(parts, response);
    const messages = new Messages(ERROR_MAX_BYTES);
    const taken = foreign.takeIn(parts, (part) => messages.take(part), signal);
    return new Response(asStream(taken), response);
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** Pulled one by one. */
function asStream(parts: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = parts[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await reader.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** What says why by itself stays. */
function unreachable(cause: unknown): ConnectError {
  if (cause instanceof ConnectError) return cause;
  return new ConnectError('no answer', Code.Unavailable, undefined, undefined, cause);
}

/** What the other side, or a proxy before it, says went wrong. */
function failureOf(
  response: Response,
  body: Uint8Array,
  foreign?: Foreign | undefined,
): ConnectError {
  const fallback = new ConnectError(
    `HTTP status ${response.status}`,
    codeFromHttpStatus(response.status),
  );
  if (response.headers.get('Content-Type') !== contentTypeUnaryJson) return fallback;
  if (foreign && body.byteLength > ERROR_MAX_BYTES) return fallback;
  try {
    return errorFromJson(JSON.parse(new TextDecoder().decode(body)), response.headers, fallback);
  } catch {
    return fallback; // It is no JSON, or no error of the protocol.
  }
}
