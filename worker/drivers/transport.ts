/**
 * How Connect calls travel from the worker: unary calls by one fetch, because the library's own
 * path for them costs half the throughput; streams by the library.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createFetchClient } from '@connectrpc/connect/protocol';
import {
  codeFromHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  createTransport,
  errorFromJson,
} from '@connectrpc/connect/protocol-connect';
import { GatheredBytes } from '../../proto/gathered-bytes.ts';
import { inLargeParts } from './large-parts.ts';

/** Sends one HTTP request; the `fetch` of a binding, or the runtime's own. @throws ConnectError where it knows why there is no reply, or what the runtime throws */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Largest message of a stream that is taken, in bytes. Larger ones are no pieces. */
const PIECE_MAX_BYTES = 64 * 1024 * 1024;
/** No method of ours has trailers. */
const NO_TRAILER = new Headers();

/**
 * A transport that speaks the Connect protocol in binary. It sets no timer of its own: `timeoutMs`
 * is the deadline that the other side is told, `signal` what ends the call here. A connection
 * that fails is `Code.Unavailable`, whether or not the request arrived.
 * Source: connectrpc.com/docs/protocol.
 * @param replyMaxBytes of a unary reply and of a message of a stream, where the other side is not
 * the installation's own; one that is larger counts as lost
 */
export function relayTransport(baseUrl: string, send: Send, replyMaxBytes?: number): Transport {
  const streams = createTransport({
    httpClient: createFetchClient((input) => sendStream(send, new Request(input))),
    baseUrl,
    useBinaryFormat: true,
    interceptors: [],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    readMaxBytes: Math.min(PIECE_MAX_BYTES, replyMaxBytes ?? PIECE_MAX_BYTES),
    writeMaxBytes: Number.MAX_SAFE_INTEGER,
  });
  return {
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
      const body = await wholeBody(response, replyMaxBytes).catch((cause: unknown) => {
        throw unreachable(cause);
      });
      if (!response.ok) throw failureOf(response, body);
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
}

/**
 * What its head says about the length is not believed: the body may be compressed, or from a tunnel.
 * @throws ConnectError when there is more
 */
async function wholeBody(response: Response, maxBytes?: number): Promise<Uint8Array> {
  if (maxBytes === undefined) return new Uint8Array(await response.arrayBuffer());
  const gathered = new GatheredBytes();
  // Leaving the loop cancels the body.
  for await (const part of response.body ?? []) {
    gathered.add(part);
    if (gathered.length > maxBytes) throw new ConnectError('too large', Code.ResourceExhausted);
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
async function sendStream(send: Send, request: Request): Promise<Response> {
  const { url, method, headers, body, signal } = request;
  try {
    const response = await send(url, { method, headers, body, signal, redirect: 'manual' });
    return response.body === null ? response : new Response(inLargeParts(response.body), response);
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** What says why by itself stays. */
function unreachable(cause: unknown): ConnectError {
  if (cause instanceof ConnectError) return cause;
  return new ConnectError('no answer', Code.Unavailable, undefined, undefined, cause);
}

/** What the other side, or a proxy before it, says went wrong. */
function failureOf(response: Response, body: Uint8Array): ConnectError {
  const fallback = new ConnectError(
    `HTTP status ${response.status}`,
    codeFromHttpStatus(response.status),
  );
  if (response.headers.get('Content-Type') !== contentTypeUnaryJson) return fallback;
  try {
    return errorFromJson(JSON.parse(new TextDecoder().decode(body)), response.headers, fallback);
  } catch {
    return fallback; // It is no JSON, or no error of the protocol.
  }
}
