/** What a caller is told when no part can take the call now. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeEnvelope } from '@connectrpc/connect/protocol';
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamToJson,
  errorToJsonBytes,
} from '@connectrpc/connect/protocol-connect';
import { GatewayError } from '../../proto/errors.ts';
import { toConnectError } from '../failures.ts';

/** NODE_UNAVAILABLE in the form of the call's protocol. Source: connectrpc.com/docs/protocol. */
export function writeRefusal(incoming: IncomingMessage, reply: ServerResponse): void {
  const message = 'The node is not ready for calls of this organization';
  const error = toConnectError(new GatewayError('NODE_UNAVAILABLE', message, { retryAfter: 1 }));
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
