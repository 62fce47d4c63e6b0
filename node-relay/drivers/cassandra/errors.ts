/** Maps what Cassandra answers to the gateway's failures. Source: CQL binary protocol v4, section 9. */

import cassandra from 'cassandra-driver';
import {
  type BackendDetail,
  type ErrorCode,
  GatewayError,
  outcomeUnknown,
  refusedByBackend,
} from '../../../proto/errors.ts';
import { truncatedWithout } from '../../../proto/truncate.ts';
import { resultTooLarge } from '../byte-text.ts';
import { ReplyFault, ReplyTooLarge } from './bytes.ts';

const { ResponseError, AuthenticationError } = cassandra.errors;

const BAD_CREDENTIALS = 0x0100;
/** The server has forgotten a statement's id; nothing was run. */
const UNPREPARED = 0x2500;
/** Some replicas may have done it: unavailable ones among those that were asked, or an agreement left open. */
const UNCERTAIN = new Set([0x1003, 0x1100, 0x1500, 0x1700]);
const BUSY = new Set([0x1000, 0x1001, 0x1002]);
const READ_TIMEOUT = 0x1200;

/** Whether the server asks for the statement's text again. */
export function isUnprepared(cause: unknown): boolean {
  return cause instanceof ResponseError && cause.code === UNPREPARED;
}

/** Whether the answer itself is at fault. */
export function isFaulty(cause: unknown): boolean {
  return cause instanceof ReplyFault || cause instanceof ReplyTooLarge;
}

/** Whether the server told it, so that its end is known. */
export function isTold(cause: unknown): boolean {
  return cause instanceof ResponseError;
}

/** What a caller is told when a connection cannot be made. */
export function enteringFailure(cause: unknown): GatewayError {
  const isLogin =
    cause instanceof AuthenticationError ||
    (cause instanceof ResponseError && cause.code === BAD_CREDENTIALS);
  if (isLogin) return connection('Password authentication failed', cause);
  if (cause instanceof ResponseError) {
    const isKeyspace = /^Keyspace '.*' does not exist$/i.test(cause.message);
    return connection(
      isKeyspace ? 'The keyspace does not exist' : 'The server refused the connection',
      cause,
    );
  }
  return connection(
    'The server cannot be reached, or does not speak CQL as Cassandra 2.2 does',
    cause,
  );
}

const ADDRESSES = [
  /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s'")]+/gi,
  /(?<![\w.-])[\w.-]*\/\[?[0-9a-f:.]{0,45}[:.][0-9a-f:.]{0,45}\]?(?::\d{1,5})?(?=[\s,;)\]]|$)/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
];

/** A text of the server's without addresses. */
export function withoutAddresses(text: string): string {
  return truncatedWithout(text, (whole) =>
    ADDRESSES.reduce((shown, address) => shown.replace(address, 'address'), whole),
  );
}

/** As the protocol's description writes it: `0x2200`. Spec silent on the form. */
function codeText(code: number): string {
  return `0x${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What happened where a call met a failure. */
interface Circumstances {
  /** A change was sent, and its end is not known. */
  readonly uncertain: boolean;
  readonly signal: AbortSignal;
  /** Bytes that the call may answer; `page` where its rows leave as they come. */
  readonly max: number | 'page';
}

/** The error that a caller gets for any failure of a call. Contract §2: lost, timed out or outcome unknown. */
export function fromFailure(cause: unknown, { uncertain, signal, max }: Circumstances): unknown {
  if (cause instanceof GatewayError) return cause;
  if (cause instanceof ResponseError) return fromServer(cause.code, cause.message, cause);
  if (uncertain) return outcomeUnknown(cause, signal.aborted);
  if (signal.aborted) return signal.reason;
  if (cause instanceof ReplyTooLarge)
    return max === 'page' ? rowTooLarge(cause) : resultTooLarge(max);
  if (cause instanceof ReplyFault)
    return connection('The answer of the database cannot be read', cause);
  return connection('The connection to the database was lost', cause);
}

function fromServer(code: number, text: string, cause: unknown): GatewayError {
  const message = withoutAddresses(text);
  const detail: BackendDetail = { source: 'cassandra', code: codeText(code), message };
  const named = inOurWords(code);
  return named === undefined
    ? refusedByBackend('REQUEST_FAILED', detail, { cause })
    : new GatewayError(...named, { cause, details: [detail] });
}

/** Where the statement itself is not at fault: what happened. */
function inOurWords(code: number): readonly [ErrorCode, string] | undefined {
  if (UNCERTAIN.has(code)) {
    return ['OUTCOME_UNKNOWN', 'Too few replicas confirmed the write; some may have it'];
  }
  if (BUSY.has(code)) {
    return [
      'SERVICE_UNAVAILABLE',
      'The database has too few replicas or resources for the statement',
    ];
  }
  if (code === READ_TIMEOUT) return ['TIMED_OUT', 'Too few replicas answered in time'];
  if (code === BAD_CREDENTIALS) return ['CONNECTION_FAILED', 'Password authentication failed'];
  return undefined;
}

function connection(message: string, cause: unknown): GatewayError {
  return new GatewayError('CONNECTION_FAILED', message, { cause });
}

/** Of a stream; every other bound of it is the reader's. Contract §6, "Large results". */
function rowTooLarge({ column }: ReplyTooLarge): GatewayError {
  const message =
    column === undefined
      ? 'Rows are larger than can be streamed: a field may have 64 MiB'
      : `The field ${column.slice(0, 256)} of a row is larger than 64 MiB`;
  return new GatewayError('RESULT_TOO_LARGE', message);
}

/** Failures of an operation of several say which it is, from 0. */
export function at<Value>(operation: number, run: () => Value): Value {
  try {
    return run();
  } catch (cause) {
    throw ofOperation(cause, operation);
  }
}

/** The failure of an operation, from the server or found here, with its index. */
export function ofOperation(cause: unknown, operation: number): unknown {
  const failure =
    cause instanceof ResponseError ? fromServer(cause.code, cause.message, cause) : cause;
  if (!(failure instanceof GatewayError)) return cause;
  const { code, message, details } = failure;
  return new GatewayError(code, message, {
    cause,
    details:
      details.length === 0 ? [{ operation }] : details.map((each) => ({ ...each, operation })),
  });
}
