/**
 * The gateway's failures: one table holds every code with the HTTP status and the
 * `error` word that a client sees, so no other file names a status.
 */

import type { Json } from './json.ts';
import { SERVER_TEXT_MAX, truncated } from './truncate.ts';

/** Spec: "Errors", and the contract's table of what the specification leaves open. */
export const ERRORS = {
  BAD_REQUEST: { status: 400, error: 'Bad Request' },
  PASSWORD_REQUIRED: { status: 400, error: 'Bad Request' },
  INVALID_CONFIGURATION: { status: 400, error: 'Invalid configuration' },
  ADDRESS_REFUSED: { status: 400, error: 'Invalid configuration' },
  REQUEST_FAILED: { status: 400, error: 'Request failed' },
  RESULT_TOO_LARGE: { status: 400, error: 'Result too large' },
  TEMPLATE_FAILED: { status: 400, error: 'Template failed' },
  RESET_TOKEN_INVALID: { status: 400, error: 'Bad Request' },
  TOKEN_REQUIRED: { status: 401, error: 'Unauthorized' },
  TOKEN_INVALID: { status: 401, error: 'Unauthorized' },
  TOKEN_EXPIRED: { status: 401, error: 'Unauthorized' },
  TOKEN_REVOKED: { status: 401, error: 'Unauthorized' },
  INVALID_CREDENTIALS: { status: 401, error: 'Unauthorized' },
  ENROLMENT_INVALID: { status: 401, error: 'Unauthorized' },
  NODE_SIGNATURE_INVALID: { status: 401, error: 'Unauthorized' },
  DELIVERY_SIGNATURE_INVALID: { status: 401, error: 'Unauthorized' },
  FORBIDDEN: { status: 403, error: 'Forbidden' },
  QUOTA_EXCEEDED: { status: 403, error: 'Quota exceeded' },
  NOT_FOUND: { status: 404, error: 'Not found' },
  ENDPOINT_NOT_FOUND: { status: 404, error: 'Not found' },
  TEMPLATE_NOT_FOUND: { status: 404, error: 'Not found' },
  RUN_NOT_FOUND: { status: 404, error: 'Not found' },
  WORKFLOW_NOT_FOUND: { status: 404, error: 'Not found' },
  TASK_NOT_FOUND: { status: 404, error: 'Not found' },
  DEAD_LETTER_NOT_FOUND: { status: 404, error: 'Not found' },
  NODE_NOT_FOUND: { status: 404, error: 'Not found' },
  KEY_NOT_FOUND: { status: 404, error: 'Not found' },
  SESSION_NOT_FOUND: { status: 404, error: 'Not found' },
  TRANSACTION_NOT_FOUND: { status: 404, error: 'Not found' },
  USER_NOT_FOUND: { status: 404, error: 'Not Found' },
  METHOD_NOT_ALLOWED: { status: 405, error: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, error: 'Not acceptable' },
  REQUEST_TIMEOUT: { status: 408, error: 'Request timeout' },
  CONSTRAINT_VIOLATED: { status: 409, error: 'Conflict' },
  ORGANIZATION_EXISTS: { status: 409, error: 'Conflict' },
  ACCOUNT_EXISTS: { status: 409, error: 'Conflict' },
  ACCOUNT_UNVERIFIED: { status: 409, error: 'Conflict' },
  MEMBERSHIP_EXISTS: { status: 409, error: 'Conflict' },
  LAST_SUPER_ADMIN: { status: 409, error: 'Conflict' },
  ENDPOINT_EXISTS: { status: 409, error: 'Conflict' },
  TEMPLATE_EXISTS: { status: 409, error: 'Conflict' },
  TEMPLATE_VERSION_EXISTS: { status: 409, error: 'Conflict' },
  ENDPOINT_IN_USE: { status: 409, error: 'Conflict' },
  NODE_EXISTS: { status: 409, error: 'Conflict' },
  KEY_EXISTS: { status: 409, error: 'Conflict' },
  NODE_IN_USE: { status: 409, error: 'Conflict' },
  NODE_RUNNING: { status: 409, error: 'Conflict' },
  LAST_PLACEMENT: { status: 409, error: 'Conflict' },
  WORKFLOW_EXISTS: { status: 409, error: 'Conflict' },
  WORKFLOW_VERSION_EXISTS: { status: 409, error: 'Conflict' },
  WORKFLOW_PATH_TAKEN: { status: 409, error: 'Conflict' },
  WORKFLOW_RUNNING: { status: 409, error: 'Conflict' },
  WORKFLOW_IN_USE: { status: 409, error: 'Conflict' },
  TEMPLATE_IN_USE: { status: 409, error: 'Conflict' },
  WORKFLOW_PAUSED: { status: 409, error: 'Conflict' },
  RUN_CONFLICT: { status: 409, error: 'Conflict' },
  TASK_CLOSED: { status: 409, error: 'Conflict' },
  DEAD_LETTER_SPENT: { status: 409, error: 'Conflict' },
  EDIT_CONFLICT: { status: 409, error: 'Conflict' },
  TRANSACTION_OPEN: { status: 409, error: 'Conflict' },
  TRANSACTION_CLOSED: { status: 409, error: 'Conflict' },
  TRANSACTION_DEADLOCK: { status: 409, error: 'Conflict' },
  IDEMPOTENCY_KEY_RUNNING: { status: 409, error: 'Conflict' },
  REPLY_NOT_KEPT: { status: 409, error: 'Reply not kept' },
  PRECONDITION_FAILED: { status: 412, error: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, error: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, error: 'Unsupported media type' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, error: 'Idempotency key reused' },
  RATE_LIMITED: { status: 429, error: 'Too Many Requests' },
  INTERNAL: { status: 500, error: 'Internal error' },
  NOT_SUPPORTED: { status: 501, error: 'Not supported' },
  CONNECTION_FAILED: { status: 502, error: 'Connection failed' },
  OUTCOME_UNKNOWN: { status: 502, error: 'Outcome unknown' },
  SERVICE_UNAVAILABLE: { status: 503, error: 'Service unavailable' },
  POOL_EXHAUSTED: { status: 503, error: 'Service unavailable' },
  NODE_UNAVAILABLE: { status: 503, error: 'Service unavailable' },
  SESSIONS_EXHAUSTED: { status: 503, error: 'Service unavailable' },
  TRANSACTION_IN_DOUBT: { status: 503, error: 'Service unavailable' },
  DEVELOPMENT_ROUTE_MISSING: { status: 503, error: 'Development route not configured' },
  TIMED_OUT: { status: 504, error: 'Timed out' },
} as const;

