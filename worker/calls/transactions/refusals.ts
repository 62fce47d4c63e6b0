/** What a transaction that could not begin, or go on, is answered. Spec: transactions.md §1, §4, §5. */
import { type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import type { Begun, Status } from './object.ts';

type Refused = Exclude<Begun, { is: 'begun' | 'answered' }>;

/** Seconds after which a transaction in doubt may have been found out about. Spec silent. */
const DOUBT_RETRY_S = 10;

/** Why it did not begin. */
export function refusalOf(begun: Refused): GatewayError {
  switch (begun.is) {
    case 'failed': {
      const { code, message, details } = begun.failure;
      // As `keptOf` wrote them.
      return new GatewayError(code, message, { details: JSON.parse(details) as ErrorDetails[] });
    }
    case 'running':
      return new GatewayError(
        'IDEMPOTENCY_KEY_RUNNING',
        'The transaction with this Idempotency-Key still runs: ask again later',
        { retryAfter: 1 },
      );
    case 'reused':
      return new GatewayError(
        'IDEMPOTENCY_KEY_REUSED',
        'Idempotency-Key: was sent before with another body, take a new one',
      );
    case 'circle':
      return deadlock(
        'It waits for a transaction that waits for it: one of them has to be rolled back',
      );
    case 'late':
      return new GatewayError(
        'TIMED_OUT',
        'The deadline passed while it waited for other transactions; nothing was changed',
      );
    case 'doubt':
      return inDoubt(begun.holder);
  }
}

/** Waits that would never end. */
export function deadlock(message: string): GatewayError {
  return new GatewayError('TRANSACTION_DEADLOCK', message);
}

/** Another transaction holds it up, and nobody knows how that one ended. */
export function inDoubt(holder: string): GatewayError {
  const message = `The transaction ${holder} is in doubt on an endpoint that this one uses: GET /transactions/${holder} tells where`;
  return new GatewayError('TRANSACTION_IN_DOUBT', message, { retryAfter: DOUBT_RETRY_S });
}

/** The same for another's as for one that does not exist. */
export function transactionNotFound(id: string): GatewayError {
  return new GatewayError('TRANSACTION_NOT_FOUND', `Transaction ${id} does not exist`);
}

/** It goes on no more. */
export function transactionClosed(id: string, status: Status): GatewayError {
  const isUndone = status === 'rolling_back' || status === 'rolled_back';
  const why = isUndone ? `: GET /transactions/${id} tells why` : '';
  return new GatewayError('TRANSACTION_CLOSED', `Transaction ${id} is ${status}${why}`);
}
