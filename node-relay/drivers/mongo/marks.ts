/** The collection of marks of one pool. Spec: transactions.md §7. */
import { Binary, type ClientSession, type Collection, type MongoClient, MongoError } from 'mongodb';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { ONCE_KEPT_MS, type OnceMark } from '../../../proto/once.ts';
import type { ShareStatus } from '../../../proto/prepares.ts';
import type { KeptReply } from '../kept-reply.ts';
import { Contended, forestalling, lacksPlace, statusOfBody } from '../once.ts';
import type { Database } from './database.ts';

/** Code of the server. Source: MongoDB manual, "Error Codes". */
const DUPLICATE = 11000;
const REFUSED = new Set([13, 8000]);

/** A failover undoes neither a mark nor its effect. */
export const LASTING = {
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
export class MarkExists extends GatewayError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The mark is there already');
  }
}

/** Where a mark is written. */
interface MarkScope {
  readonly client: MongoClient;
  readonly session: ClientSession;
}

export class Marks {
  readonly #database: Database;
  /** The collection that was seen last: an endpoint has one. */
  #seen = '';

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Makes the collection with the index that removes old marks: on none of the pool's permits, since who needs it may
   * have the last. @throws GatewayError BAD_REQUEST with what makes it
   */
  async open(place: string, call: Call): Promise<void> {
    if (this.#seen === place) return;
    const seconds = ONCE_KEPT_MS / 1000;
    const client = await this.#database.client(call.signal);
    const session = this.#database.startSession(client);
    const options = { expireAfterSeconds: seconds, session };
    await this.#database
      .attempt(session, call, () => this.#in(client, place).createIndex({ made_at: 1 }, options))
      .catch((cause: unknown) => {
        if (!REFUSED.has(codeOf(cause))) throw cause;
        const make = `db.getCollection(${JSON.stringify(place)}).createIndex({made_at: 1}, {expireAfterSeconds: ${seconds}})`;
        throw lacksPlace(`collection ${place}`, 'the user may not make it', make);
      })
      .finally(() => void session.endSession().catch(() => {}));
    this.#seen = place;
  }

  /** Leaves a mark in the session's transaction. @throws Marked */
  async leave({ client, session }: MarkScope, mark: OnceMark, call: Call): Promise<void> {
    const { key, body, place } = mark;
    const document = { _id: key, body, made_at: new Date() };
    await this.#database
      .attempt(session, call, () => this.#in(client, place).insertOne(document, { session }))
      .catch((error: unknown) => {
        throw codeOf(error) === DUPLICATE ? new MarkExists() : error;
      });
  }

  /** Keeps the reply of a mark in the session's transaction. */
  async answer(
    { client, session }: MarkScope,
    { key, place }: OnceMark,
    reply: Uint8Array,
    call: Call,
  ): Promise<void> {
    const change = { $set: { reply: new Binary(reply) } };
    await this.#database.attempt(session, call, () =>
      this.#in(client, place).updateOne({ _id: key }, change, { session }),
    );
  }

  /** @throws Contended where it is gone, or was too old */
  kept({ key, place }: OnceMark, call: Call): Promise<KeptReply> {
    return this.#database.call({ ...call, mode: 'read' }, async ({ client, session }) => {
      const marks = this.#in(client, place);
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

  /** What a mark says; one that is not there never comes after that. */
  async settle(mark: OnceMark, call: Call): Promise<ShareStatus> {
    await this.open(mark.place, call);
    try {
      await this.#forestall(mark, call);
      return 'rolled_back';
    } catch (error) {
      if (!(error instanceof MarkExists)) throw error;
    }
    return statusOfBody((await this.kept(mark, call)).body, mark);
  }

  /** It waits for one that is written and not committed. @throws Marked */
  #forestall(mark: OnceMark, call: Call): Promise<void> {
    const { key: _id, body } = forestalling(mark);
    const document = { _id, body, made_at: new Date() };
    return this.#database.call(call, async ({ client, session }) => {
      const { writeConcern } = LASTING;
      await this.#in(client, mark.place)
        .insertOne(document, { session, writeConcern })
        .catch((error: unknown) => {
          throw codeOf(error) === DUPLICATE ? new MarkExists() : error;
        });
    });
  }

  #in(client: MongoClient, place: string): Collection<MarkDocument> {
    return client.db(this.#database.settings.database).collection<MarkDocument>(place);
  }
}

/** The server's code, which is on the driver's failure, below those that are told. */
export function codeOf(error: unknown): number {
  let cause = error;
  while (cause instanceof GatewayError) cause = cause.cause;
  return cause instanceof MongoError ? Number(cause.code) : 0;
}
