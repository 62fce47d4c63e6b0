/** A write and its mark in one transaction. Spec: transactions.md §7. */
import { isRead } from '../../../kinds/mysql/dialect/admit.ts';
import { Engines } from '../../../kinds/mysql/dialect/engines.ts';
import { operationFrom } from '../../../kinds/mysql/dialect/operation.ts';
import { type Parsed, parseText } from '../../../kinds/mysql/dialect/statement.ts';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import { checkEach } from '../../../kinds/transaction.ts';
import type { Call } from '../../../proto/driver.ts';
import type { KeepsOnce, OnceAnswer, OnceMark, OnceWork } from '../../../proto/once.ts';
import { jsonList } from '../byte-text.ts';
import { answerOfKept, keptReply } from '../kept-reply.ts';
import type { Done } from '../lender.ts';
import { Contended, commitsByItself, Purges, untilKnown } from '../once.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { demandOpen, type Execution, ended } from './execute.ts';
import { isContended } from './once-marks.ts';
import { isMissing, keepMark, keepReply, keptMark, openTable, purgeMarks } from './once-table.ts';
import { letsThrough, refusePlain } from './plain-tables.ts';
import { runRequest } from './run.ts';
import { endedEarly } from './same-transaction.ts';
import { runOperations } from './transact.ts';

/** Milliseconds until a table that was seen is looked at again: it may have been made anew. */
const SEEN_MS = 60_000;

/** Writes of one pool that leave marks. */
export class MysqlOnce implements Pick<KeepsOnce<MysqlRequest>, 'once'> {
  readonly #database: Database;
  readonly #purges = new Purges();
  readonly #engines = new Engines();
  /** The table that was seen last, and until when that holds: an endpoint has one. */
  #seen = { place: '', until: 0 };

  constructor(database: Database) {
    this.#database = database;
  }

  async once(work: OnceWork<MysqlRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    const answer = await untilKnown(call, () =>
      this.#database.call('write', call.signal, (connection) =>
        this.#attempt(connection, work, mark, call),
      ),
    );
    this.#purges.start((signal) =>
      this.#database.call('write', signal, async (connection) => {
        return { value: await purgeMarks(connection, mark.place), traces: 'none' };
      }),
    );
    return answer;
  }

  async #attempt(
    connection: Connection,
    work: OnceWork<MysqlRequest>,
    mark: OnceMark,
    call: Call,
  ): Promise<Done<OnceAnswer>> {
    const execution: Execution = { database: this.#database, connection, call, place: 'call' };
    // What changes nothing has nothing to be kept with.
    if ('request' in work && isRead(work.request, call.mode)) {
      const { value, traces } = await runRequest(execution, work.request);
      return { value: { result: value, isReplay: false }, traces };
    }
    try {
      if (!(await this.#begin(connection, mark))) {
        await connection.query('ROLLBACK');
        const kept = await keptMark(connection, mark);
        if (kept === undefined) throw new Contended();
        return { value: answerOfKept(kept, mark), traces: 'none' };
      }
      const { value, traces } = await this.#perform({ ...execution, place: 'transaction' }, work);
      await end(connection, call, mark, value);
      return { value: { result: value, isReplay: false }, traces };
    } catch (error) {
      if (connection.wire.inTransaction) await ended(connection, 'ROLLBACK');
      throw error;
    }
  }

  /** Begins a transaction with the mark; false where it was there. @throws GatewayError BAD_REQUEST; Contended */
  async #begin(connection: Connection, mark: OnceMark, isAgain = false): Promise<boolean> {
    const { place } = mark;
    if (this.#seen.place !== place || this.#seen.until < performance.now()) {
      await openTable(connection, place);
      this.#seen = { place, until: performance.now() + SEEN_MS };
    }
    await connection.query('START TRANSACTION');
    try {
      return await keepMark(connection, mark);
    } catch (error) {
      if (isContended(error)) throw new Contended(error);
      this.#seen = { place: '', until: 0 };
      if (isAgain || !isMissing(error)) throw error;
    }
    // It has been removed since.
    await connection.query('ROLLBACK');
    return this.#begin(connection, mark, true);
  }

  /** Does the work in the transaction that is open. */
  async #perform(execution: Execution, work: OnceWork<MysqlRequest>): Promise<Done<Buffer>> {
    const requests = 'request' in work ? [work.request] : work.operations;
    for (const request of requests) {
      const statements = statementsOf(request);
      // A procedure may end the transaction, and begin another.
      if (statements.some(mayCall)) throw commitsByItself();
      if (isRead(request, 'write')) continue;
      for (const parsed of statements) {
        await demandOpen(execution, parsed);
        if (await letsThrough(execution, parsed)) continue;
        await refusePlain(execution, parsed, this.#engines, KEEPS_NO_KEY);
      }
    }
    return perform(execution, work);
  }
}

const KEEPS_NO_KEY =
  'config.once cannot keep its Idempotency-Key with what is changed there: send it without the key';

async function perform(execution: Execution, work: OnceWork<MysqlRequest>): Promise<Done<Buffer>> {
  if ('operations' in work) {
    const results = await runOperations(execution, checkEach(work.operations, operationFrom));
    return { value: jsonList('[', results, ']'), traces: 'some' };
  }
  const done = await runRequest(execution, work.request);
  if (!execution.connection.wire.inTransaction) throw endedEarly();
  return done;
}

async function end(
  connection: Connection,
  { signal }: Call,
  mark: OnceMark,
  result: Buffer,
): Promise<void> {
  const reply = keptReply(result, mark);
  if (reply !== null) await keepReply(connection, mark, reply);
  signal.throwIfAborted();
  await connection.query('COMMIT', {}, true);
}

function statementsOf({ query }: MysqlRequest): readonly Parsed[] {
  const parsed = parseText(query, false);
  return 'statements' in parsed ? parsed.statements : [];
}

/** Whether CALL is anywhere, in a program or a comment with a version too. */
function mayCall({ tokens }: Parsed): boolean {
  return tokens.some(
    ({ sort, text }) => sort === 'versioned' || (sort === 'word' && text === 'CALL'),
  );
}
