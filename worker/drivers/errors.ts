/** What calls to backends may end in: for operations to declare. Contract §2. */
import type { ErrorCode } from '../../proto/errors.ts';

/** On the way to the backend, and until it takes the call. */
export const ON_THE_WAY: readonly ErrorCode[] = [
  'INVALID_CONFIGURATION',
  'ADDRESS_REFUSED',
  'CONNECTION_FAILED',
  'SERVICE_UNAVAILABLE',
  'POOL_EXHAUSTED',
  'NODE_UNAVAILABLE',
  'DEVELOPMENT_ROUTE_MISSING',
  'TIMED_OUT',
];

/** Of a request that the backend runs. */
export const OF_A_READ: readonly ErrorCode[] = [
  ...ON_THE_WAY,
  'REQUEST_FAILED',
  'CONSTRAINT_VIOLATED',
  'RESULT_TOO_LARGE',
  'NOT_SUPPORTED',
];

/** Of one that may change it. */
export const OF_A_WRITE: readonly ErrorCode[] = [...OF_A_READ, 'OUTCOME_UNKNOWN'];

/** What relays tell calls: an organization's own node may name no other. */
export const TOLD_BY_RELAYS: readonly ErrorCode[] = [
  ...OF_A_WRITE,
  'BAD_REQUEST',
  'FORBIDDEN',
  'NOT_FOUND',
  'SESSION_NOT_FOUND',
  'TRANSACTION_OPEN',
  'REPLY_NOT_KEPT',
  'PAYLOAD_TOO_LARGE',
  'IDEMPOTENCY_KEY_REUSED',
  'SESSIONS_EXHAUSTED',
];
