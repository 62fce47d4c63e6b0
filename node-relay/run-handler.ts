/**
 * `Run` without the library's general path, which costs several times the request itself. On the
 * wire it is Connect's unary protocol in binary form; every other form goes to the library.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  codeToHttpStatus,
  errorToJsonBytes,
  parseTimeout,
} from '@connectrpc/connect/protocol-connect';
import { GatewayError } from '../proto/errors.ts';
import {
  type RunRequest,
  RunRequestSchema,
  RunResponseSchema,
} from '../proto/gen/relay/v1/relay_pb.ts';
import type { CallContext } from './drivers/deadline.ts';
import { toConnectError } from './failures.ts';
import type { RunReply } from './service.ts';

const PATH = '/relay.v1.RelayService/Run';
const PROTO = 'application/proto';

/** What the handler calls. */
export interface RunHandlerParts {
  admit(authorization: string | null): void | Promise<void>;
  run(request: RunRequest, context: CallContext): Promise<RunReply>;
  readonly messageMaxBytes: number;
}

/** Whether a request is one that `handleRun` serves. */
export function isPlainRun({ url, method, headers }: IncomingMessage): boolean {
  return (
    url === PATH &&
    method === 'POST' &&
    headers['content-type'] === PROTO &&
    (headers['content-encoding'] ?? 'identity') === 'identity'
  );
}

/** Serves one `Run`. Source: connectrpc.com/docs/protocol, "Unary-Request". */
export async function handleRun(
  parts: RunHandlerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers } = request;
  const client = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableFinished) client.abort();
  });
  try {
    await parts.admit(headers.authorization ?? null);
    const timeout = parseTimeout(header(headers['connect-timeout-ms']), Number.MAX_SAFE_INTEGER);
    if (timeout.error !== undefined) throw timeout.error;
    if (timeout.timeoutMs !== undefined) {
      const late = (): void => client.abort(new ConnectError('', Code.DeadlineExceeded));
      timer = setTimeout(late, timeout.timeoutMs);
    }
    const message = parse(await read(request, parts.messageMaxBytes));
    const reply = await parts.run(message, {
      signal: client.signal,
      timeoutMs: () => timeout.timeoutMs,
      requestHeader: { get: (name) => header(headers[name]) },
    });
    const bytes = toBinary(RunResponseSchema, create(RunResponseSchema, reply));
    response.writeHead(200, { 'Content-Type': PROTO, 'Content-Length': bytes.byteLength });
    response.end(bytes);
  } catch (cause) {
    fail(response, cause instanceof ConnectError ? cause : toConnectError(cause));
  }
}

function parse(bytes: Uint8Array): RunRequest {
  try {
    return fromBinary(RunRequestSchema, bytes);
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST', 'The message cannot be read', { cause });
  }
}

function fail(response: ServerResponse, error: ConnectError): void {
  const bytes = errorToJsonBytes(error, undefined);
  const headers = { ...Object.fromEntries(error.metadata), 'Content-Type': 'application/json' };
  response.writeHead(codeToHttpStatus(error.code), headers).end(bytes);
}

function header(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function read(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size > maxBytes) reject(new GatewayError('PAYLOAD_TOO_LARGE', 'The message is too large'));
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const [only] = chunks;
    resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
  });
  request.on('error', () => reject(new GatewayError('TIMED_OUT', 'The client went away')));
  return promise;
}
