/** What the front answers by itself, as the worker would write it. */
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { ERRORS, errorBody, GatewayError } from '../proto/errors.ts';
import { requestIdOf } from '../worker/http/request-id.ts';

/** The worker cannot be reached. */
export function unavailable(incoming: IncomingMessage, reply: ServerResponse): void {
  const message = 'The gateway is not ready';
  refuseRequest(
    incoming,
    reply,
    new GatewayError('SERVICE_UNAVAILABLE', message, { retryAfter: 1 }),
  );
}

/** Answers a request with a failure. */
export function refuseRequest(
  incoming: IncomingMessage,
  reply: ServerResponse,
  failure: GatewayError,
): void {
  const { status, headers, body } = refusalOf(incoming.headers, failure);
  if (!incoming.complete) reply.shouldKeepAlive = false;
  reply.writeHead(status, headers).end(body);
}

/** A reply where Node gives only the connection; it ends the connection. */
export function rawRefusal(asked: IncomingHttpHeaders, failure: GatewayError): string {
  const { status, headers, body } = refusalOf(asked, failure);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** As the worker would write it. */
function refusalOf(asked: IncomingHttpHeaders, failure: GatewayError) {
  const given = asked['x-request-id'];
  const requestId = requestIdOf({ get: () => (typeof given === 'string' ? given : null) });
  const body = JSON.stringify(errorBody(failure, requestId));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    ...(failure.retryAfter === undefined ? {} : { 'Retry-After': String(failure.retryAfter) }),
  };
  return { status: ERRORS[failure.code].status, headers, body };
}
