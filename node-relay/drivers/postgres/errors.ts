/** Maps what PostgreSQL answers to the gateway's failures. Source: PostgreSQL manual, appendix A. */
import { DatabaseError } from 'pg';
import type { Mode } from '../../../proto/driver.ts';
import { type ErrorCode, type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { type Circumstances, fromLoss } from '../loss.ts';

const SERVER_STOPS = new Set(['57P01', '57P02', '57P03', '57P05']);

/** Whether the server ended the connection along with the statement. */
export function endsConnection(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    (error.severity === 'FATAL' || SERVER_STOPS.has(error.code ?? ''))
  );
}

/** The failure of a statement that the server answered with an error. Contract §2. */
export function fromPostgres(error: DatabaseError, mode: Mode): GatewayError {
  const options = { cause: error, details: [detailOf(error)] };
  const code = error.code ?? '';
  if (code === '25006' && mode === 'read') {
    return new GatewayError('BAD_REQUEST', 'The statement writes; send it to /write', options);
  }
  const [name, message] = namedFailure(code);
  return new GatewayError(name, message, options);
}

function namedFailure(code: string): [ErrorCode, string] {
  if (code === '57014') return ['TIMED_OUT', 'The database cancelled the statement'];
  switch (code.slice(0, 2)) {
    case '23':
      return ['CONSTRAINT_VIOLATED', 'The change violates a constraint of the database'];
    case '53':
      return ['SERVICE_UNAVAILABLE', 'The database lacks the resources for the statement'];
    default:
      return ['REQUEST_FAILED', 'The database refused the statement'];
  }
}

function detailOf(error: DatabaseError): ErrorDetails {
  const { code = 'XX000', message, position, constraint } = error;
  return {
    source: 'postgres',
    code,
    message,
    ...(position === undefined ? {} : { position: Number(position) }),
    ...(constraint === undefined ? {} : { constraint }),
  };
}

/** Words for a refused login or start of a session; nothing of the server's own text. */
const REFUSALS: { readonly [sqlstate: string]: readonly [ErrorCode, string] } = {
  '28P01': ['CONNECTION_FAILED', 'Password authentication failed'],
  '28000': [
    'CONNECTION_FAILED',
    'The server does not let this user in from here, or not without TLS',
  ],
  '3D000': ['CONNECTION_FAILED', 'The database does not exist'],
  '42501': ['CONNECTION_FAILED', 'The user may not connect to the database'],
  '53300': ['SERVICE_UNAVAILABLE', 'The server has too many connections'],
  '57P03': ['CONNECTION_FAILED', 'The server is starting up, shutting down or recovering'],
  '55000': ['CONNECTION_FAILED', 'The database does not accept connections'],
};

/** The failure of a connection that was not made; refuses nothing a second time by itself. */
export function connectFailure(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof DatabaseError) {
    const [code, message] = REFUSALS[cause.code ?? ''] ?? refusalByClass(cause.code ?? '');
    return new GatewayError(code, message, { cause });
  }
  const text = cause instanceof Error ? cause.message : '';
  return new GatewayError('CONNECTION_FAILED', wordsFor(text), { cause });
}

function refusalByClass(code: string): readonly [ErrorCode, string] {
  if (/^(?:22|42)/.test(code)) {
    return ['INVALID_CONFIGURATION', 'The server refused an option of the connection'];
  }
  if (code.startsWith('53')) return ['SERVICE_UNAVAILABLE', 'The server lacks resources'];
  return ['CONNECTION_FAILED', 'The server refused the connection'];
}

function wordsFor(text: string): string {
  if (/^SASL: SCRAM-SERVER-FIRST-MESSAGE: client password/.test(text)) {
    return 'The server asks for a password, and the connection has none';
  }
  if (text.startsWith('SASL')) return 'The server asks for a login that is not supported';
  if (text.startsWith('Connection terminated'))
    return 'The server closed the connection during login';
  return 'The server cannot be reached';
}

/** What a caller is told of any failure of a call. Contract §2: lost, timed out or outcome unknown. */
export function fromFailure(cause: unknown, circumstances: Circumstances): unknown {
  const { mode, signal } = circumstances;
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof DatabaseError && !endsConnection(cause)) {
    return signal.aborted && cause.code === '57014' ? signal.reason : fromPostgres(cause, mode);
  }
  return fromLoss(cause, circumstances);
}
