/** Maps Neon's errors to the gateway's: the database's own, and those of the endpoint before it. */
import { NeonDbError } from '@neondatabase/serverless';
import { fromPostgres, refusedLogin } from '../../../../kinds/postgres/dialect/failures.ts';
import type { Mode } from '../../../../proto/driver.ts';
import { GatewayError, outcomeUnknown } from '../../../../proto/errors.ts';
import { Lost } from '../driver.ts';
import { Undone } from '../sql/send-then-write.ts';

/** Errors of a login, or of a server that takes no connections: no statement has run. */
const NOT_LET_IN = /^(?:28|3D|0800[14]|53300|57P03)/;
/** Ends the connection, whatever had been done by then. */
const FATAL = /^(?:FATAL|PANIC)/;

/**
 * The failure that a status or an error without a database's code stands for; undefined for
 * an error of the database, which the driver reads.
 * @param batch whether it was one, which the endpoint undoes when it fails
 */
export function refusedByEndpoint(
  status: number,
  text: string,
  batch: boolean,
): GatewayError | undefined {
  const { code, severity, message } = membersOf(text);
  if (status === 400 && code !== undefined) return ofConnection(code, severity);
  if (status === 507 && batch) return new Undone('RESULT_TOO_LARGE', TOO_LARGE);
  if (status === 413) {
    return new GatewayError('PAYLOAD_TOO_LARGE', 'The request is larger than Neon takes');
  }
  return refusedStatus(status) ?? refusal(message ?? '') ?? lost();
}

const TOO_LARGE =
  'The result is larger than Neon hands on over HTTP; ask for fewer rows, or set config.transport to "relay" to receive rows as a stream';

/** An error of a statement says so; of a login, FATAL, or nothing where the endpoint knew by itself. */
function ofConnection(code: string, severity: string | undefined): GatewayError | undefined {
  if (severity !== 'ERROR' && NOT_LET_IN.test(code)) return refusedLogin(code, undefined);
  // Without a severity it is the endpoint's own: it cancelled what it had begun.
  if (severity === undefined || FATAL.test(severity)) return lost();
  return undefined;
}

function refusedStatus(status: number): GatewayError | undefined {
  if (status === 401 || status === 403) return refusedLogin('28P01', undefined);
  if (status === 404) return connectionFailed('There is no such database endpoint');
  if (status === 429 || status === 503) return busy();
  return undefined;
}

/** It writes what it does not know as empty texts. */
function membersOf(text: string): { readonly [member in Member]?: string } {
  try {
    const told = JSON.parse(text) as Record<string, unknown>; // Any JSON has members to ask for, or throws.
    const given = MEMBERS.filter((name) => typeof told[name] === 'string' && told[name] !== '');
    return Object.fromEntries(given.map((name) => [name, told[name]]));
  } catch {
    return {};
  }
}
const MEMBERS = ['code', 'severity', 'message'] as const;
type Member = (typeof MEMBERS)[number];

/**
 * Words for what the endpoint says before it runs anything; none of its own text. Undefined for
 * all else, such as `connection closed`, where it is unknown what ran.
 * Source: Neon's proxy, `sql_over_http`, `AuthError`, `WakeComputeError`, `ConnInfoError`.
 */
function refusal(message: string): GatewayError | undefined {
  if (
    /^(?:password authentication failed|missing authentication|authentication timed out)/i.test(
      message,
    )
  ) {
    return refusedLogin('28P01', undefined);
  }
  if (/^database .{1,200} does not exist/i.test(message)) return refusedLogin('3D000', undefined);
  if (/^too many connections|^failed to acquire permit|rate limit/i.test(message)) return busy();
  const found = REFUSALS.find(([words]) => words.test(message));
  return found && connectionFailed(found[1]);
}

const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:the )?endpoint is disabled|quota|^your (?:account|project)\b.* exceeded/i,
    'The database endpoint is disabled, or over its quota',
  ],
  [
    /^the requested endpoint could not be found|^endpoint id is not specified|^(?:missing|invalid) hostname|^malformed endpoint/i,
    'There is no such database endpoint',
  ],
  [
    /^this ip address|^this connection is trying to access this endpoint from a blocked network|^(?:this )?vpc endpoint id/i,
    'The database endpoint does not let anybody in from here',
  ],
  [/^control plane request failed/i, 'The database endpoint could not be started'],
  [
    /^(?:missing|invalid) (?:database name|username)|^invalid connection string|^incorrect scheme|^could not (?:read|parse) the http request body/i,
    'The database endpoint refused the connection',
  ],
];

function connectionFailed(message: string): GatewayError {
  return new GatewayError('CONNECTION_FAILED', message);
}

function busy(): GatewayError {
  return new GatewayError('SERVICE_UNAVAILABLE', 'The database endpoint is too busy');
}

/** Some of it may have run. */
function lost(): Lost {
  return new Lost('CONNECTION_FAILED', 'The database endpoint answered with a failure of its own');
}

/** The error that a caller gets for any failure of a trip. Contract §2. */
export function toldFailure(error: unknown, mode: Mode): unknown {
  if (error instanceof NeonDbError && error.code !== undefined) {
    const { code, message, position, constraint } = error;
    return fromPostgres({ code, message, position, constraint }, mode);
  }
  const isLost = error instanceof Lost || !(error instanceof GatewayError);
  if (isLost && mode === 'write') return outcomeUnknown(error);
  // A read changes nothing: as a `Lost`, it would count as a write in doubt later.
  if (error instanceof Lost) return new GatewayError(error.code, error.message, { cause: error });
  if (error instanceof GatewayError) return error;
  const message = 'The database endpoint gave no reply that can be read';
  return new GatewayError('CONNECTION_FAILED', message, { cause: error });
}
