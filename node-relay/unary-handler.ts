/**
 * Methods with one message and one reply, without the library's general path, which costs several times the request itself.
 * On the wire it is Connect's unary protocol in binary form; every other form goes to the library.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { create, type DescMethod, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  codeToHttpStatus,
  errorToJsonBytes,
  parseTimeout,
} from '@connectrpc/connect/protocol-connect';
import { GatewayError } from '../proto/errors.ts';
import { RelayService } from '../proto/gen/relay/v1/relay_pb.ts';
import type { CallContext } from './drivers/deadline.ts';
import { toConnectError } from './failures.ts';
import type { RelayMethods } from './service.ts';

const PROTO = 'application/proto';

/** What answers the messages of one method. */
type Answer = (message: Message, context: CallContext) => Promise<Record<string, unknown>>;

/** One method, as its path names it. */
interface UnaryMethod extends Pick<DescMethod, 'name' | 'input' | 'output'> {
  readonly answer: Answer;
}

/** What every call passes before its message is read. */
export interface UnaryParts {
  admit(method: string, authorization: string | null): void | Promise<void>;
  readonly messageMaxBytes: number;
}

/** The methods that are served here, by their paths. */
export function unaryMethods(methods: RelayMethods): ReadonlyMap<string, UnaryMethod> {
  const answers = new Map<string, unknown>(Object.entries(methods));
  const served = new Map<string, UnaryMethod>();
  for (const { methodKind, parent, localName, name, input, output } of RelayService.methods) {
    if (methodKind !== 'unary') continue;
    // The service's own type says that the method of a name takes its input.
    const answer = answers.get(localName) as Answer;
    served.set(`/${parent.typeName}/${name}`, { name, input, output, answer });
  }
  return served;
}

/** Whether a request to such a path is in the form that `handleUnary` serves. */
export function isPlainUnary({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'POST' &&
    headers['content-type'] === PROTO &&
    (headers['content-encoding'] ?? 'identity') === 'identity'
  );
}

/** Serves one call. Source: connectrpc.com/docs/protocol, "Unary-Request". */
export async function handleUnary(
  parts: UnaryParts,
  { answer, output, ...method }: UnaryMethod,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { message, context } = await receive(parts, method, request, response);
    const bytes = toBinary(output, create(output, await answer(message, context)));
    response.writeHead(200, { 'Content-Type': PROTO, 'Content-Length': bytes.byteLength });
    response.end(bytes);
  } catch (cause) {
    fail(response, cause);
  }
}

/** Admits a call, and reads its message. @throws ConnectError, GatewayError */
export async function receive(
  { admit, messageMaxBytes }: UnaryParts,
  { name, input }: Pick<DescMethod, 'name' | 'input'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ readonly message: Message; readonly context: CallContext }> {
  const { headers } = request;
  const client = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableFinished) client.abort();
  });
  await admit(name, headers.authorization ?? null);
  const timeout = parseTimeout(header(headers['connect-timeout-ms']), Number.MAX_SAFE_INTEGER);
  if (timeout.error !== undefined) throw timeout.error;
  if (timeout.timeoutMs !== undefined) {
    const late = (): void => client.abort(new ConnectError('', Code.DeadlineExceeded));
    timer = setTimeout(late, timeout.timeoutMs);
  }
  const message = parse(input, await read(request, messageMaxBytes));
  const context: CallContext = {
    signal: client.signal,
    timeoutMs: () => timeout.timeoutMs,
    requestHeader: { get: (wanted) => header(headers[wanted]) },
  };
  return { message, context };
}

function parse(input: DescMethod['input'], bytes: Uint8Array): Message {
  try {
    return fromBinary(input, bytes);
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST', 'The message cannot be read', { cause });
  }
}

/** Answers a failure in the protocol's form. */
export function fail(response: ServerResponse, cause: unknown): void {
  const error = cause instanceof ConnectError ? cause : toConnectError(cause);
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
