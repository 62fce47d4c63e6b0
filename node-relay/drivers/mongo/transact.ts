/** Several requests in one transaction. Contract §6, "Transactions"; source: MongoDB's specification of transactions. */
import { type ClientSession, MongoError, MongoErrorLabel, type TransactionOptions } from 'mongodb';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { Pointed, type ReadResult } from '../../../kinds/pointed.ts';
import {
  type PointTo,
  pointIn,
  ReferenceRoom,
  resolveReferences,
} from '../../../kinds/result-references.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest, type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { parseOrdered, parseOrderedInPieces } from '../../../proto/parse-ordered.ts';
import type { Database, Execution } from './database.ts';
import { fromFailure } from './errors.ts';
import { checkRequest, isTransactional, runRequest } from './run.ts';
import { isReference } from './to-bson.ts';

/** Runs all or none; the result is a JSON array. @throws GatewayError with `operation` in its details */
export async function runTransaction(
  database: Database,
  requests: readonly MongoRequest[],
  call: Call,
): Promise<Buffer> {
  for (const [index, request] of requests.entries())
    await atOperation(index, async () => admit(request, database.settings.database));
  return inTransaction(database, call, {}, (execution) => runAll(database, execution, requests));
}

/** Does work in a transaction of its own, again where the server says that it may help. */
export async function inTransaction<Value>(
  database: Database,
  call: Call,
  options: TransactionOptions,
  work: (execution: Execution) => Promise<Value>,
): Promise<Value> {
  const permit = await database.borrow(call.signal);
  let undone: Promise<unknown> = Promise.resolve();
  try {
    const client = await database.client(call.signal);
    const session = database.startSession(client);
    const execution = database.execution(client, session, call, 'transaction');
    const kept = untilKept({ database, session, call, options }, () => work(execution));
    const isLate = await kept.then(
      () => false,
      (cause: unknown) => isStopped(cause, call),
    );
    undone = abort(session).then(() => void session.endSession().catch(() => {}));
    if (!isLate) await undone;
    return await kept;
  } finally {
    void undone.then(() => database.giveBack(permit));
  }
}

/** Whether a deadline or the client's leaving has ended it: a server that lets it pass may not answer to its undoing either. */
function isStopped(cause: unknown, { signal }: Call): boolean {
  return signal.aborted || (cause instanceof GatewayError && cause.code === 'TIMED_OUT');
}

/** @throws GatewayError BAD_REQUEST for what cannot be one of a transaction's operations */
export function admit(request: MongoRequest, defaultDatabase: string): void {
  checkRequest(request, 'write', defaultDatabase);
  if (!isTransactional(request.type)) return;
  const message = 'The transaction begins and ends by itself; its operations may not';
  throw badRequest('type', message, message);
}

/** What a transaction is kept by. */
interface OpenTransaction {
  readonly database: Database;
  readonly session: ClientSession;
  readonly call: Call;
  readonly options: TransactionOptions;
}

/** Again from the beginning when the server says that it may help, until the deadline. */
async function untilKept<Value>(
  { database, session, call, options }: OpenTransaction,
  work: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    session.startTransaction(options);
    try {
      const result = await work();
      await commit(database, session, call);
      return result;
    } catch (cause) {
      if (isStopped(cause, call)) throw withoutLabel(cause, call);
      await abort(session);
      if (!isTransient(cause) || call.signal.aborted) throw withoutLabel(cause, call);
      await pause(tries, call.signal);
    }
  }
}

/** Runs operations one after another in a transaction that is open; the result is a JSON array. */
export async function runAll(
  database: Database,
  execution: Execution,
  requests: readonly MongoRequest[],
): Promise<Buffer> {
  const results: Buffer[] = [];
  let left = execution.call.resultMaxBytes - 2;
  const pointed = await Pointed.by(requests, execution.call.inTurn, ORDERED);
  const point = pointed.at(pointIn(() => undefined));
  for (const [index, request] of requests.entries()) {
    const call = { ...execution.call, resultMaxBytes: left };
    const startedAt = performance.now();
    const own: Execution = { ...execution, call, startedAt, substitute: references(point) };
    const result = await atOperation(index, () => attemptOperation(database, own, request));
    left -= result.length + 1;
    results.push(result);
    await pointed.take(index, () => result.toString());
  }
  const pieces = results.flatMap((result, index) => [Buffer.from(index > 0 ? ',' : ''), result]);
  return Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')]);
}

