/** What changes in a collection, a database or the whole deployment, as events to resume from. Contract §6, "Subscriptions". */

import type { ChangeStream, Document } from 'mongodb';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { isWatch } from '../../../kinds/mongo/watch.ts';
import type { Call, WatchEvent } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import { collectionOf, databaseOf, documentsIn, optionsIn } from './arguments.ts';
import type { Database, Execution } from './database.ts';
import { fromFailure } from './errors.ts';
import { valueText } from './from-bson.ts';
import { checkRead } from './guard.ts';
import { asFault } from './guarded-connection.ts';
import { nextIn } from './next-event.ts';
import { later } from './progress.ts';
import { resumeTokenOf, resumeTokenText } from './resume-token.ts';
import { toBson } from './to-bson.ts';

/** Milliseconds that the server waits for something to happen before it says that nothing did. */
const AWAIT_MS = 1_000;
const CLOSE_MS = 2_000;

/** What a change stream takes. Source: MongoDB manual, "Modify Change Stream Output". */
const STAGES = new Set([
  ...['$match', '$project', '$addFields', '$set', '$unset', '$replaceRoot', '$replaceWith'],
  ...['$redact', '$changeStreamSplitLargeEvent'],
]);

/** Refuses a watch in a form that cannot be watched. */
export async function refuseUnwatched(): Promise<never> {
  const message = 'Changes are told as they happen: ask with Accept: text/event-stream';
  throw badRequest('type', message, message);
}

/**
 * Events until the caller leaves, or the server closes what it has no more to tell of. The stream goes on by itself when a connection is lost.
 * @throws GatewayError POOL_EXHAUSTED when as many are open as is allowed
 */
export async function* follow(
  database: Database,
  request: MongoRequest,
  call: Call,
  resumeAfter: string | undefined,
): AsyncGenerator<WatchEvent> {
  checkPipeline(request);
  const end = database.hold();
  try {
    const permit = await database.borrow(call.signal);
    try {
      yield* events(database, request, call, resumeAfter);
    } finally {
      database.giveBack(permit);
    }
  } finally {
    end();
  }
}

async function* events(
  database: Database,
  request: MongoRequest,
  call: Call,
  resumeAfter: string | undefined,
): AsyncGenerator<WatchEvent> {
  const client = await database.client(call.signal);
  const session = database.startSession(client);
  const execution = database.execution(client, session, call);
  const stream = await database.attempt(session, call, async () =>
    streamOf(execution, request, resumeAfter),
  );
  const accepted = new Promise((resolve) => stream.once('resumeTokenChanged', resolve));
  try {
    // Its first answer comes at once; what it waits for afterwards is what happens.
    let next = nextIn(database, execution, stream);
    let isTold = false;
    const first = next.then((event) => {
      isTold = Boolean(event);
    });
    await Promise.race([first, accepted]);
    // The place is another once an event was taken, which a caller that came back would miss.
    await new Promise(setImmediate);
    yield { ...(isTold ? {} : idOf(stream.resumeToken)), data: new Uint8Array() };
    while (true) {
      const event = await next;
      // It is closed without `invalidate` where the pipeline hides that.
      if (event === undefined) return;
      if (event !== null) {
        yield { ...idOf(event._id), data: eventText(event, execution) };
        if (event.operationType === 'invalidate') return;
      }
      next = nextIn(database, execution, stream);
    }
  } finally {
    // Bounded: a server that does not answer is not waited for.
    await Promise.race([stream.close().catch(() => {}), later(CLOSE_MS)]);
    void session.endSession().catch(() => {});
  }
}

/** @throws GatewayError CONNECTION_FAILED for an event that cannot be written */
function eventText(event: Document, { form, call }: Execution): Buffer {
  try {
    return Buffer.from(valueText(event, form));
  } catch (thrown) {
    const { signal, resultMaxBytes: max } = call;
    const cause = thrown instanceof GatewayError ? thrown : asFault(thrown);
    throw fromFailure(cause, { uncertain: false, signal, max });
  }
}

function streamOf(
  execution: Execution,
  request: MongoRequest,
  resumeAfter: string | undefined,
): ChangeStream {
  const pipeline = documentsIn(execution, request.pipeline, 'pipeline');
  const options = { ...optionsFor(execution, request, resumeAfter), maxAwaitTimeMS: AWAIT_MS };
  if (request.type === 'watch') return collectionOf(execution, request).watch(pipeline, options);
  if (request.type === 'database.watch')
    return databaseOf(execution, request).watch(pipeline, options);
  return execution.client.watch(pipeline, options);
}

function optionsFor(
  execution: Execution,
  request: MongoRequest,
  resumeAfter: string | undefined,
): Document {
  const options = optionsIn(execution, request, false);
  for (const name of ['resumeAfter', 'startAfter', 'startAtOperationTime']) {
    const value = request.options?.[name];
    if (value === undefined) continue;
    delete options[name];
    // The id of an event is where it goes on from, whatever the request began with.
    if (resumeAfter === undefined) options[name] = placeIn(value, `options.${name}`);
  }
  if (resumeAfter !== undefined) options.resumeAfter = resumeTokenOf(resumeAfter, 'Last-Event-ID');
  return options;
}

function placeIn(value: Json, path: string): unknown {
  return typeof value === 'string' ? resumeTokenOf(value, path) : toBson(value, path);
}

/** @throws GatewayError BAD_REQUEST for a pipeline that a change stream cannot have, or that writes */
function checkPipeline({ type, pipeline = [] }: MongoRequest): void {
  if (!isWatch(type)) {
    const message = `Requests of type ${type} are not subscriptions`;
    throw badRequest('type', message, message);
  }
  for (const [index, stage] of pipeline.entries()) {
    const [name = '', ...others] = isJsonObject(stage) ? Object.keys(stage) : [];
    if (!STAGES.has(name) || others.length > 0) {
      throw badRequest(`pipeline.${index}`, `must be one of the stages ${[...STAGES].join(', ')}`);
    }
  }
  checkRead(pipeline, 'pipeline');
}

function idOf(token: unknown): { id?: string } {
  const id = resumeTokenText(token);
  return id === undefined ? {} : { id };
}
