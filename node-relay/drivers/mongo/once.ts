/** A write and its mark in one transaction. Spec: transactions.md §7. */
import type { MongoRequest } from '../../../kinds/mongo/index.ts';
import { atOperation } from '../../../kinds/transaction.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { KeepsOnce, OnceAnswer, OnceMark, OnceWork } from '../../../proto/once.ts';
import type { ShareStatus } from '../../../proto/prepares.ts';
import { answerOfKept, keptReply } from '../kept-reply.ts';
import { commitsByItself, untilKnown } from '../once.ts';
import type { Database, Execution } from './database.ts';
import { abandon } from './lost-share.ts';
import { codeOf, LASTING, MarkExists, type Marks } from './marks.ts';
import { isRead, runRequest } from './run.ts';
import { admitTo } from './share.ts';
import { attemptOperation, inTransaction, runAll } from './transact.ts';

/** Codes of the server. Source: MongoDB manual, "Error Codes". */
const NO_REPLICA_SET = 20;
const NOT_IN_TRANSACTION = 263;

/** Writes of one pool that leave marks. */
export class MongoOnce implements KeepsOnce<MongoRequest> {
  readonly #database: Database;
  readonly #marks: Marks;

  constructor(database: Database, marks: Marks) {
    this.#database = database;
    this.#marks = marks;
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
      await this.#marks.open(mark.place, call);
      try {
        return await this.#perform(work, mark, call);
      } catch (error) {
        if (error instanceof MarkExists)
          return answerOfKept(await this.#marks.kept(mark, call), mark);
        throw failureOf(error);
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
    return inTransaction(database, call, LASTING, async (execution) => {
      await this.#marks.leave(execution, mark, call);
      const result = await resultOf(database, execution, work);
      const reply = keptReply(result, mark);
      if (reply !== null) await this.#marks.answer(execution, mark, reply, call);
      return { result, isReplay: false };
    });
  }

  async settleMark(mark: OnceMark, recovery: string, call: Call): Promise<ShareStatus> {
    await abandon(this.#database, recovery, call);
    return this.#marks.settle(mark, call);
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
function failureOf(error: unknown): unknown {
  const code = codeOf(error);
  if (code === NOT_IN_TRANSACTION) return commitsByItself(error);
  if (code !== NO_REPLICA_SET) return error;
  const message = 'config.once needs a replica set: this server has no transactions';
  return new GatewayError('NOT_SUPPORTED', message, { cause: error });
}