/** A machine name of the table; clients may rely on it. */
export type ErrorCode = keyof typeof ERRORS;

/** One entry of an error's `details`: of bad input, of a backend, or of a refusal. */
export type ErrorDetails =
  | {
      readonly path: string;
      readonly message: string;
      /** Of a template's own rule: what its author calls the fault. */
      readonly code?: string;
      /** Where in an expression or function, from 1. */
      readonly line?: number;
      readonly column?: number;
      /** Index in a transaction, from 0. */
      readonly operation?: number;
    }
  | {
      readonly source: string;
      readonly code: string;
      readonly message: string;
      readonly position?: number;
      readonly constraint?: string;
      /** Whose share of a transaction over many could not be prepared. */
      readonly endpoint?: string;
      /** Index in a transaction, from 0. */
      readonly operation?: number;
      /** The write took effect although the request failed. */
      readonly applied?: true;
    }
  /** Of an operation other than the one that failed; with its result where it took effect. */
  | { readonly operation: number; readonly applied?: true; readonly result?: Json }
  | { readonly rule: string; readonly [member: string]: unknown };

/** What an error may carry besides its message. */
interface GatewayErrorOptions {
  /** Reaches the log, never the client. */
  readonly cause?: unknown;
  /** Reaches the client. */
  readonly details?: readonly ErrorDetails[];
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
  /** Reply headers that go with the status, such as `Allow` or `RateLimit-Policy`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How every message of CONNECTION_FAILED begins. Spec: "Errors". */
export const CONNECTION_FAILED_PREFIX = 'Unable to connect to database: ';

/** Names of products stay as they are written. */
const NAMES = /^(?:Cassandra|Neon|Pinecone|Redis|Upstash|Valkey)\b/;

/** The message of a failed connection; a cause that already has this form is not wrapped again. */
function unableToConnect(told: string): string {
  const cause = told.replaceAll(CONNECTION_FAILED_PREFIX, '');
  const isSentence = /^[A-Z][a-z]*\b/.test(cause) && !NAMES.test(cause);
  const words = isSentence ? cause.charAt(0).toLowerCase() + cause.slice(1) : cause;
  return CONNECTION_FAILED_PREFIX + words;
}

/** The message that a `GatewayError` carries which is made with this one. */
export function toldMessage(code: ErrorCode, message: string): string {
  return truncated(code === 'CONNECTION_FAILED' ? unableToConnect(truncated(message)) : message);
}

/** An entry whose own texts are no longer than is told. */
function shortened(details: ErrorDetails): ErrorDetails {
  const long = Object.entries<unknown>(details).flatMap(([name, value]) =>
    typeof value === 'string' && value.length > SERVER_TEXT_MAX
      ? [[name, truncated(value)] as const]
      : [],
  );
  return long.length === 0 ? details : { ...details, ...Object.fromEntries(long) };
}

/**
 * A failure the client is told about: `message` and `details` reach the wire, `cause` only the log.
 * Of CONNECTION_FAILED the message given is the cause alone; its beginning is put before it here.
 * Texts of both are cut to `TOLD_MAX`: what a server or a caller wrote may be in any of them.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetails[];
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(toldMessage(code, message), 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details?.map(shortened) ?? [];
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
  }
}

/** What a backend said of a request that it refused, as it is in `details`. */
export type BackendDetail = Extract<ErrorDetails, { readonly source: string }>;

/**
 * The failure of a request that a backend refused: its message is the backend's own. Contract §2.
 * @param otherwise the message where the backend says nothing
 */
export function refusedByBackend(
  code: 'REQUEST_FAILED' | 'CONSTRAINT_VIOLATED',
  detail: BackendDetail,
  { cause, otherwise = 'The request was refused' }: { cause?: unknown; otherwise?: string } = {},
): GatewayError {
  const message = detail.message.trim() === '' ? otherwise : detail.message;
  return new GatewayError(code, message, { cause, details: [detail] });
}

/** The body of an error reply. Contract: "Errors". */
export interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly code: ErrorCode;
  readonly request_id: string;
  readonly details?: readonly ErrorDetails[];
}

/**
 * The error for one wrong member of a request.
 * @param path of the member @param problem what is wrong with it
 * @param message for the whole request, if it is not both of these
 */
export function badRequest(
  path: string,
  problem: string,
  message = `${path}: ${problem}`,
): GatewayError {
  return new GatewayError('BAD_REQUEST', message, { details: [{ path, message: problem }] });
}

/** A write that was sent and not answered. @param isLate its time was up, and no connection was lost */
export function outcomeUnknown(cause: unknown, isLate = false): GatewayError {
  const what = isLate ? 'The deadline passed' : 'The connection was lost';
  const message = `${what} after the request was sent: it may have taken effect`;
  return new GatewayError('OUTCOME_UNKNOWN', message, { cause });
}

/** The wire form of an error; `details` is left out when there are none. */
export function errorBody(
  failure: Pick<GatewayError, 'code' | 'message' | 'details'>,
  requestId: string,
): ErrorBody {
  return {
    error: ERRORS[failure.code].error,
    message: failure.message,
    code: failure.code,
    request_id: requestId,
    ...(failure.details.length > 0 ? { details: failure.details } : {}),
  };
}

/** Narrows a string from the wire to a code of this build's table. */
export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(ERRORS, value);
}
