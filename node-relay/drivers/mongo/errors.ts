/** Maps what MongoDB and its driver answer to the gateway's failures. Source: MongoDB manual, "Error Codes". */
import {
  BSON,
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoParseError,
  MongoServerError,
  MongoServerSelectionError,
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
} from 'mongodb';
import {
  type ErrorDetails,
  GatewayError,
  outcomeUnknown,
  refusedByBackend,
} from '../../../proto/errors.ts';
import { truncatedWithout } from '../../../proto/truncate.ts';
import { REPLY_MAX_BYTES, ReplyFault, ReplyTooLarge } from './reply-fault.ts';

/** Duplicate key, document validation, and their older numbers. */
const CONSTRAINTS = new Set([11000, 11001, 12582, 121]);
/** The time given with `maxTimeMS`, and interruptions that we asked for. */
const STOPPED = new Set([50, 262, 11600, 11601, 11602, 290]);
/** Authentication; a login that is refused. */
const LOGIN = new Set([18, 8000]);
const BUSY = new Set([46, 189, 10107, 13435, 91]);

type BackendDetail = Extract<ErrorDetails, { source: string }>;

/** The state in which a failure left a call. */
interface Circumstances {
  /** A change was sent, and whether it was kept is not known. */
  readonly uncertain: boolean;
  readonly signal: AbortSignal;
  /** Bytes that the call may answer. */
  readonly max: number;
}

/** The error that a caller gets for any failure of a call. Contract §2. */
export function fromFailure(cause: unknown, { uncertain, signal, max }: Circumstances): unknown {
  // The reason why a call ended does not say what it left behind.
  if (cause instanceof GatewayError && !(uncertain && cause === signal.reason)) return cause;
  if (isAnswer(cause) && !(signal.aborted && STOPPED.has(codeOf(cause)))) {
    return fromServer(cause, uncertain);
  }
  if (uncertain && (signal.aborted || cause instanceof MongoNetworkError || isUnreadable(cause))) {
    return outcomeUnknown(cause, signal.aborted);
  }
  if (signal.aborted) return signal.reason;
  if (cause instanceof ReplyTooLarge) return tooLarge(max, cause);
  return refusalWithin(cause) ?? fromDriver(cause);
}

/** Whether a reply does not belong to the request. */
function isUnreadable(cause: unknown): boolean {
  return (
    cause instanceof ReplyFault ||
    cause instanceof MongoUnexpectedServerResponseError ||
    cause instanceof MongoParseError
  );
}

function unreadable(cause: unknown): GatewayError {
  return new GatewayError('CONNECTION_FAILED', 'The answer of the database cannot be read', {
    cause,
  });
}

function tooLarge(max: number, cause: unknown): GatewayError {
  const message =
    max < REPLY_MAX_BYTES
      ? `The result is larger than ${max} bytes; read it as application/x-ndjson, or in parts`
      : 'A reply of the database is larger than a document can be, which is 16 MiB';
  return new GatewayError('RESULT_TOO_LARGE', message, { cause });
}

/** What the driver reports by itself; its refusals have no number of the server's. */
function fromDriver(cause: unknown): unknown {
  if (isUnreadable(cause)) return unreadable(cause);
  if (cause instanceof MongoServerSelectionError || cause instanceof MongoNetworkError) {
    return new GatewayError('CONNECTION_FAILED', 'The connection to the database was lost', {
      cause,
    });
  }
  if (!(cause instanceof MongoError || cause instanceof BSON.BSONError)) return cause;
  const code = cause instanceof MongoInvalidArgumentError ? 'InvalidArgument' : cause.name;
  const message = withoutAddresses(cause.message);
  return refusedByBackend('REQUEST_FAILED', { source: 'mongo', code, message }, { cause });
}

/** Whether the server answered: what it says is known to have happened. */
function isAnswer(cause: unknown): cause is MongoServerError {
  return cause instanceof MongoServerError;
}

