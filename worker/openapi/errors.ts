/** Which errors an operation can answer: what follows from its declaration, and what it names. */
import { ERRORS, type ErrorCode } from '../../proto/errors.ts';
import { type AnyRoute, type Method, NoBody } from '../http/route.ts';

/** Of any operation: a query string is read, and whatever nobody foresaw. */
const ALWAYS: readonly ErrorCode[] = ['BAD_REQUEST', 'RATE_LIMITED', 'INTERNAL'];
/** Of a token; keys of an identity provider may be out of reach. */
const OF_TOKEN: readonly ErrorCode[] = [
  'TOKEN_REQUIRED',
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
  'TOKEN_REVOKED',
  'SERVICE_UNAVAILABLE',
];
/** Of a request that may have a body, even where the operation takes none. */
const OF_BODY: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** In the order of the table. */
export function errorsOf(route: AnyRoute, method: Method): readonly ErrorCode[] {
  const { access, conditional, errors } = route;
  const found = new Set<ErrorCode>([
    ...ALWAYS,
    ...access.errors,
    ...errors,
    ...(access.level === 'Public' ? [] : OF_TOKEN),
    ...(access.level === 'Public' || access.level === 'Member' ? [] : (['FORBIDDEN'] as const)),
    ...(method === 'GET' && route.body === NoBody ? [] : OF_BODY),
    ...(conditional ? (['PRECONDITION_FAILED'] as const) : []),
  ]);
  return tableOrder.filter((code) => found.has(code));
}

const tableOrder = Object.keys(ERRORS) as ErrorCode[]; // The table's own keys.
