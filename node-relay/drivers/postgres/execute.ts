/** Sends one statement on one connection: what goes ahead of it, its parameters, its result. */

import type { StatementScope } from '../../../kinds/postgres/dialect/admit.ts';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { mayCommitInside } from '../../../kinds/postgres/dialect/commits-inside.ts';
import { checkCount } from '../../../kinds/postgres/dialect/count.ts';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { resultTooLarge } from '../byte-text.ts';
import { aheadOf, aroundRead, endUndone, undo } from './around.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import {
  demandTellable,
  demandTold,
  EncodingQuestion,
  mayBeHeld,
  maySet,
  questionBehind,
} from './encoding.ts';
import type { Exchange, Sink } from './exchange.ts';
import { demandCommitted } from './failed-commit.ts';
import { undoing } from './inquire.ts';
import { statementMessages } from './messages.ts';
import { SqlResult } from './result.ts';
import type { Opening, OwnStatements, Preparing } from './share-messages.ts';

/** Where and within what a request runs. */
export interface Execution {
  readonly database: Database;
  readonly connection: Connection;
  readonly call: Call;
  readonly place: StatementScope;
  /** What goes with the statement of a share, in one message with it. */
  readonly share?: WithStatement;
}

/** What begins a share goes ahead of its first statement, what prepares it may go behind its last one. */
interface WithStatement {
  readonly opening: Opening;
  readonly preparing: Preparing | undefined;
}

/** A statement that may be sent. */
interface Query {
  readonly request: Pick<PostgresRequest, 'type'> & { row_format?: 'object' | 'array' | undefined };
  readonly parsed: Parsed | undefined;
  readonly statement: Statement;
  readonly read: boolean;
  /** None of it may stay. */
  readonly undone: boolean;
  /** Types that the request names for its parameters. */
  readonly given?: readonly number[] | undefined;
}

/** Sends a statement and answers its result. */
export async function execute(
  execution: Execution,
  ready: Query,
  budget = execution.call.resultMaxBytes,
): Promise<Buffer> {
  const { connection, database, place, call } = execution;
  let overflowed = false;
  const onOverflow = (row: 'part' | 'whole') => {
    overflowed = true;
    // Stopping ends the connection, so a transaction or a lease rather drops the rows.
    // Where the server has answered there is nothing to stop.
    if (place === 'call' && connection.wire.busy)
      connection[row === 'whole' ? 'drop' : 'interrupt']();
  };
  const rowFormat = ready.request.row_format ?? 'object';
  const options = { numbersAsStrings: call.numbersAsStrings, rowFormat };
  const source = connection.wire.stream;
  const { shapes } = database;
  const result = new SqlResult({ shapes, options, max: budget, onOverflow, source, call });
  try {
    const run = ready.read ? executeRead : executeWrite;
    const told = await run(execution, ready, result);
    demandTold(execution, { ...told, read: ready.read });
    return told.whole;
  } catch (error) {
    result.abandon();
    if (overflowed && !(error instanceof GatewayError) && !call.signal.aborted)
      throw resultTooLarge(budget);
    throw error;
  }
}

/** A result, with what was asked of the encoding that its texts were told in. */
interface Answer {
  readonly whole: Buffer;
  readonly question: EncodingQuestion | undefined;
}

async function executeRead(execution: Execution, ready: Query, result: SqlResult): Promise<Answer> {
  const { connection, database } = execution;
  const { before, after } = aroundRead(execution, ready.undone, ready.parsed);
  // A read that is known whole sets nothing.
  const question = ready.undone ? new EncodingQuestion() : undefined;
  const through = [...before, ready.statement, ...asked(question), ...after];
  const wasIdle = connection.wire.idle;
  let tag: string;
  try {
    tag = await connection.wire.exchange({
      bytes: statementMessages(through, 'sync'),
      until: 'ready',
      main: before.length,
      sink: result,
      ...(question ? { others: new Map([[before.length + 1, question.sink]]) } : {}),
      rowMax: result.rowMax,
    });
  } catch (error) {
    result.abandon();
    if (ready.undone) await endUndone(connection, wasIdle);
    if (ready.parsed) database.guard.forget(ready.parsed, ready.given);
    throw error;
  }
  await database.types.learn(result.unknownTypes, (statement) => connection.rows(statement));
  return { whole: await finished(result, ready, tag), question };
}

