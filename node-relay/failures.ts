/** What a failed call looks like on the wire: one map from the gateway's codes to Connect's. */
import { Code, ConnectError } from '@connectrpc/connect';
import { type ErrorCode, GatewayError } from '../proto/errors.ts';
import { ErrorDetailSchema } from '../proto/gen/relay/v1/relay_pb.ts';

/** What only the gateway sees: which connection to send, or that another part serves the call. */
type RefusalCode = 'CONNECTION_UNKNOWN' | 'SERVED_ELSEWHERE';

/** A refusal that only the gateway sees: it says what to send instead, or where. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly connectCode: Code;
  /** `code` of the ErrorDetail. */
  readonly code: ErrorCode | RefusalCode;

  constructor(connectCode: Code, code: ErrorCode | RefusalCode, message: string) {
    super(message);
    this.connectCode = connectCode;
    this.code = code;
  }
}

/** Connect's code for each code that the relay can raise; Internal for the rest. */
const CONNECT_CODES: Partial<Record<ErrorCode, Code>> = {
  BAD_REQUEST: Code.InvalidArgument,
  INVALID_CONFIGURATION: Code.InvalidArgument,
  ADDRESS_REFUSED: Code.InvalidArgument,
  REQUEST_FAILED: Code.InvalidArgument,
  PAYLOAD_TOO_LARGE: Code.ResourceExhausted,
  RESULT_TOO_LARGE: Code.OutOfRange,
  CONSTRAINT_VIOLATED: Code.AlreadyExists,
  NOT_FOUND: Code.NotFound,
  SESSION_NOT_FOUND: Code.NotFound,
  NOT_SUPPORTED: Code.Unimplemented,
  CONNECTION_FAILED: Code.Unavailable,
  NODE_UNAVAILABLE: Code.Unavailable,
  SERVICE_UNAVAILABLE: Code.Unavailable,
  POOL_EXHAUSTED: Code.ResourceExhausted,
  SESSIONS_EXHAUSTED: Code.ResourceExhausted,
  OUTCOME_UNKNOWN: Code.Unknown,
  TIMED_OUT: Code.DeadlineExceeded,
};

/** The code under which a failure is told, logged and counted; INTERNAL for what was not foreseen. */
export function failureCode(cause: unknown): string {
  return cause instanceof GatewayError || cause instanceof CallRefused ? cause.code : 'INTERNAL';
}

/** A failure for the wire. What was not foreseen leaves no text of its own: it may hold a connection URL. */
export function toConnectError(cause: unknown): ConnectError {
  const detail = {
    desc: ErrorDetailSchema,
    value: { code: failureCode(cause), details: detailsOf(cause) },
  };
  if (cause instanceof CallRefused) {
    return new ConnectError(cause.message, cause.connectCode, undefined, [detail]);
  }
  if (!(cause instanceof GatewayError)) {
    return new ConnectError('The node failed', Code.Internal, undefined, [detail]);
  }
  const headers =
    cause.retryAfter === undefined ? undefined : { 'Retry-After': String(cause.retryAfter) };
  const code = CONNECT_CODES[cause.code] ?? Code.Internal;
  return new ConnectError(cause.message, code, headers, [detail]);
}

function detailsOf(cause: unknown): string {
  return cause instanceof GatewayError && cause.details.length > 0
    ? JSON.stringify(cause.details)
    : '';
}
