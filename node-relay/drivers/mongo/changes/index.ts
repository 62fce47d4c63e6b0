/** Changes of a MongoDB database, by one change stream for each endpoint. Spec: workflows.md §5, `dataChange`. */

import { type ChangeStream, type Document, MongoServerError } from 'mongodb';
import { notAllowed } from '../../../../kinds/allow.ts';
import type { AllowGuard } from '../../../../kinds/mongo/allow-guard.ts';
import type {
  ChangeBatch,
  Changes,
  ChangesLag,
  ChangesRequest,
  PreparedChanges,
} from '../../../../proto/changes.ts';
import type { Call } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import { BatchInMaking } from '../../change-batch.ts';
import type { Database, Execution } from '../database.ts';
import { nextIn } from '../next-event.ts';
import { later } from '../progress.ts';
import { resumeTokenOf, resumeTokenText } from '../resume-token.ts';
import { Fragments, toldOf } from './events.ts';
import { openChanges } from './open.ts';
import { prepare } from './prepare.ts';

const CLOSE_MS = 2_000;
/** What is asked for lies before all that the server still has, or is of another stream. */
const GONE = new Set([136, 260, 280, 286]);

/** The driver's ability to tell changes. The server keeps nothing for an endpoint: its oplog is there anyway. */
export class MongoChanges implements Changes {
  readonly #database: Database;
  readonly #reading = new Set<string>();

  readonly #allowGuard: AllowGuard | undefined;

  constructor(database: Database, allowGuard?: AllowGuard) {
    this.#database = database;
    this.#allowGuard = allowGuard;
  }

  async prepareChanges(request: ChangesRequest, call: Call): Promise<PreparedChanges> {
    for (const [at, { name }] of request.collections.entries()) {
      if (!this.#opens(name)) throw notAllowed('Collection', name, `collections[${at}]`);
    }
    const reading: Call = { ...call, mode: 'read' };
    return this.#database.call(reading, (execution) => prepare(execution, request));
  }

  async *changes(
    request: ChangesRequest,
    position: string | undefined,
    call: Call,
  ): AsyncGenerator<ChangeBatch> {
    const after = position === undefined ? undefined : resumeTokenOf(position, 'position');
    // Nothing is written, so that nothing is uncertain when it ends.
    const reading: Call = { ...call, mode: 'read' };
    const end = this.#database.hold();
    try {
      const permit = await this.#database.borrow(call.signal);
      this.#reading.add(request.slot);
      try {
        // Those that were closed since tell nothing.
        const collections = request.collections.filter(({ name }) => this.#opens(name));
        yield* this.#batches({ ...request, collections }, after, reading);
      } catch (error) {
        throw isGone(error) ? gone(error) : error;
      } finally {
        this.#reading.delete(request.slot);
        this.#database.giveBack(permit);
      }
    } finally {
      end();
    }
  }

  #opens(name: string): boolean {
    return this.#allowGuard === undefined || this.#allowGuard.watches(name);
  }

  /** Nothing is kept that could be forgotten. */
  acknowledgeChanges(slot: string): boolean {
    return this.#reading.has(slot);
  }

  async dropChanges(): Promise<boolean> {
    return false;
  }

  /** What is lost shows when a stream is asked to go on. */
  async changesLag(): Promise<ChangesLag> {
    return { bytes: 0, whole: true };
  }

  async *#batches(
    request: ChangesRequest,
    after: Document | undefined,
    call: Call,
  ): AsyncGenerator<ChangeBatch> {
    let place = after;
    for (;;) {
      const client = await this.#database.client(call.signal);
      const session = this.#database.startSession(client);
      const execution = this.#database.execution(client, session, call);
      execution.takeLarge();
      try {
        const asked = place;
        const stream = await this.#database.attempt(session, call, () =>
          openChanges(execution, request, asked),
        );
        try {
          yield* this.#follow(execution, stream, request, resumeTokenText(asked) ?? '');
        } finally {
          // Bounded: a server that does not answer is not waited for.
          await Promise.race([stream.close().catch(() => {}), later(CLOSE_MS)]);
        }
        // The database was removed, or the server closed it: the one that comes after it begins there.
        place = (stream.resumeToken as Document | undefined) ?? place;
      } finally {
        void session.endSession().catch(() => {});
      }
    }
  }

  /** Until the stream is over, or the caller leaves. */
  async *#follow(
    execution: Execution,
    stream: ChangeStream,
    request: ChangesRequest,
    from: string,
  ): AsyncGenerator<ChangeBatch> {
    const accepted = new Promise((resolve) => stream.once('resumeTokenChanged', resolve));
    const progress = new Progress(request, execution, from);
    // Its first answer comes at once; what it waits for afterwards is what happens.
    let next = nextIn(this.#database, execution, stream);
    await Promise.race([next, accepted]);
    if (!(await isThere(next))) progress.move(stream);
    yield progress.batch();
    for (;;) {
      const event = await next;
      if (event === undefined) return yield progress.batch();
      if (event?.operationType === 'update') await this.#complete(event, execution);
      progress.take(event, stream);
      if (event?.operationType === 'invalidate') return yield progress.batch();
      next = nextIn(this.#database, execution, stream);
      if (!(await progress.isDue(event, next))) continue;
      yield progress.batch();
    }
  }

  /** Adds what a document is now, where the server did not keep what it was after the change. */
  async #complete(event: Document, { client, session, settings, call }: Execution): Promise<void> {
    if (event.fullDocument || event.splitEvent) return;
    const { _id } = event.documentKey ?? {};
    const collection = client.db(settings.database).collection(String(event.ns?.coll));
    const find = () => collection.findOne({ _id }, { session });
    event.fullDocument = await this.#database.attempt(session, call, find);
  }
}

