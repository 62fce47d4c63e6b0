/** Maps PostgreSQL's errors to the gateway's. Source: PostgreSQL manual, appendix A. */
import type { Mode } from '../../../proto/driver.ts';
import {
  type BackendDetail,
  type ErrorCode,
  GatewayError,
  refusedByBackend,
} from '../../../proto/errors.ts';
import { truncatedWithout } from '../../../proto/truncate.ts';
import { hideAddresses } from '../../addresses.ts';

/** An error as the server reports it, its own names shortened to what callers see. */
interface ServerError {
  readonly code?: string | undefined;
  readonly message: string;
  readonly position?: string | undefined;
  readonly constraint?: string | undefined;
}

/** The failure of a statement that the server answered with an error. Contract §2. */
export function fromPostgres(error: ServerError, mode: Mode): GatewayError {
  const detail = detailOf(error);
  const options = { cause: error, details: [detail] };
  const code = error.code ?? '';
  if (code === '25006' && mode === 'read') {
    return new GatewayError('BAD_REQUEST', 'The statement writes; send it to /write', options);
  }
  if (code === '57014') {
    return new GatewayError('TIMED_OUT', 'The database cancelled the statement', options);
  }
  if (code.startsWith('53')) {
    const message = 'The database lacks the resources for the statement';
    return new GatewayError('SERVICE_UNAVAILABLE', message, options);
  }
  const name = code.startsWith('23') ? 'CONSTRAINT_VIOLATED' : 'REQUEST_FAILED';
  return refusedByBackend(name, detail, { cause: error });
}

function detailOf(error: ServerError): BackendDetail {
  const { code = 'XX000', message, position, constraint } = error;
  return {
    source: 'postgres',
    code,
    message: truncatedWithout(message, hideAddresses),
    ...(position === undefined ? {} : { position: Number(position) }),
    ...(constraint === undefined ? {} : { constraint }),
  };
}

/** Words for a refused login or start of a session; nothing from the server's own text. */
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

/** The failure of a login or start of a session that the server refused with this SQLSTATE. */
export function refusedLogin(sqlstate: string, cause: unknown): GatewayError {
  const [code, message] = REFUSALS[sqlstate] ?? refusalByClass(sqlstate);
  return new GatewayError(code, message, { cause });
}

function refusalByClass(code: string): readonly [ErrorCode, string] {
  if (/^(?:22|42)/.test(code)) {
    return ['INVALID_CONFIGURATION', 'The server refused an option of the connection'];
  }
  if (code.startsWith('53')) return ['SERVICE_UNAVAILABLE', 'The server lacks resources'];
  return ['CONNECTION_FAILED', 'The server refused the connection'];
}
