/** Maps PlanetScale's errors to the gateway's: the database's own as Vitess words them, and those of the interface before it. */
import { DatabaseError, UnknownError } from '@planetscale/database';
import { fromServer, ServerError } from '../../../../kinds/mysql/dialect/failures.ts';
import type { Mode } from '../../../../proto/driver.ts';
import { GatewayError, outcomeUnknown, refusedByBackend } from '../../../../proto/errors.ts';
import { Lost } from '../driver.ts';

/** Where in Vitess, a gRPC code, the database's own words, its number and state; then the caller's statement, with every value. */
const OF_SERVER =
  /^(?:target: [^:]+: )?(?:vttablet: )?(?:rpc error: code = \w+ desc = )?([\s\S]*?) \(errno (\d+)\) \(sqlstate (\w{5})\)/;

/** An error that the database answered, by its number; undefined for those of Vitess itself and of the interface. */
export function serverError(error: unknown): ServerError | undefined {
  if (!(error instanceof DatabaseError) || error instanceof UnknownError) return undefined;
  const [, message = '', errno, state = ''] = OF_SERVER.exec(error.body.message) ?? [];
  return errno === undefined ? undefined : new ServerError(Number(errno), state, message);
}

/** Numbers of MySQL's own client: Vitess lost its line to the server, whatever that had done by then. */
const OF_CLIENT = { from: 2_000, to: 2_999 };
/** The server stops, or has ended the connection. */
const STOPPING = [1053, 1077, 1079, 1927];

/** The error that a caller gets for any failure of a trip. Contract §2. */
export function toldFailure(error: unknown, mode: Mode): unknown {
  const ofServer = serverError(error);
  if (ofServer && !isLineLost(ofServer)) return fromServer(ofServer, mode);
  const told = error instanceof DatabaseError ? fromInterface(error) : error;
  const isLost = told instanceof Lost || !(told instanceof GatewayError);
  if (isLost && mode === 'write') return outcomeUnknown(told);
  // A read changes nothing: as a `Lost`, it would count as a write in doubt later.
  if (told instanceof Lost) return new GatewayError(told.code, told.message, { cause: told });
  if (told instanceof GatewayError) return told;
  const message = 'The database gave no reply that can be read';
  return new GatewayError('CONNECTION_FAILED', message, { cause: told });
}

function isLineLost({ errno }: ServerError): boolean {
  return (errno >= OF_CLIENT.from && errno <= OF_CLIENT.to) || STOPPING.includes(errno);
}

/** By Vitess' code, else by the status. Source: Vitess, `vtrpc.proto`, enum Code. */
function fromInterface(error: DatabaseError): GatewayError {
  const { status, body } = error;
  const code = body.code.toUpperCase().replaceAll(/[^A-Z]/g, '_');
  if (status === 401 || status === 403 || code === 'UNAUTHENTICATED') {
    return new GatewayError('CONNECTION_FAILED', 'Password authentication failed', {
      cause: error,
    });
  }
  if (error instanceof UnknownError) return fromStatus(error);
  if (serverError(error))
    return new Lost('CONNECTION_FAILED', 'The connection to the database was lost');
  // The error itself quotes the statement with its values: it is no cause.
  const detail = { source: 'mysql', code: body.code, message: worded(body.message) };
  const options = { details: [detail] };
  switch (code) {
    case 'ALREADY_EXISTS':
      return refusedByBackend('CONSTRAINT_VIOLATED', detail);
    case 'RESOURCE_EXHAUSTED':
      return new GatewayError(
        'SERVICE_UNAVAILABLE',
        'The database lacks the resources for the statement',
        options,
      );
    case 'DEADLINE_EXCEEDED':
    case 'CANCELED':
      // Vitess waits no longer; whether the server went on is not known.
      return new Lost('TIMED_OUT', 'The database cancelled the statement');
    case 'ABORTED':
      // Vitess undoes a transaction that took too long.
      return EXCEEDED.test(body.message)
        ? new GatewayError('TIMED_OUT', 'The database ended the transaction', options)
        : refusedByBackend('REQUEST_FAILED', detail);
    case 'UNAVAILABLE':
    case 'CLUSTER_EVENT':
    case 'INTERNAL':
      return new Lost('CONNECTION_FAILED', 'The database is not available');
    default:
      return refusedByBackend('REQUEST_FAILED', detail);
  }
}

/** Source: Vitess, `tx_pool`. */
const EXCEEDED = /\bended at .{1,80}\(exceeded timeout: /;

function fromStatus(error: UnknownError): GatewayError {
  const { status } = error;
  if (status === 429 || status === 503) {
    return new GatewayError('SERVICE_UNAVAILABLE', 'The database is too busy');
  }
  if (status === 404) {
    return new GatewayError('CONNECTION_FAILED', 'There is no such database');
  }
  // What passed the request on may have lost the reply alone.
  return new Lost('CONNECTION_FAILED', 'The database answered with a failure of its interface');
}

/** Without the place in Vitess and the caller's statement. */
function worded(message: string): string {
  return message
    .replace(/^target: [^:]+: /, '')
    .replace(/^vttablet: /, '')
    .replace(/^rpc error: code = \w+ desc = /, '')
    .replace(/ \(CallerID: [\s\S]*$/, '')
    .replace(/: Sql: "[\s\S]*$/, '');
}