/** What waits for an operation until its signal aborts, or longer. */
type Waiting = (work: Promise<Buffer>, signal: AbortSignal) => Promise<Buffer>;

/**
 * Contract §1, "Deadline": each operation of a transaction has its own too.
 * @param waiting until the server has answered by default
 */
export async function attemptOperation(
  database: Database,
  execution: Execution,
  request: MongoRequest,
  waiting: Waiting = (work) => work,
): Promise<Buffer> {
  const { call, session } = execution;
  if (request.timeout_ms === undefined) {
    const work = database.attempt(session, call, () => runRequest(execution, request));
    return waiting(work, call.signal);
  }
  const controller = new AbortController();
  const reason = new GatewayError('TIMED_OUT', 'The deadline of the operation passed');
  const timer = setTimeout(() => controller.abort(reason), request.timeout_ms);
  const own = { ...call, signal: AbortSignal.any([call.signal, controller.signal]) };
  try {
    const work = database.attempt(session, own, () =>
      runRequest({ ...execution, call: own }, request),
    );
    return await waiting(work, own.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Commits, and asks again while the server does not know what became of it. @throws GatewayError OUTCOME_UNKNOWN */
export async function commit(
  database: Database,
  session: ClientSession,
  call: Call,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      // Until its answer it is unknown whether the changes are kept.
      return await database.attempt(session, call, () => session.commitTransaction(), 'uncertain');
    } catch (thrown) {
      if (isTransient(thrown) || !isUnknown(thrown)) throw thrown;
      if (call.signal.aborted || tries >= COMMITS_MAX) throw unknown(thrown);
      await pause(tries, call.signal).catch(() => {
        throw unknown(thrown);
      });
    }
  }
}

function unknown(cause: unknown): GatewayError {
  const message = 'It is not known whether the transaction was kept';
  return new GatewayError('OUTCOME_UNKNOWN', message, { cause });
}

/** Undoes what is open, and answers whether the server has; without its answer it does so by itself. */
export async function abort(session: ClientSession): Promise<boolean> {
  if (!session.inTransaction()) return true;
  return session.abortTransaction().then(
    () => true,
    () => false,
  );
}

const COMMITS_MAX = 10;
const PAUSE_MS = 5;
const PAUSE_MAX_MS = 500;

/** Longer each time, and by chance: those that got in each other's way do not meet again. */
async function pause(tries: number, signal: AbortSignal): Promise<void> {
  const ms = Math.random() * Math.min(PAUSE_MAX_MS, PAUSE_MS * 1.5 ** tries);
  await new Promise((resolve) => setTimeout(resolve, ms));
  signal.throwIfAborted();
}

function isTransient(thrown: unknown): boolean {
  return hasLabel(thrown, MongoErrorLabel.TransientTransactionError);
}

function isUnknown(thrown: unknown): boolean {
  return hasLabel(thrown, MongoErrorLabel.UnknownTransactionCommitResult);
}

/** Labels are on the driver's failure, below those that are told. */
function hasLabel(thrown: unknown, label: MongoErrorLabel): boolean {
  let cause = thrown;
  while (cause instanceof GatewayError) cause = cause.cause;
  return cause instanceof MongoError && cause.hasErrorLabel(label);
}

function withoutLabel(cause: unknown, { signal, resultMaxBytes: max }: Call): unknown {
  return cause instanceof GatewayError
    ? cause
    : fromFailure(cause, { uncertain: false, signal, max });
}

/** How results are read here. */
export const ORDERED: ReadResult = { whole: parseOrdered, inPieces: parseOrderedInPieces };

/** The values of `{"$result": "[0].inserted_id"}` in one operation; every other object stays. */
export function references(point: PointTo): (object: JsonObject) => Json | undefined {
  const room = new ReferenceRoom();
  return (object) =>
    isReference(object) ? resolveReferences(object, point, 'kept', room) : undefined;
}

/** Names the operation in the details of its failure. */
async function atOperation<Value>(operation: number, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const details: ErrorDetails[] =
      error.details.length === 0
        ? [{ operation }]
        : error.details.map((each) => ({ ...each, operation }));
    throw new GatewayError(error.code, error.message, { cause: error, details });
  }
}
