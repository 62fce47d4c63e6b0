/** Maps a server's errors to the gateway's. Source: redis.io/docs/latest/develop/reference/protocol-spec, src/server.c. */
import { type BackendDetail, GatewayError, refusedByBackend } from '../../../proto/errors.ts';
import { withoutAddresses } from '../replies/index.ts';
import type { ReplyError } from '../reply-value.ts';

/** The server cannot take requests for a while, and has done nothing. */
const BUSY = new Set([
  ...['LOADING', 'BUSY', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'MISCONF', 'NOREPLICAS'],
]);

/** An error as an entry of `details`: the server's own code and message, without addresses. */
export function detailOf({ code, message }: ReplyError): BackendDetail {
  return { source: 'redis', code, message: withoutAddresses(message) };
}

/** The failure of a command, or of what `more` says about its place. */
export function fromReply(
  error: ReplyError,
  more: { readonly operation?: number; readonly applied?: true } = {},
): GatewayError {
  const cause = new Error(error.code);
  if (error.code === 'NOAUTH' || error.code === 'WRONGPASS') {
    // Of a login, the server's own words are not told.
    return new GatewayError('CONNECTION_FAILED', 'Authentication failed', { cause });
  }
  const detail = { ...detailOf(error), ...more };
  if (BUSY.has(error.code)) {
    const message = 'The server cannot take the request now';
    return new GatewayError('SERVICE_UNAVAILABLE', message, { cause, details: [detail] });
  }
  return refusedByBackend('REQUEST_FAILED', detail, { cause });
}
