/** A share of a transaction over many databases: a session with a transaction, which commits by itself. Spec: transactions.md §2. */
import type { ClientSession, MongoClient } from 'mongodb';
import { commandName } from '../../../kinds/mongo/admin.ts';
import type { AllowGuard } from '../../../kinds/mongo/allow-guard.ts';
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { Pointed } from '../../../kinds/pointed.ts';
import { pointIn } from '../../../kinds/result-references.ts';
import { atOperation } from '../../../kinds/transaction.ts';
import type { Call, Mode } from '../../../proto/driver.ts';
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import type { OnceMark } from '../../../proto/once.ts';
import type { Beginning, Participant, Performed, Share } from '../../../proto/prepares.ts';
import { jsonList } from '../byte-text.ts';
import { orAbort } from '../deadline.ts';
import { forestalled } from '../once.ts';
import type { Database, Execution } from './database.ts';
import { recoveryFrom } from './lost-share.ts';
import { MarkExists, type Marks } from './marks.ts';
import { commandIn } from './operations/command.ts';
import { later } from './progress.ts';
import { checkRequest, isRead } from './run.ts';
import { convertedAhead } from './to-bson.ts';
import { abort, admit, attemptOperation, commit, ORDERED, references } from './transact.ts';

/** Commands that end a transaction, or the session that it is in. */
const ENDING = new Set(
  'committransaction aborttransaction preparetransaction endsessions killsessions killallsessions killallsessionsbypattern'.split(
    ' ',
  ),
);

/** Milliseconds after which who closes a share is told that the server has not said that it is undone. */
const UNDO_MS = 2_000;

/** What shares of one pool have in common. */
interface MongoShareParts {
  readonly database: Database;
  readonly marks: Marks;
  /** Undefined where requests may name everything. */
  readonly allowGuard: AllowGuard | undefined;
  /** Those that are being undone, by their names. */
  readonly ending: Map<string, Promise<boolean>>;
}

/** Begun, run step by step, and committed or undone. */
export class MongoShare implements Participant<MongoRequest> {
  readonly #database: Database;
  readonly #client: MongoClient;
  readonly #session: ClientSession;
  readonly #giveBack: () => void;
  readonly #parts: MongoShareParts;
  readonly #name: string;
  #onlyRead = true;
  #state: 'open' | 'stopped' | 'ended' = 'open';
  /** Settles when the last operation so far is over; never rejects. */
  #busy: Promise<void> = Promise.resolve();
  #undone: Promise<boolean> | undefined;

  private constructor(
    parts: MongoShareParts,
    name: string,
    client: MongoClient,
    giveBack: () => void,
  ) {
    this.#parts = parts;
    this.#name = name;
    this.#database = parts.database;
    this.#client = client;
    this.#session = parts.database.startSession(client);
    this.#giveBack = giveBack;
  }

