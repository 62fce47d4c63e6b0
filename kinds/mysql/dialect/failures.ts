/** Maps errors of MySQL and MariaDB to the gateway's. Source: MySQL Error Message Reference; MariaDB Error Codes. */
import type { Mode } from '../../../proto/driver.ts';
import { type BackendDetail, GatewayError, refusedByBackend } from '../../../proto/errors.ts';
import { truncatedWithout } from '../../../proto/truncate.ts';
import { hideAddresses } from '../../addresses.ts';

/** What the server answered instead of a result. */
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
const CONSTRAINTS = new Set([
  1022, 1048, 1062, 1169, 1216, 1217, 1364, 1451, 1452, 1557, 1586, 1761, 1762, 3819, 4025,
]);
const LACKS = new Set([1021, 1037, 1038, 1040, 1041, 1114, 1135, 1203, 1226, 1461]);
const READ_ONLY = new Set([1792]);

/** Whether the statement was stopped before its end. */
export function isStopped(error: unknown): boolean {
  return error instanceof ServerError && STOPPED.has(error.errno);
}

/** The failure of a statement that the server answered with an error. Contract §2. */
export function fromServer(error: ServerError, mode: Mode): GatewayError {
  const { errno, sqlState } = error;
  const detail = detailOf(error);
  const options = { cause: error, details: [detail] };
  if (READ_ONLY.has(errno) && mode === 'read') {
    return new GatewayError('BAD_REQUEST', 'The statement writes; send it to /write', options);
  }
  if (STOPPED.has(errno)) {
    return new GatewayError('TIMED_OUT', 'The database cancelled the statement', options);
  }
  if (LACKS.has(errno)) {
    const message = 'The database lacks the resources for the statement';
    return new GatewayError('SERVICE_UNAVAILABLE', message, options);
  }
  // SIGNAL SQLSTATE '23…' of a trigger too.
  const isConstraint = CONSTRAINTS.has(errno) || sqlState.startsWith('23');
  const code = isConstraint ? 'CONSTRAINT_VIOLATED' : 'REQUEST_FAILED';
  return refusedByBackend(code, detail, { cause: error });
}

/** `'user'@'host'` in refusals names where the relay is seen from. Bounded, so that no run of quotes is read again from each of them. */
const USER_AT = /'((?:[^'\\]|''){0,200})'@'[^']{0,255}'/g;

function detailOf({ errno, message }: ServerError): BackendDetail {
  return {
    source: 'mysql',
    code: String(errno),
    message: truncatedWithout(message, (text) => hideAddresses(text.replace(USER_AT, "'$1'"))),
  };
}