/** One batch after another in the making. */
class Progress {
  readonly #request: ChangesRequest;
  readonly #execution: Execution;
  readonly #fragments = new Fragments();
  readonly #batch = new BatchInMaking();
  #place: string;

  constructor(request: ChangesRequest, execution: Execution, from: string) {
    this.#request = request;
    this.#execution = execution;
    this.#place = from;
  }

  /** To where the stream is, unless it has gone on to what was not taken. */
  move({ resumeToken }: ChangeStream): void {
    this.#place = resumeTokenText(resumeToken) ?? this.#place;
  }

  take(event: Document | null, stream: ChangeStream): void {
    const whole = event === null ? undefined : this.#fragments.take(event);
    // Between the parts of an event there is no place to go on from.
    if (event === null || whole !== undefined) this.move(stream);
    if (whole === undefined) return;
    const { collections } = this.#request;
    const { change, faults, bytes } = toldOf(whole, collections, this.#execution.form);
    if (change) this.#batch.add(change, bytes);
    this.#batch.fault(...faults);
  }

  /** Whether the batch is to go: it is full, or nothing more is there, or all has been quiet for long. */
  async isDue(event: Document | null, next: Promise<unknown>): Promise<boolean> {
    if (this.#batch.isEmpty) return event === null && this.#batch.isQuiet;
    if (this.#batch.isFull) return true;
    return !(await isThere(next));
  }

  batch(): ChangeBatch {
    return this.#batch.take(this.#place);
  }
}

/** Whether what was asked for has come already: nothing more is waited for then. */
async function isThere(next: Promise<unknown>): Promise<boolean> {
  const turn = new Promise<false>((resolve) => setImmediate(resolve, false));
  return Promise.race([
    next.then(
      (event) => Boolean(event),
      () => true,
    ),
    turn,
  ]);
}

function isGone(error: unknown): boolean {
  const cause = error instanceof GatewayError ? error.cause : error;
  return cause instanceof MongoServerError && GONE.has(Number(cause.code));
}

function gone(cause: unknown): GatewayError {
  const message =
    'The server no longer has the changes that were not told: its oplog is too small for the time that nobody read it (storage.oplogMinRetentionHours, replSetResizeOplog)';
  return new GatewayError('NOT_FOUND', message, { cause });
}