  /**
   * Snapshots are at least as strict as `repeatable read`.
   * @throws GatewayError BAD_REQUEST naming `serializable`
   */
  static async join(
    parts: MongoShareParts,
    { name, isolation, markPlace }: Beginning,
    call: Call,
  ): Promise<MongoShare> {
    const { database, marks } = parts;
    if (isolation === 'serializable') {
      const message = 'MongoDB cannot give the isolation level serializable, only repeatable read';
      throw badRequest('isolation', message, message);
    }
    const permit = await database.borrow(call.signal);
    try {
      // A snapshot has no collections that are made after it.
      if (markPlace !== undefined) await marks.open(markPlace, call);
      const client = await database.client(call.signal);
      const share = new MongoShare(parts, name, client, () => database.giveBack(permit));
      share.#session.startTransaction({
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority' },
        readPreference: 'primary',
      });
      return share;
    } catch (cause) {
      database.giveBack(permit);
      throw cause;
    }
  }

  async perform(share: Share<MongoRequest>, call: Call): Promise<Performed> {
    this.#requireOpen();
    const { operations, recoverable } = share;
    for (const { request, place } of operations) {
      atOperation(place, () => this.#parts.allowGuard?.admit(request));
    }
    const { settings } = this.#database;
    for (const { place, mode, request } of operations) {
      await atOperation(place, async () => admitTo(request, mode, settings.database));
    }
    try {
      const results = await this.#runAll(share, call);
      const recovery = recoverable && !this.#onlyRead ? this.#recovery() : '';
      return { results: jsonList('[', results, ']'), onlyRead: this.#onlyRead, recovery };
    } finally {
      if (call.signal.aborted) this.#state = 'stopped';
    }
  }

  async commit(call: Call): Promise<void> {
    this.#requireOpen();
    const committing = commit(this.#database, this.#session, call);
    // What has only read is not in doubt.
    await (this.#onlyRead ? this.#promptly(committing, call.signal) : committing);
    this.#state = 'ended';
  }

  async commitMarked(mark: OnceMark, call: Call): Promise<void> {
    this.#requireOpen();
    const { marks } = this.#parts;
    await marks.open(mark.place, call);
    const within = { client: this.#client, session: this.#session };
    await marks.leave(within, mark, call).catch((error: unknown) => {
      throw error instanceof MarkExists ? forestalled(error) : error;
    });
    await this.commit(call);
  }

  async close(): Promise<boolean> {
    this.#undone ??= this.#undoNamed();
    return Promise.race([this.#undone, later(UNDO_MS).then(() => false)]);
  }

  /** Undoes it; meanwhile it is found by its name. */
  #undoNamed(): Promise<boolean> {
    const { ending } = this.#parts;
    const undone = this.#undo().finally(() => ending.delete(this.#name));
    ending.set(this.#name, undone);
    return undone;
  }

  /** Takes as long as the server does; never rejects. */
  async #undo(): Promise<boolean> {
    await this.#busy;
    const isUndone = this.#state === 'ended' || (await abort(this.#session));
    this.#state = 'ended';
    await this.#session.endSession().catch(() => {});
    this.#giveBack();
    return isUndone;
  }

  async #runAll({ operations, earlier }: Share<MongoRequest>, call: Call): Promise<Buffer[]> {
    const results: Buffer[] = [];
    await convertedAhead(operations, call);
    const pointed = await Pointed.by(operations, call.inTurn, ORDERED);
    const point = pointed.at(pointIn(earlier));
    let left = call.resultMaxBytes - 2;
    for (const { place, mode, request } of operations) {
      this.#onlyRead &&= mode === 'read' || letsThrough(request, this.#database.settings.database);
      const limited = { ...call, resultMaxBytes: left };
      const own = this.#database.execution(this.#client, this.#session, limited, 'transaction');
      const execution: Execution = { ...own, substitute: references(point) };
      const run = () => attemptOperation(this.#database, execution, request, this.#promptly);
      const result = await atOperation(place, run);
      left -= result.length + 1;
      results.push(result);
      await pointed.take(place, () => result.toString());
    }
    return results;
  }

  /** What is stopped is told so at once, also where the server still has it. */
  readonly #promptly = <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> => {
    this.#busy = work.then(
      () => {},
      () => {},
    );
    return orAbort(work, signal);
  };

  #requireOpen(): void {
    if (this.#state === 'open') return;
    throw new GatewayError('SESSION_NOT_FOUND', 'The share has ended with a call that was stopped');
  }

  /** What names the transaction to the server: its session and number, and on a sharded cluster who coordinates it. */
  #recovery(): string {
    const { id, txnNumber } = this.#session.serverSession;
    // Not in the types.
    const { transaction } = this.#session as unknown as { transaction: { recoveryToken?: object } };
    return recoveryFrom(id.id.buffer, txnNumber, transaction.recoveryToken);
  }
}

/** Lets a request be part of a transaction. @throws GatewayError BAD_REQUEST */
export function admitTo(request: MongoRequest, mode: Mode, defaultDatabase: string): void {
  admit(request, defaultDatabase);
  if (mode === 'read') checkRequest(request, 'read', defaultDatabase);
  if (request.command === undefined || isRead(request, mode)) return;
  if (!ENDING.has(commandName(commandIn(request)))) return;
  const message = 'The transaction begins and ends by itself; its operations may not';
  throw badRequest('command', message, message);
}

/** Whether `/read` would have taken it. */
function letsThrough(request: MongoRequest, defaultDatabase: string): boolean {
  try {
    checkRequest(request, 'read', defaultDatabase);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
