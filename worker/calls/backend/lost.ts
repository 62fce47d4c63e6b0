/** What is told of calls to relays that were lost. */
import { Code, ConnectError } from '@connectrpc/connect';
import { GatewayError } from '../../../proto/errors.ts';

/** What is told of a result that did not come. @param written whether something has taken effect */
export function lost(written: boolean, cause: unknown): GatewayError {
  return written
    ? new GatewayError('OUTCOME_UNKNOWN', 'The request took effect, but its result was lost', {
        cause,
      })
    : new GatewayError('NODE_UNAVAILABLE', 'The result was lost on its way', {
        cause,
        retryAfter: 1,
      });
}

/** That no node answered does not say that nothing was done; what to do about it is simple. */
export function lostOnce(thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError) || thrown.code !== 'NODE_UNAVAILABLE') return thrown;
  const { cause, retryAfter = 1 } = thrown;
  const isOld = cause instanceof ConnectError && cause.code === Code.Unimplemented;
  const message = isOld
    ? 'The node is of an earlier version and does not know config.once: update it, or send the request without a key'
    : 'The request was lost on its way and may have taken effect: send it again with the same Idempotency-Key, which tells what became of it';
  return new GatewayError(thrown.code, message, { cause, retryAfter });
}
