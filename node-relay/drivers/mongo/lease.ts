/** A session that one caller holds for a while, with transactions over several calls. Contract §6, "Sessions". */
import type { ClientSession, MongoClient, TransactionOptions } from 'mongodb';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import type { Call, Lease } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import { optionsIn } from './arguments.ts';
import type { Database, Execution } from './database.ts';
import type { OpenCursor } from './open-cursor.ts';
import { checkRequest, isTransactional, runRequest } from './run.ts';
import { convertedAhead } from './to-bson.ts';
import { abort, commit } from './transact.ts';

/** Most cursors that a session keeps; of more the oldest is closed. Spec silent. */
const CURSORS_MAX = 100;
const NOTHING = Buffer.from('{"value":null}');

/** Keeps its transaction from call to call, until it is closed; then what is open is undone. */
export class MongoLease implements Lease<MongoRequest> {
  readonly #database: Database;
  readonly #client: MongoClient;
  readonly #session: ClientSession;
  readonly #giveBack: () => void;
  #turn: Promise<unknown> = Promise.resolve();
  #stopped = false;
  /** That commands have left open, the oldest first. */
  readonly #cursors: OpenCursor[] = [];

  private constructor(database: Database, client: MongoClient, giveBack: () => void) {
    this.#database = database;
    this.#client = client;
    // What a session wrote it reads, whichever member answers.
    this.#session = database.startSession(client, { causalConsistency: true });
    this.#giveBack = giveBack;
  }

  /** @throws GatewayError CONNECTION_FAILED, POOL_EXHAUSTED */
  static async open(database: Database, call: Call): Promise<MongoLease> {
    const permit = await database.borrow(call.signal);
    try {
      const client = await database.client(call.signal);
      return new MongoLease(database, client, () => database.giveBack(permit));
    } catch (cause) {
      database.giveBack(permit);
      throw cause;
    }
  }

  /** @throws GatewayError SESSION_NOT_FOUND once a call on it was stopped */
  run(request: MongoRequest, call: Call): Promise<Buffer> {
    const result = this.#turn.then(() => this.#run(request, call));
    this.#turn = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    await this.#turn;
    await abort(this.#session);
    await Promise.all(this.#cursors.splice(0).map((cursor) => cursor.close()));
    await this.#session.endSession().catch(() => {});
    this.#giveBack();
  }

  async #run(request: MongoRequest, call: Call): Promise<Buffer> {
    if (this.#stopped) {
      throw new GatewayError(
        'SESSION_NOT_FOUND',
        'The session has ended with a call that was stopped',
      );
    }
    const keep = (cursor: OpenCursor): void => this.#keep(cursor);
    const own = this.#database.execution(this.#client, this.#session, call, 'lease');
    const execution: Execution = { ...own, keep };
    try {
      await convertedAhead(request, call);
      if (isTransactional(request.type)) return await this.#control(execution, request);
      if (call.mode === 'read' && this.#session.inTransaction()) {
        throw new GatewayError(
          'TRANSACTION_OPEN',
          'A transaction is open in this session; send reads to /write',
        );
      }
      return await this.#database.attempt(this.#session, call, () =>
        runRequest(execution, request),
      );
    } finally {
      this.#stopped ||= call.signal.aborted;
    }
  }

  /** For `getMore` in this session; it ends with it. */
  #keep(cursor: OpenCursor): void {
    this.#cursors.push(cursor);
    if (this.#cursors.length > CURSORS_MAX) void this.#cursors.shift()?.close();
  }

  async #control(execution: Execution, request: MongoRequest): Promise<Buffer> {
    checkRequest(request, execution.call.mode, execution.settings.database);
    const session = this.#session;
    const isOpen = session.inTransaction();
    if (request.type === 'start_transaction') {
      if (isOpen) throw conflict('A transaction is open in this session already');
      const { session: _, ...options } = optionsIn(execution, request, false);
      // Their names are on the list of the type's options.
      session.startTransaction(options as TransactionOptions);
      return NOTHING;
    }
    if (!isOpen) throw conflict('No transaction is open in this session');
    if (request.type === 'commit_transaction')
      await commit(this.#database, session, execution.call);
    else await this.#database.attempt(session, execution.call, () => session.abortTransaction());
    return NOTHING;
  }
}

function conflict(message: string): GatewayError {
  return badRequest('type', message, message);
}
