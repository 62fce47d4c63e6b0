/** Maps what MySQL and MariaDB answer to the gateway's failures. Source: MySQL Error Message Reference; MariaDB Error Codes. */
import type { Mode } from '../../../proto/driver.ts';
import { type ErrorCode, type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { type Circumstances, fromLoss } from '../loss.ts';

/** An ERR packet: what the server answered instead of a result. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly errno: number;
  readonly sqlState: string;

  constructor(errno: number, sqlState: string, message: string) {
    super(message);
    this.errno = errno;
    this.sqlState = sqlState;
  }
}

/** KILL QUERY, and a statement's own time limit. */
const STOPPED = new Set([1317, 1969, 3024]);
/** The server shuts down, killed the connection, or dropped it while idle. */
const ENDS = new Set([1053, 1927, 4031, 1152, 1184]);
const CONSTRAINTS = new Set([
  1022, 1048, 1062, 1169, 1216, 1217, 1364, 1451, 1452, 1557, 1586, 1761, 1762, 3819, 4025,
]);
const LACKS = new Set([1021, 1037, 1038, 1040, 1041, 1114, 1135, 1203, 1226, 1461]);
const READ_ONLY = new Set([1792]);

/** Whether the server ended the connection along with the statement. */
export function endsConnection(error: unknown): boolean {
  return error instanceof ServerError && ENDS.has(error.errno);
}

/** Whether the statement was stopped before its end. */
export function isStopped(error: unknown): boolean {
  return error instanceof ServerError && STOPPED.has(error.errno);
}

/** The failure of a statement that the server answered with an error. Contract §2. */
export function fromServer(error: ServerError, mode: Mode): GatewayError {
  const options = { cause: error, details: [detailOf(error)] };
  if (READ_ONLY.has(error.errno) && mode === 'read') {
    return new GatewayError('BAD_REQUEST', 'The statement writes; send it to /write', options);
  }
  const [code, message] = namedFailure(error);
  return new GatewayError(code, message, options);
}

function namedFailure({ errno, sqlState }: ServerError): [ErrorCode, string] {
  if (STOPPED.has(errno)) return ['TIMED_OUT', 'The database cancelled the statement'];
  if (LACKS.has(errno)) {
    return ['SERVICE_UNAVAILABLE', 'The database lacks the resources for the statement'];
  }
  // SIGNAL SQLSTATE '23…' of a trigger too.
  if (CONSTRAINTS.has(errno) || sqlState.startsWith('23')) {
    return ['CONSTRAINT_VIOLATED', 'The change violates a constraint of the database'];
  }
  return ['REQUEST_FAILED', 'The database refused the statement'];
}

/** `'user'@'host'` in refusals names where the relay is seen from. */
const USER_AT = /'((?:[^'\\]|'')*)'@'[^']*'/g;

function detailOf({ errno, message }: ServerError): ErrorDetails {
  return {
    source: 'mysql',
    code: String(errno),

    message: message.replace(USER_AT, "'$1'"),
  };
}

/** Words for a refused login; nothing of the server's own text. */
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
  return new GatewayError('CONNECTION_FAILED', wordsFor(code, errno), { cause });
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

/** What a caller is told of any failure of a call. Contract §2: lost, timed out or outcome unknown. */
export function fromFailure(cause: unknown, circumstances: Circumstances): unknown {
  const { mode, signal } = circumstances;
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof ServerError && !endsConnection(cause)) {
    return signal.aborted && isStopped(cause) ? signal.reason : fromServer(cause, mode);
  }
  return fromLoss(cause, circumstances);
}
