/** What a caller is told when no part can take the call now, or another part serves it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Code } from '@connectrpc/connect';
import { encodeEnvelope } from '@connectrpc/connect/protocol';
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamToJson,
  errorToJsonBytes,
} from '@connectrpc/connect/protocol-connect';
import { GatewayError } from '../../proto/errors.ts';
import { CallRefused, toConnectError } from '../failures.ts';

/** No part can take the call now: NODE_UNAVAILABLE. */
export function refuseUnready(incoming: IncomingMessage, reply: ServerResponse): void {
  const message = 'The node is not ready for calls of this organization';
  write(incoming, reply, new GatewayError('NODE_UNAVAILABLE', message, { retryAfter: 1 }));
}

/** Another part serves the call, which the relay's port knows: SERVED_ELSEWHERE. */
export function refuseStranger(incoming: IncomingMessage, reply: ServerResponse): void {
  // What the client still sends is not read by anyone.
  incoming.resume();
  const message = 'Another part of the node serves this call: use its port';
  write(incoming, reply, new CallRefused(Code.FailedPrecondition, 'SERVED_ELSEWHERE', message));
}

/** In the form of the call's protocol. Source: connectrpc.com/docs/protocol. */
function write(incoming: IncomingMessage, reply: ServerResponse, cause: Error): void {
  const error = toConnectError(cause);
  const type = incoming.headers['content-type'] ?? '';
  if (type.startsWith('application/connect+')) {
    const end = JSON.stringify(endStreamToJson(error.metadata, error, undefined));
    reply.writeHead(200, { 'Content-Type': type });
    reply.end(encodeEnvelope(endStreamFlag, new TextEncoder().encode(end)));
    return;
  }
  const headers = { ...Object.fromEntries(error.metadata), 'Content-Type': 'application/json' };
  reply.writeHead(codeToHttpStatus(error.code), headers).end(errorToJsonBytes(error, undefined));
}
