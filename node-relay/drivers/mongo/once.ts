/** A write and its mark in one transaction. Spec: transactions.md §7. */
import { Binary, type ClientSession, type Collection, type MongoClient, MongoError } from 'mongodb';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { atOperation } from '../../../kinds/transaction.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import {
  type KeepsOnce,
  ONCE_KEPT_MS,
  type OnceAnswer,
  type OnceMark,
  type OnceWork,
} from '../../../proto/once.ts';
import { answerOfKept, type Kept, keptReply } from '../kept-reply.ts';
import { Contended, commitsByItself, lacksPlace, untilKnown } from '../once.ts';
import type { Database, Execution } from './database.ts';
import { isRead, runRequest } from './run.ts';
import { admitTo } from './share.ts';
import { attemptOperation, inTransaction, runAll } from './transact.ts';

/** Codes of the server. Source: MongoDB manual, "Error Codes". */
const DUPLICATE = 11000;
const NO_REPLICA_SET = 20;
const NOT_IN_TRANSACTION = 263;
const REFUSED = new Set([13, 8000]);

/** A failover undoes neither a mark nor its effect. */
const LASTING = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority' },
  readPreference: 'primary',
} as const;

/** A mark as it is kept; an index removes it. */
interface MarkDocument {
  readonly _id: string;
  readonly body: string;
  readonly made_at: Date;
  readonly reply?: Binary;
}

/** The mark is there already. */
class Marked extends GatewayError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The mark is there already');
  }
}

/** Writes of one pool that leave marks. */
export class MongoOnce implements KeepsOnce<MongoRequest> {
  readonly #database: Database;
  /** The collection that was seen last: an endpoint has one. */
  #seen = '';

  constructor(database: Database) {
    this.#database = database;
  }

  async once(work: OnceWork<MongoRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    const database = this.#database;
    // What changes nothing has nothing to be kept with.
    if ('request' in work && isRead(work.request, call.mode)) {
      const { request } = work;
      const result = await database.call(call, (execution) => runRequest(execution, request));
      return { result, isReplay: false };
    }
    await this.#admit(work);
    return untilKnown(call, async () => {
      await this.#open(mark.place, call);
      try {
        return await this.#perform(work, mark, call);
      } catch (error) {
        if (error instanceof Marked) return answerOfKept(await this.#kept(mark, call), mark);
        throw told(error);
      }
    });
  }

  async #admit(work: OnceWork<MongoRequest>): Promise<void> {
    const { database } = this.#database.settings;
    if ('request' in work) return admitTo(work.request, 'write', database);
    for (const [index, request] of work.operations.entries()) {
      await atOperation(index, async () => admitTo(request, 'write', database));
    }
  }

  #perform(work: OnceWork<MongoRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    const database = this.#database;
    const { key, body, place } = mark;
    return inTransaction(database, call, LASTING, async (execution) => {
      const { client, session } = execution;
      const marks = this.#marks(client, place);
      const document = { _id: key, body, made_at: new Date() };
      await database
        .attempt(session, call, () => marks.insertOne(document, { session }))
        .catch((error: unknown) => {
          throw codeOf(error) === DUPLICATE ? new Marked() : error;
        });
      const result = await resultOf(database, execution, work);
      const reply = keptReply(result, mark);
      if (reply !== null) await this.#answer(marks, { key, reply }, session, call);
      return { result, isReplay: false };
    });
  }

  async #answer(
    marks: Collection<MarkDocument>,
    { key, reply }: { readonly key: string; readonly reply: Uint8Array },
    session: ClientSession,
    call: Call,
  ): Promise<void> {
    const change = { $set: { reply: new Binary(reply) } };
    await this.#database.attempt(session, call, () =>
      marks.updateOne({ _id: key }, change, { session }),
    );
  }

  /** @throws Contended where it is gone, or was too old */
  #kept({ key, place }: OnceMark, call: Call): Promise<Kept> {
    return this.#database.call({ ...call, mode: 'read' }, async ({ client, session }) => {
      const marks = this.#marks(client, place);
      const { readPreference } = LASTING;
      const options = { session, readPreference, readConcern: { level: 'majority' } } as const;
      const found = await marks.findOne({ _id: key }, options);
      if (found === null) throw new Contended();
      const oldest = new Date(Date.now() - ONCE_KEPT_MS);
      if (found.made_at < oldest) {
        await marks.deleteOne({ _id: key, made_at: { $lt: oldest } }, { session });
        throw new Contended();
      }
      return { body: found.body, reply: found.reply ? found.reply.value() : null };
    });
  }

  /** Makes the collection with the index that removes old marks. @throws GatewayError BAD_REQUEST with what makes it */
  async #open(place: string, call: Call): Promise<void> {
    if (this.#seen === place) return;
    const seconds = ONCE_KEPT_MS / 1000;
    await this.#database
      .call(call, ({ client, session }) =>
        this.#marks(client, place).createIndex(
          { made_at: 1 },
          { expireAfterSeconds: seconds, session },
        ),
      )
      .catch((cause: unknown) => {
        if (!REFUSED.has(codeOf(cause))) throw cause;
        const make = `db.getCollection(${JSON.stringify(place)}).createIndex({made_at: 1}, {expireAfterSeconds: ${seconds}})`;
        throw lacksPlace(`collection ${place}`, 'the user may not make it', make);
      });
    this.#seen = place;
  }

  #marks(client: MongoClient, place: string): Collection<MarkDocument> {
    return client.db(this.#database.settings.database).collection<MarkDocument>(place);
  }
}

function resultOf(
  database: Database,
  execution: Execution,
  work: OnceWork<MongoRequest>,
): Promise<Buffer> {
  if ('operations' in work) return runAll(database, execution, work.operations);
  return attemptOperation(database, execution, work.request);
}

/** What the server lacks, or cannot do in a transaction. */
function told(error: unknown): unknown {
  const code = codeOf(error);
  if (code === NOT_IN_TRANSACTION) return commitsByItself(error);
  if (code !== NO_REPLICA_SET) return error;
  const message = 'config.once needs a replica set: this server has no transactions';
  return new GatewayError('NOT_SUPPORTED', message, { cause: error });
}

/** The server's code is on the driver's failure, below those that are told. */
function codeOf(error: unknown): number {
  let cause = error;
  while (cause instanceof GatewayError) cause = cause.cause;
  return cause instanceof MongoError ? Number(cause.code) : 0;
}
