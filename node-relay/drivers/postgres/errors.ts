/** Maps what PostgreSQL answers to the gateway's failures. Source: PostgreSQL manual, appendix A. */
import { DatabaseError } from 'pg';
import { fromPostgres, refusedLogin } from '../../../kinds/postgres/dialect/failures.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { truncated } from '../../../proto/truncate.ts';
import { type Circumstances, fromLoss, isUnreadable, stoppedInside } from '../loss.ts';
import { UnknownLogin } from './backend-messages.ts';

const SERVER_STOPS = new Set(['57P01', '57P02', '57P03', '57P05']);

/** Whether the server ended the connection along with the statement. */
export function endsConnection(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    (error.severity === 'FATAL' || SERVER_STOPS.has(error.code ?? ''))
  );
}

/** The failure of a connection that was not made; refuses nothing a second time by itself. */
export function connectFailure(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof DatabaseError) {
    return refusedLogin(sqlstateOf(cause), cause);
  }
  return new GatewayError('CONNECTION_FAILED', wordsFor(cause), { cause });
}

/** PgBouncer has one SQLSTATE for all that it refuses itself. Source: PgBouncer, `disconnect_client`. */
const POOLER_REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/authentication failed|no such user/i, '28P01'],
  [/no such database|database .* does not exist/i, '3D000'],
  [/no more connections allowed|too many (?:clients|connections)/i, '53300'],
];

function sqlstateOf({ code = '', message }: DatabaseError): string {
  if (code !== '08P01') return code;
  const text = truncated(message);
  return POOLER_REFUSALS.find(([words]) => words.test(text))?.[1] ?? code;
}

function wordsFor(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : '';
  if (cause instanceof UnknownLogin) return 'The server asks for a login that is not supported';
  if (isUnreadable(cause)) return 'The server sent a reply that cannot be read';
  if (/^SASL: SCRAM-SERVER-FIRST-MESSAGE: client password/.test(text)) {
    return 'The server asks for a password, and the connection has none';
  }
  if (text.startsWith('SASL')) return 'The server asks for a login that is not supported';
  if (text.startsWith('Connection terminated'))
    return 'The server closed the connection during login';
  return 'The server cannot be reached';
}

/** The error that a caller gets for any failure of a call. Contract §2: lost, timed out or outcome unknown. */
export function fromFailure(cause: unknown, circumstances: Circumstances): unknown {
  const { mode, signal, mayKeep } = circumstances;
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof DatabaseError && !endsConnection(cause)) {
    if (cause.code !== '57014') return fromPostgres(cause, mode);
    if (mode === 'write' && mayKeep) return stoppedInside(cause, signal.aborted);
    return signal.aborted ? signal.reason : fromPostgres(cause, mode);
  }
  return fromLoss(cause, circumstances);
}
