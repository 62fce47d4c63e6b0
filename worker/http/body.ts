/** Reads a request's body as JSON, within its limits and without losing digits. */
import { GatewayError } from '../../proto/errors.ts';
import { type Json, parseJson } from '../../proto/json.ts';

/** Contract: "Body size"; only `identity` encoding is taken. */
const JSON_TYPES = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Refuses a body by its headers alone, before it is read.
 * @throws GatewayError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
export function checkBodyHeaders(request: Request, maxBytes: number): void {
  const length = request.headers.get('Content-Length');
  if (length !== null && Number(length) > maxBytes) throw tooLarge(maxBytes);
  if (!hasBody(request, length)) return;
  const encoding = request.headers.get('Content-Encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new GatewayError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Encoding is not taken: send the body as it is',
    );
  }
  const type = request.headers.get('Content-Type');
  if (type !== null && !JSON_TYPES.test(type)) {
    throw new GatewayError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as Content-Type: application/json',
    );
  }
}

/**
 * The body's bytes; `undefined` when there is none. A body without a length is read no further
 * than the limit.
 * @throws GatewayError PAYLOAD_TOO_LARGE
 */
export async function readBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const length = request.headers.get('Content-Length');
  if (!hasBody(request, length)) return undefined;
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body as ReadableStream<Uint8Array>) {
    size += piece.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/**
 * Parses bytes as JSON; `undefined` when there are none.
 * @throws GatewayError BAD_REQUEST when they are not JSON in UTF-8
 */
export function parseBody(bytes: Uint8Array | undefined): Json | undefined {
  if (bytes === undefined || bytes.byteLength === 0) return undefined;
  try {
    return parseJson(decoder.decode(bytes));
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST', 'The body is not JSON', {
      cause,
      details: [{ path: 'body', message: 'is not JSON in UTF-8' }],
    });
  }
}

/**
 * Takes in a body that was refused unread, unless it is more than twice the limit: a client that
 * is still writing it when the connection closes never reads why.
 */
export async function discardBody(request: Request, maxBytes: number): Promise<void> {
  const length = request.headers.get('Content-Length');
  if (length === null || Number(length) > 2 * maxBytes || request.bodyUsed) return;
  // The client may have gone meanwhile; there is nobody to tell.
  await request.body?.pipeTo(new WritableStream()).catch(() => {});
}

/** Asks for the body itself, which makes a stream of it, only where no length tells. */
function hasBody(request: Request, length: string | null): boolean {
  return length === null ? request.body !== null : length !== '0';
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
}
