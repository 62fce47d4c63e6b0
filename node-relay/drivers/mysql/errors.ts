/** Maps what MySQL and MariaDB answer to the gateway's failures. Source: MySQL Error Message Reference; MariaDB Error Codes. */
import { fromServer, isStopped, ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import { type ErrorCode, GatewayError } from '../../../proto/errors.ts';
import { type Circumstances, fromLoss, isUnreadable } from '../loss.ts';

/** The server shuts down, killed the connection, or dropped it while idle. */
const ENDS = new Set([1053, 1927, 4031, 1152, 1184]);
/** Whether the server ended the connection along with the statement. */
export function endsConnection(error: unknown): boolean {
  return error instanceof ServerError && ENDS.has(error.errno);
}

/** XAER_RMFAIL and its like; and what InnoDB says of all changes behind an XA transaction that was prepared on the connection. */
const OF_XA = new Set([1031, 1399, 1400, 1401]);
/** Whether an error shows that an XA transaction which no driver began is, or was, on the connection. */
export function tellsOfXa({ errno }: ServerError): boolean {
  return OF_XA.has(errno);
}

/** Words for a refused login; nothing from the server's own text. */
const REFUSALS: { readonly [errno: number]: readonly [ErrorCode, string] } = {
  1045: ['CONNECTION_FAILED', 'Password authentication failed'],
  1044: ['CONNECTION_FAILED', 'The user may not connect to the database'],
  1049: ['CONNECTION_FAILED', 'The database does not exist'],
  1129: ['CONNECTION_FAILED', 'The server refuses connections after too many failures'],
  1130: ['CONNECTION_FAILED', 'The server does not let this user in from here'],
  1698: ['CONNECTION_FAILED', 'Password authentication failed'],
  3159: ['CONNECTION_FAILED', 'The server lets nobody in without TLS'],
  1040: ['SERVICE_UNAVAILABLE', 'The server has too many connections'],
  1203: ['SERVICE_UNAVAILABLE', 'The server has too many connections of this user'],
  1226: ['SERVICE_UNAVAILABLE', 'The server has too many connections of this user'],
  1862: ['CONNECTION_FAILED', 'The password has expired'],
};

/** The failure of a connection that was not made. */
export function connectFailure(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  // mysql2's errors carry the server's number.
  const { errno, code } = (cause ?? {}) as { errno?: unknown; code?: unknown };
  const refusal = typeof errno === 'number' ? REFUSALS[errno] : undefined;
  if (refusal) return new GatewayError(refusal[0], refusal[1], { cause });
  return new GatewayError(
    'CONNECTION_FAILED',
    isUnreadable(cause) ? 'The server sent a reply that cannot be read' : wordsFor(code, errno),
    { cause },
  );
}

function wordsFor(code: unknown, errno: unknown): string {
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return 'The server does not support TLS';
  if (code === 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED') {
    return 'The server asks for the password in clear text, which needs TLS';
  }
  if (code === 'AUTH_SWITCH_PLUGIN_ERROR') {
    return 'The server asks for a login that is not supported';
  }
  if (typeof errno === 'number' && errno > 0) return 'The server refused the connection';
  if (code === 'PROTOCOL_CONNECTION_LOST') return 'The server closed the connection during login';
  return 'The server cannot be reached';
}

/** Whether a failure of a write tells its caller that nothing was changed. */
export function saysNothingChanged(failure: unknown): failure is GatewayError {
  if (!(failure instanceof GatewayError)) return false;
  return failure.code === 'TIMED_OUT' || failure.code === 'CONNECTION_FAILED';
}

/** The error that a caller gets for any failure of a call. Contract §2: lost, timed out or outcome unknown. */
export function fromFailure(cause: unknown, circumstances: Circumstances): unknown {
  const { mode, signal } = circumstances;
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof ServerError && !endsConnection(cause)) {
    return signal.aborted && isStopped(cause) ? signal.reason : fromServer(cause, mode);
  }
  return fromLoss(cause, circumstances);
}