function fromServer(cause: MongoServerError, uncertain: boolean): GatewayError {
  const code = codeOf(cause);
  const detail = detailOf(cause);
  const options = { cause, details: [detail] };
  if (LOGIN.has(code))
    return new GatewayError('CONNECTION_FAILED', 'Authentication failed', { cause });
  if (CONSTRAINTS.has(code)) return refusedByBackend('CONSTRAINT_VIOLATED', detail, { cause });
  if (cause instanceof MongoWriteConcernError) {
    const details = [{ ...detail, applied: true as const }];
    return new GatewayError(
      'OUTCOME_UNKNOWN',
      'The write was made, but not confirmed as asked for',
      {
        cause,
        details,
      },
    );
  }
  if (STOPPED.has(code)) {
    return uncertain
      ? new GatewayError('OUTCOME_UNKNOWN', 'The database stopped the write on its way', options)
      : new GatewayError('TIMED_OUT', 'The database stopped the request', options);
  }
  if (BUSY.has(code)) {
    return new GatewayError(
      'SERVICE_UNAVAILABLE',
      'The database cannot take the request now',
      options,
    );
  }
  return refusedByBackend('REQUEST_FAILED', detail, { cause });
}

function detailOf(cause: MongoServerError): BackendDetail {
  const name = typeof cause.codeName === 'string' ? `${cause.codeName}: ` : '';
  return {
    source: 'mongo',
    code: String(codeOf(cause)),
    message: name + withoutAddresses(String(firstWithin(cause)?.message ?? cause.message)),
    // What came before the failure is kept; a transaction undoes it.
    ...(hasEffect(cause) ? { applied: true } : {}),
  };
}

function hasEffect(cause: MongoServerError): boolean {
  const partial =
    cause instanceof MongoClientBulkWriteError
      ? cause.partialResult
      : cause instanceof MongoBulkWriteError && cause;
  if (!partial) return false;
  const { insertedCount, modifiedCount, deletedCount, upsertedCount } = partial;
  return [insertedCount, modifiedCount, deletedCount, upsertedCount].some((count) => count > 0);
}

/** Several writes to any collections have no code of their own: the first failure's is told. */
function codeOf(cause: MongoServerError): number {
  return Number(cause.code ?? firstWithin(cause)?.code ?? 0);
}

function firstWithin(cause: MongoServerError): { code?: unknown; message?: unknown } | undefined {
  if (!(cause instanceof MongoClientBulkWriteError)) return undefined;
  const [first = cause.writeConcernErrors[0]] = cause.writeErrors.values();
  if (first !== undefined) return first;
  return cause.cause instanceof MongoServerError ? cause.cause : undefined;
}

const ADDRESS =
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\[[0-9a-f:]+\](?::\d+)?|(?<![\w.-])[\w-]+(?:\.[\w-]+)*:\d{4,5}\b/gi;

/** Contract §1: a backend's own message, without addresses. */
function withoutAddresses(message: string): string {
  return truncatedWithout(message, (text) => text.replace(ADDRESS, '(address)'));
}

/** The relay's own refusal below a failure of the driver's: of an address, or of a socket. */
function refusalWithin(cause: unknown): GatewayError | undefined {
  const left: unknown[] = [cause];
  for (let looked = 0; looked < 20; looked += 1) {
    const each = left.shift();
    if (each === undefined) return undefined;
    if (each instanceof GatewayError) return each;
    if (each instanceof MongoServerError && LOGIN.has(codeOf(each))) {
      return new GatewayError('CONNECTION_FAILED', 'Authentication failed', { cause });
    }
    if (each instanceof Error) left.push(each.cause);
    if (each instanceof MongoServerSelectionError) left.push(each.reason?.error);
    for (const server of serversOf(each)) left.push(server);
  }
  return undefined;
}

function serversOf(each: unknown): unknown[] {
  if (!(each instanceof MongoServerSelectionError)) return [];
  return [...(each.reason?.servers.values() ?? [])].map((server) => server.error);
}

/** The failure of a connection that was not made, without the driver's words: they hold addresses. */
export function connectFailure(cause: unknown): GatewayError {
  const inner = refusalWithin(cause);
  if (inner !== undefined) return inner;
  const isTls = /certificate|TLS|SSL|altname/i.test(messagesOf(cause));
  const words = isTls
    ? 'TLS failed: the certificate or protocol is not accepted'
    : 'The server cannot be reached';
  return new GatewayError('CONNECTION_FAILED', words, { cause });
}

function messagesOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const servers = serversOf(cause).map(messagesOf).join(' ');
  return `${cause.message} ${servers} ${messagesOf(cause.cause)}`;
}
