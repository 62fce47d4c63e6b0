/** What a caller is told of a server's error. Source: redis.io/docs/latest/develop/reference/protocol-spec, src/server.c. */
import { type ErrorCode, type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { withoutAddresses } from '../replies/index.ts';
import type { ReplyError } from '../reply-value.ts';

/** The server cannot take requests for a while, and has done nothing. */
const BUSY = new Set([
  ...['LOADING', 'BUSY', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'MISCONF', 'NOREPLICAS'],
]);

/** An error as an entry of `details`: the server's own code and message, without addresses. */
export function detailOf({ code, message }: ReplyError): Extract<ErrorDetails, { source: string }> {
  return { source: 'redis', code, message: withoutAddresses(message) };
}

/** The failure of a command, or of what `more` says of its place. */
export function fromReply(
  error: ReplyError,
  more: { readonly operation?: number; readonly applied?: true } = {},
): GatewayError {
  const [code, message] = wordsFor(error);
  const cause = new Error(error.code);
  // Of a login, the server's own words are not told.
  const details = code === 'CONNECTION_FAILED' ? [] : [{ ...detailOf(error), ...more }];
  return new GatewayError(code, message, { cause, details });
}

function wordsFor({ code }: ReplyError): [ErrorCode, string] {
  if (code === 'NOAUTH' || code === 'WRONGPASS')
    return ['CONNECTION_FAILED', 'Authentication failed'];
  if (BUSY.has(code)) return ['SERVICE_UNAVAILABLE', 'The server cannot take the request now'];
  return ['REQUEST_FAILED', 'The request was refused'];
}

/** A request that cannot be taken as it is. */
export function badRequest(path: string, message: string): GatewayError {
  return new GatewayError('BAD_REQUEST', `${path}: ${message}`, { details: [{ path, message }] });
}
