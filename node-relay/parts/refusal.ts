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

/** A reply as HTTP. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** No part can take the call now: NODE_UNAVAILABLE. */
export function unready(): GatewayError {
  const message = 'The node is not ready for calls of this organization';
  return new GatewayError('NODE_UNAVAILABLE', message, { retryAfter: 1 });
}

/** No part can take the call now: NODE_UNAVAILABLE. */
export function refuseUnready(incoming: IncomingMessage, reply: ServerResponse): void {
  write(incoming, reply, unready());
}

/** Another part serves the call, which the relay's port knows: SERVED_ELSEWHERE. */
export function refuseStranger(incoming: IncomingMessage, reply: ServerResponse): void {
  // What the client still sends is not read by anyone.
  incoming.resume();
  const message = 'Another part of the node serves this call: use its port';
  write(incoming, reply, new CallRefused(Code.FailedPrecondition, 'SERVED_ELSEWHERE', message));
}

function write({ headers }: IncomingMessage, reply: ServerResponse, cause: Error): void {
  const refusal = connectRefusal(headers['content-type'], cause);
  reply.writeHead(refusal.status, { ...refusal.headers }).end(refusal.body);
}

/** A failure in the form of the call's protocol. Source: connectrpc.com/docs/protocol. */
export function connectRefusal(contentType: string | undefined, cause: Error): HttpReply {
  const error = toConnectError(cause);
  const type = contentType ?? '';
  if (type.startsWith('application/connect+')) {
    const end = JSON.stringify(endStreamToJson(error.metadata, error, undefined));
    return {
      status: 200,
      headers: { 'content-type': type },
      body: encodeEnvelope(endStreamFlag, new TextEncoder().encode(end)),
    };
  }
  return {
    status: codeToHttpStatus(error.code),
    headers: { ...Object.fromEntries(error.metadata), 'content-type': 'application/json' },
    body: errorToJsonBytes(error, undefined),
  };
}
