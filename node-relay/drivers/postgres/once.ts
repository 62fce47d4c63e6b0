/** A write and its mark in one transaction. Spec: transactions.md §7. */
import { DatabaseError } from 'pg';
import { isRead, operationFrom, type RowsRequest } from '../../../kinds/postgres/dialect/admit.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import { checkEach } from '../../../kinds/transaction.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { KeepsOnce, OnceAnswer, OnceMark, OnceWork } from '../../../proto/once.ts';
import { jsonList } from '../byte-text.ts';
import { answerOfKept, keptReply } from '../kept-reply.ts';
import type { Done } from '../lender.ts';
import { Contended, commitsByItself, Purges, untilKnown } from '../once.ts';
import { undo } from './around.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Execution } from './execute.ts';
import { statementMessages } from './messages.ts';
import { isAboutTable, isMissingTable, lacksOfTable, type OnceTable } from './once-table.ts';
import { asItself, isContended, type OnceTables } from './once-tables.ts';
import { beginFailure } from './pooler.ts';
import { runRequest } from './run.ts';
import { withStatements } from './statement-reader.ts';
import { runOperations } from './transact.ts';

/** What is refused inside a transaction because it commits: VACUUM and its like, COMMIT of a procedure. */
const COMMITS = new Set(['25001', '2D000']);

/** Writes of one pool that leave marks. */
export class PostgresOnce implements Pick<KeepsOnce<PostgresRequest>, 'once'> {
  readonly #database: Database;
  readonly #tables: OnceTables;
  readonly #purges = new Purges();

  constructor(database: Database, tables: OnceTables) {
    this.#database = database;
    this.#tables = tables;
  }

  async once(work: OnceWork<PostgresRequest>, mark: OnceMark, call: Call): Promise<OnceAnswer> {
    const requests = 'request' in work ? [work.request] : work.operations;
    const answer = await withStatements(requests, call.signal, () =>
      untilKnown(call, () =>
        this.#database.call('write', call.signal, (connection) =>
          this.#attempt(connection, work, mark, call),
        ),
      ),
    );
    this.#purges.start((signal) => this.#purge(mark.place, signal));
    return answer;
  }

  async #attempt(
    connection: Connection,
    work: OnceWork<PostgresRequest>,
    mark: OnceMark,
    call: Call,
  ): Promise<Done<OnceAnswer>> {
    const execution: Execution = { database: this.#database, connection, call, place: 'call' };
    if ('request' in work && isRead(work.request, call.mode)) return plain(execution, work.request);
    try {
      const { table, isNew } = await this.#marked(connection, mark);
      if (!isNew) {
        return { value: await keptAnswer(connection, table, mark), traces: 'none' };
      }
      const { value, traces } = await perform(execution, work);
      await end(execution, table, mark, value);
      return { value: { result: value, isReplay: false }, traces };
    } catch (error) {
      if (!connection.wire.lost && !connection.wire.idle) {
        await undo(() => connection.rows({ text: 'ROLLBACK' }));
      }
      throw error;
    }
  }

  /** As `#begin`; a table that was removed since is made again. */
  async #marked(connection: Connection, mark: OnceMark) {
    const table = await this.#tables.at(connection, mark.place);
    try {
      return { table, isNew: await this.#begin(connection, table, mark) };
    } catch (error) {
      if (!isMissingTable(error)) throw error;
    }
    await connection.rows({ text: 'ROLLBACK' });
    const again = await this.#tables.at(connection, mark.place);
    return { table: again, isNew: await this.#begin(connection, again, mark) };
  }

  /** Begins a transaction with the mark; false where it was there. @throws GatewayError BAD_REQUEST; Contended */
  async #begin(connection: Connection, table: OnceTable, mark: OnceMark): Promise<boolean> {
    const before = [{ text: 'BEGIN' }, ...connection.preamble];
    try {
      const tag = await connection.wire.exchange({
        bytes: statementMessages([...before, table.keep(mark)], 'sync'),
        until: 'ready',
        main: before.length,
      });
      return tag !== 'INSERT 0 0';
    } catch (error) {
      if (isContended(error)) throw new Contended(error);
      // It may have been removed since: the next call looks for it again.
      if (isAboutTable(error)) {
        this.#tables.forget(mark.place);
        throw lacksOfTable(mark.place, error);
      }
      throw connection.pooled ? beginFailure(error) : error;
    }
  }

  #purge(place: string, signal: AbortSignal): Promise<number> {
    return this.#database.call('write', signal, async (connection) => {
      const table = await this.#tables.at(connection, place);
      const tag = await connection.wire.exchange({
        bytes: statementMessages([...connection.settings, table.purge()], 'sync'),
        until: 'ready',
        main: connection.settings.length,
      });
      return { value: Number(tag.replace('DELETE ', '')), traces: 'none' };
    });
  }
}

/** What changes nothing has nothing to be kept with. */
async function plain(execution: Execution, request: PostgresRequest): Promise<Done<OnceAnswer>> {
  const { value, traces } = await runRequest(execution, request);
  return { value: { result: value, isReplay: false }, traces };
}

async function keptAnswer(
  connection: Connection,
  table: OnceTable,
  mark: OnceMark,
): Promise<OnceAnswer> {
  const [row] = await connection.rows(table.look(mark));
  await connection.rows({ text: 'ROLLBACK' });
  const [body, reply] = row ?? [];
  // It was removed between the two statements.
  if (typeof body !== 'string') throw new Contended();
  return answerOfKept(
    { body, reply: typeof reply === 'string' ? Buffer.from(reply, 'hex') : null },
    mark,
  );
}

/** Does the work in the transaction that is open. */
async function perform(
  execution: Execution,
  work: OnceWork<PostgresRequest>,
): Promise<Done<Buffer>> {
  try {
    if ('request' in work) return await runRequest(execution, work.request);
    const operations: RowsRequest[] = checkEach(work.operations, operationFrom);
    const inside: Execution = { ...execution, place: 'transaction' };
    const results = await runOperations(inside, operations);
    return { value: jsonList('[', results, ']'), traces: 'some' };
  } catch (error) {
    const said = error instanceof GatewayError ? error.cause : error;
    if (said instanceof DatabaseError && COMMITS.has(said.code ?? '')) throw commitsByItself(said);
    throw error;
  }
}

/** Keeps the reply, and all of it. @throws GatewayError REQUEST_FAILED when COMMIT rolled back */
async function end(
  { connection, call }: Execution,
  table: OnceTable,
  mark: OnceMark,
  result: Buffer,
): Promise<void> {
  call.signal.throwIfAborted();
  const reply = keptReply(result, mark);
  const answer = reply === null ? [] : asItself(table.answer(mark, reply));
  const tag = await connection.wire.exchange({
    bytes: statementMessages([...answer, { text: 'COMMIT' }], 'sync'),
    until: 'ready',
    main: answer.length,
    commits: true,
    ends: true,
  });
  if (tag === 'COMMIT') return;
  throw new GatewayError('REQUEST_FAILED', 'The database rolled the transaction back');
}
