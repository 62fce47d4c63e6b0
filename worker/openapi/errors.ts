/** Which errors an operation can answer: what follows from its declaration, and what it names. */
import { ERRORS, type ErrorCode } from '../../proto/errors.ts';
import { type AnyRoute, type Method, takesNoBody } from '../route.ts';

/** Of any operation: a query string is read, and errors that were not foreseen. */
const ALWAYS: readonly ErrorCode[] = ['BAD_REQUEST', 'NOT_ACCEPTABLE', 'RATE_LIMITED', 'INTERNAL'];
/** Of a token; keys of an identity provider may be out of reach. */
const OF_TOKEN: readonly ErrorCode[] = [
  'TOKEN_REQUIRED',
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
  'TOKEN_REVOKED',
  'SERVICE_UNAVAILABLE',
];
/** Of a request that may have a body, even where the operation takes none. */
const OF_BODY: readonly ErrorCode[] = [
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'NOT_SUPPORTED',
];

/** Of an `Idempotency-Key`; what is known of it may be out of reach. */
const OF_KEY: readonly ErrorCode[] = [
  'IDEMPOTENCY_KEY_RUNNING',
  'REPLY_NOT_KEPT',
  'IDEMPOTENCY_KEY_REUSED',
  'SERVICE_UNAVAILABLE',
];

/** Of one that is kept in an organization's storage. */
const ROOM_OF_KEY: readonly ErrorCode[] = ['QUOTA_EXCEEDED'];

/** Of a change: its audit entry. */
const ROOM_OF_ENTRY: readonly ErrorCode[] = ['QUOTA_EXCEEDED'];

/** In the order of the table. */
export function errorsOf(route: AnyRoute, method: Method): readonly ErrorCode[] {
  const { access, conditional, errors, idempotency } = route;
  const found = new Set<ErrorCode>([
    ...ALWAYS,
    ...access.errors,
    ...errors,
    ...(access.level === 'Public' ? [] : OF_TOKEN),
    ...(access.level === 'Public' || access.level === 'Member' ? [] : (['FORBIDDEN'] as const)),
    ...(method === 'GET' && takesNoBody(route) ? [] : OF_BODY),
    ...(isReplayed(route, method) ? OF_KEY : []),
    ...(isReplayed(route, method) && access.level !== 'Public' ? ROOM_OF_KEY : []),
    ...(isReplayed(route, method) && !(idempotency !== 'ignored' && idempotency.reads)
      ? (['OUTCOME_UNKNOWN'] as const)
      : []),
    ...(route.changes === 'organization' ? ROOM_OF_ENTRY : []),
    ...(conditional ? (['PRECONDITION_FAILED'] as const) : []),
  ]);
  return tableOrder.filter((code) => found.has(code));
}

/** Whether the operation honours `Idempotency-Key`. */
export function isReplayed({ idempotency }: AnyRoute, method: Method): boolean {
  return idempotency !== 'ignored' && (method === 'POST' || method === 'PATCH');
}

const tableOrder = Object.keys(ERRORS) as ErrorCode[]; // The table's own keys.