/** What goes behind a statement to ask it. */
function asked(question: EncodingQuestion | undefined): readonly Statement[] {
  return question ? [question.statement] : [];
}

async function executeWrite(
  execution: Execution,
  ready: Query,
  result: SqlResult,
): Promise<Answer> {
  const { connection, database } = execution;
  const { wire } = connection;
  const ask =
    (held: boolean) =>
    (statement: Statement): Promise<readonly (readonly FieldValue[])[]> =>
      connection.rows(statement, held);
  const opening = execution.share?.opening.take();
  const isOpen = opening !== undefined || wire.inTransaction;
  // Rows are looked at before the change is kept, unless a transaction is open anyway.
  const held = !opening && wire.idle && mayBeHeld(ready.parsed);
  const commits = !held && (!isOpen || ready.parsed?.kind === 'TransactionStmt');
  const question = questionBehind(database, ready, commits);
  noteAltered(execution, ready);
  const isInside = ready.parsed?.commitsInside ?? mayCommitInside(ready.statement.text);
  connection.mayKeep ||= commits && isInside;
  const tag = await wire.exchange({
    ...messageOf(execution, ready, { opening, question, ending: held ? 'flush' : 'sync' }),
    until: held ? 'complete' : 'ready',
    commits,
    sink: result,
    rowMax: result.rowMax,
  });
  if (!held) {
    demandCommitted(ready.statement, tag);
    await database.types.learn(result.unknownTypes, ask(false));
    const finish = commits ? finishedAfter : finished;
    return { whole: await finish(result, ready, tag), question };
  }
  let whole: Buffer;
  try {
    await database.types.learn(result.unknownTypes, ask(true));
    whole = await finished(result, ready, tag);
    if (maySet(database, ready)) await demandTellable(connection, whole);
    execution.call.signal.throwIfAborted();
  } catch (error) {
    result.abandon();
    await undo(() => wire.rollback());
    throw error;
  }
  await wire.commit();
  return { whole, question: undefined };
}

const NOTHING_AROUND = { before: [], after: [] };

/** What goes with a statement, and how its message ends. */
interface Along {
  readonly opening: OwnStatements | undefined;
  readonly question: EncodingQuestion | undefined;
  readonly ending: 'sync' | 'flush';
}

/** A statement with all that goes around it. */
function messageOf(
  execution: Execution,
  { parsed, statement, undone }: Query,
  { opening, question, ending }: Along,
): Pick<Exchange, 'bytes' | 'main' | 'others' | 'behind' | 'ends'> {
  const around = undone ? undoing(execution.connection, 'READ ONLY') : NOTHING_AROUND;
  const before = [...(opening?.all ?? []), ...aheadOf(execution, parsed), ...around.before];
  const preparing = execution.share?.preparing;
  const through = [...before, statement, ...asked(question), ...around.after];
  const bytes = statementMessages([...through, ...(preparing?.own.all ?? [])], ending);
  const main = before.length;
  const others = new Map<number, Sink>();
  if (opening) others.set(opening.main, opening.sink);
  if (question) others.set(main + 1, question.sink);
  if (!preparing) return { bytes, main, others };
  others.set(through.length + preparing.own.main, preparing.own.sink);
  return { bytes, main, others, behind: (error) => preparing.failed(error), ends: true };
}

/** Marks a connection that stays with its caller when a statement may give names another meaning there. */
function noteAltered({ connection, database, place }: Execution, { parsed, undone, given }: Query) {
  if (place === 'call' || undone || connection.pooled || parsed?.kind === 'TransactionStmt') return;
  if (maySet(database, { parsed, given })) connection.altered = true;
}

/** A result of a change that is done already: when it cannot be told, `details` say `applied`. */
async function finishedAfter(result: SqlResult, ready: Query, tag: string): Promise<Buffer> {
  try {
    return await finished(result, ready, tag);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const details = [
      { source: 'postgres', code: error.code, message: error.message, applied: true as const },
    ];
    throw new GatewayError(error.code, error.message, { details });
  }
}

async function finished(
  result: SqlResult,
  { request: { type } }: Query,
  tag: string,
): Promise<Buffer> {
  checkCount(type, result.rowCount);
  await result.written();
  return result.finish(tag);
}
