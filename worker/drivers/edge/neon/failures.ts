/** What callers are told of Neon's errors: the database's own, and those of the endpoint before it. */
import { NeonDbError } from '@neondatabase/serverless';
import { fromPostgres, refusedLogin } from '../../../../dialects/postgres/failures.ts';
import type { Mode } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import { Lost } from '../driver.ts';
import { outcomeUnknown } from '../sql/reply.ts';

/** Of a login or of a server that lets nobody in: no statement has run. */
const NOT_LET_IN = /^(?:28|3D|0800[14]|57P03)/;

/**
 * The failure that a status or an error without a database's code stands for; undefined for
 * an error of the database, which the driver reads.
 */
export function refusedByEndpoint(status: number, text: string): GatewayError | undefined {
  if (status === 400) {
    const { code, severity } = membersOf(text);
    if (code === undefined) return refusal(text);
    // An error of a statement says so; of a login, FATAL, or nothing where the endpoint knew by itself.
    const isLogin = severity !== 'ERROR' && NOT_LET_IN.test(code);
    return isLogin ? refusedLogin(code, undefined) : undefined;
  }
  if (status === 401 || status === 403) return refusedLogin('28P01', undefined);
  if (status === 404) return connectionFailed('There is no such database endpoint');
  if (status === 413) {
    return new GatewayError('PAYLOAD_TOO_LARGE', 'The request is larger than Neon takes');
  }
  if (status === 429 || status === 503) {
    return new GatewayError('SERVICE_UNAVAILABLE', 'The database endpoint is too busy');
  }
  // What passed it on may have lost the reply alone.
  return new Lost('CONNECTION_FAILED', 'The database endpoint answered with a failure of its own');
}

function membersOf(text: string): { readonly code?: string; readonly severity?: string } {
  try {
    const { code, severity } = JSON.parse(text) as { code?: unknown; severity?: unknown }; // Any JSON has members to ask for, or throws.
    return {
      ...(typeof code === 'string' && code !== '' ? { code } : {}),
      ...(typeof severity === 'string' ? { severity } : {}),
    };
  } catch {
    return {};
  }
}

/** Words for what the endpoint says by itself; nothing of its own text. */
function refusal(text: string): GatewayError {
  if (/password authentication failed/i.test(text)) return refusedLogin('28P01', undefined);
  if (/database .{1,200} does not exist/i.test(text)) return refusedLogin('3D000', undefined);
  if (/endpoint is disabled|quota|exceeded/i.test(text)) {
    return connectionFailed('The database endpoint is disabled, or over its quota');
  }
  return connectionFailed('The database endpoint refused the connection');
}

function connectionFailed(message: string): GatewayError {
  return new GatewayError('CONNECTION_FAILED', message);
}

/** What a caller is told of any failure of a trip. Contract §2. */
export function toldFailure(error: unknown, mode: Mode): unknown {
  if (error instanceof NeonDbError && error.code !== undefined) {
    const { code, message, position, constraint } = error;
    return fromPostgres({ code, message, position, constraint }, mode);
  }
  const isLost = error instanceof Lost || !(error instanceof GatewayError);
  if (isLost && mode === 'write') return outcomeUnknown(error);
  // It changed nothing, whoever looks at this failure next.
  if (error instanceof Lost) return new GatewayError(error.code, error.message, { cause: error });
  if (error instanceof GatewayError) return error;
  const message = 'The database endpoint gave no reply that can be read';
  return new GatewayError('CONNECTION_FAILED', message, { cause: error });
}
