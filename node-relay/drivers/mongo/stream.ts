/** Documents as lines while they arrive. Contract §6, "Large results". */

import { AbstractCursor, type RunCommandCursor } from 'mongodb';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { badRequest } from '../../../proto/errors.ts';
import { isTailable } from './arguments.ts';
import type { Database, Execution } from './database.ts';
import { ofCursor, staysOpen } from './operations/command.ts';
import { later } from './progress.ts';
import { REPLY_MAX_BYTES } from './reply-fault.ts';
import { nextOf, readText } from './result.ts';
import { beginRequest } from './run.ts';

/** Characters of a piece; one document may be larger. Spec silent. */
const PIECE_LENGTH = 64 * 1024;

/**
 * Streams what a cursor finds. The first piece follows the server's first batch; the next batch
 * is asked for when the lines of the last are taken.
 * @throws GatewayError
 */
export async function* streamDocuments(
  database: Database,
  request: MongoRequest,
  call: Call,
): AsyncGenerator<Uint8Array> {
  const permit = await database.borrow(call.signal);
  try {
    const client = await database.client(call.signal);
    const session = database.startSession(client);
    try {
      yield* lines(database, database.execution(client, session, call), request);
    } finally {
      void session.endSession().catch(() => {});
    }
  } finally {
    database.giveBack(permit);
  }
}

async function* lines(
  database: Database,
  execution: Execution,
  request: MongoRequest,
): AsyncGenerator<Uint8Array> {
  const { session } = execution;
  // Of a stream only one reply at a time is bounded.
  const call = { ...execution.call, resultMaxBytes: REPLY_MAX_BYTES };
  const cursor = await database.attempt(session, call, () => cursorOf(execution, request));
  const isOpen = staysOpen(request);
  const next = () =>
    database.attempt(session, call, () =>
      ofCursor(execution, request, piece(cursor, execution, isOpen)),
    );
  try {
    const first = await next();
    yield new Uint8Array();
    for (let each = first; each !== undefined; each = await next()) yield each;
  } finally {
    // Bounded: a server that does not answer is not waited for.
    await Promise.race([cursor.close().catch(() => {}), later(CLOSE_MS)]);
  }
}

async function cursorOf(
  execution: Execution,
  request: MongoRequest,
): Promise<AbstractCursor<unknown>> {
  const asked = sized(request);
  const answer = await beginRequest(execution, asked);
  if (answer instanceof AbstractCursor) {
    if (asked.options?.batchSize !== undefined) return answer;
    // A command says by itself how many its first batch has.
    if (isOfCommand(answer)) answer.setBatchSize(BATCH);
    else answer.batchSize(BATCH);
    return answer;
  }
  const message = `Requests of type ${request.type} cannot be streamed`;
  throw badRequest('type', message, message);
}

/** A tailable cursor takes the size of its batches when it is made alone. */
function sized(request: MongoRequest): MongoRequest {
  return isTailable(request)
    ? { ...request, options: { batchSize: BATCH, ...request.options } }
    : request;
}

/** The driver's class is not told outside of it. */
function isOfCommand(cursor: AbstractCursor<unknown>): cursor is RunCommandCursor {
  return 'setBatchSize' in cursor;
}

/** What is there of a batch, up to a piece's length; undefined at the end. */
async function piece(
  cursor: AbstractCursor<unknown>,
  execution: Execution,
  isOpen: boolean,
): Promise<Buffer | undefined> {
  let document = await nextOf(cursor, isOpen);
  if (document === null) return undefined;
  for (let text = ''; ; document = await cursor.next()) {
    const read = readText(document, execution);
    text += `${typeof read === 'string' ? read : await read}\n`;
    if (text.length >= PIECE_LENGTH || cursor.bufferedCount() === 0) return Buffer.from(text);
  }
}

/** Documents that the server sends at once where the caller names no number: by itself it sends 16 MiB. Spec silent. */
const BATCH = 1_000;
const CLOSE_MS = 2_000;
