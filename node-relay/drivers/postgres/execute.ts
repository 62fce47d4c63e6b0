/** Sends one statement on one connection: what goes ahead of it, its parameters, its result. */

import { makesUnusable, type StatementScope } from '../../../kinds/postgres/dialect/admit.ts';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { mayCommitInside } from '../../../kinds/postgres/dialect/commits-inside.ts';
import { checkCount } from '../../../kinds/postgres/dialect/count.ts';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import type { Inquirer } from '../../../kinds/postgres/dialect/inquirer.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { resultTooLarge } from '../byte-text.ts';
import type { Traces } from '../lender.ts';
import { aheadOf, aroundRead, endUndone, undo } from './around.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { demandTellable, demandTold, maySet } from './encoding.ts';
import type { Exchange, Sink } from './exchange.ts';
import { demandCommitted } from './failed-commit.ts';
import { inquirerOn, undoing } from './inquire.ts';
import { statementMessages } from './messages.ts';
import { requirePlain } from './pooler.ts';
import { requireReadable } from './readable.ts';
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

/** How a statement may run, and what it will leave on the connection. */
export interface Admitted {
  readonly traces: Traces;
  /** None of it may stay: a read that is not known whole. */
  readonly undone: boolean;
  /** The types that its parameters have to have. */
  readonly types?: readonly number[];
}

/**
 * Lets a read pass the guard, and answers how a statement may run.
 * @param given types that the request names for its parameters
 * @throws GatewayError BAD_REQUEST, TRANSACTION_OPEN; NOT_SUPPORTED behind a pooler for what may leave something
 */
export async function admitted(
  execution: Execution,
  parsed: Parsed | undefined,
  read: boolean,
  given?: readonly number[],
): Promise<Admitted> {
  await demandMayRun(execution, parsed, given);
  const admission = await admissionOf(execution, parsed, read, given);
  const { database, connection } = execution;
  if (!connection.pooled) return admission;
  const { traces } = admission;
  await requirePlain(connection, database.guard, { parsed, given, read, traces });
  return { ...admission, traces: 'none' };
}

/** Whether every statement is looked at, writes too: callers may not set what is told of them, or not name everything. */
export function isWatched({ database, call }: Pick<Execution, 'database' | 'call'>): boolean {
  return database.allowGuard !== undefined || isHeld(call);
}

/** Whether a caller's statements may not set what the server is told of them. */
function isHeld({ session }: Pick<Call, 'session'>): boolean {
  return session !== undefined && !session.maySet;
}

/**
 * Refuses what names more than `config.allow` opens, and what could set what the server is told of a caller who is no
 * Admin: every statement of a caller passes here, on every way in.
 * @throws GatewayError FORBIDDEN
 */
export async function demandMayRun(
  { database, connection, call }: Execution,
  parsed: Parsed | undefined,
  given?: readonly number[],
  inquirer?: Inquirer,
): Promise<void> {
  if (!isWatched({ database, call })) return;
  const on = inquirer ?? inquirerOn(connection);
  await database.allowGuard?.admit(parsed, given, on);
  if (isHeld(call)) await database.setterGuard.admit(parsed, given, on);
}

async function admissionOf(
  { database, connection, place }: Execution,
  parsed: Parsed | undefined,
  read: boolean,
  given?: readonly number[],
): Promise<Admitted> {
  if (read && parsed) {
    await requireReadable(connection, place);
    const inquirer = inquirerOn(connection);
    const { plain, types } = await database.guard.admit(parsed, given, inquirer);
    return { traces: plain ? 'none' : 'some', undone: !plain, ...(types ? { types } : {}) };
  }
  return { traces: tracesOf(database, connection, parsed, given), undone: false };
}

/** What a statement that is no read leaves on its connection, beyond its transaction. */
export function tracesOf(
  { guard }: Database,
  connection: Connection,
  parsed: Parsed | undefined,
  given: readonly number[] | undefined,
): Traces {
  if (!parsed || makesUnusable(parsed)) return 'unusable';
  const told = (traces: boolean) => {
    connection.suspect = guard.sequencesOf(parsed, given, false) !== 'left';
    return traces;
  };
  const known = guard.leavesTraces(parsed, given);
  if (known !== undefined) return told(known) ? 'some' : 'none';
  // What the statement set must not answer for it, so the question comes after a reset.
  const ask = async () =>
    (await connection.clear()) === 'unusable' ||
    told(await guard.learnTraces(parsed, given, inquirerOn(connection)));
  return { ask };
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
    const whole = await run(execution, ready, result);
    demandTold(execution, ready.read, whole);
    return whole;
  } catch (error) {
    result.abandon();
    if (overflowed && !(error instanceof GatewayError) && !call.signal.aborted)
      throw resultTooLarge(budget);
    throw error;
  }
}

async function executeRead(execution: Execution, ready: Query, result: SqlResult): Promise<Buffer> {
  const { connection, database } = execution;
  const { before, after } = aroundRead(execution, ready.undone, ready.parsed);
  const wasIdle = connection.wire.idle;
  let tag: string;
  try {
    tag = await connection.wire.exchange({
      bytes: statementMessages([...before, ready.statement, ...after], 'sync'),
      until: 'ready',
      main: before.length,
      sink: result,
      rowMax: result.rowMax,
    });
  } catch (error) {
    result.abandon();
    if (ready.undone) await endUndone(connection, wasIdle);
    if (ready.parsed) database.guard.forget(ready.parsed, ready.given);
    throw error;
  }
  await database.types.learn(result.unknownTypes, (statement) => connection.rows(statement));
  return finished(result, ready, tag);
}

async function executeWrite(
  execution: Execution,
  ready: Query,
  result: SqlResult,
): Promise<Buffer> {
  const { connection, database } = execution;
  const { wire } = connection;
  const ask =
    (held: boolean) =>
    (statement: Statement): Promise<readonly (readonly FieldValue[])[]> =>
      connection.rows(statement, held);
  const opening = execution.share?.opening.take();
  const isOpen = opening !== undefined || wire.inTransaction;
  // Rows are looked at before the change is kept, unless a transaction is open anyway.
  const held = !opening && wire.idle && ready.parsed?.returnsRows === true;
  const commits = !held && (!isOpen || ready.parsed?.kind === 'TransactionStmt');
  noteAltered(execution, ready);
  const isInside = ready.parsed?.commitsInside ?? mayCommitInside(ready.statement.text);
  connection.mayKeep ||= commits && isInside;
  const tag = await wire.exchange({
    ...messageOf(execution, ready, { opening, ending: held ? 'flush' : 'sync' }),
    until: held ? 'complete' : 'ready',
    commits,
    sink: result,
    rowMax: result.rowMax,
  });
  if (!held) {
    demandCommitted(ready.statement, tag);
    await database.types.learn(result.unknownTypes, ask(false));
    return commits ? finishedAfter(result, ready, tag) : finished(result, ready, tag);
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
  return whole;
}

const NOTHING_AROUND = { before: [], after: [] };

/** A statement with all that goes around it. */
function messageOf(
  execution: Execution,
  { parsed, statement, undone }: Query,
  { opening, ending }: { opening: OwnStatements | undefined; ending: 'sync' | 'flush' },
): Pick<Exchange, 'bytes' | 'main' | 'others' | 'behind' | 'ends'> {
  const around = undone ? undoing(execution.connection, 'READ ONLY') : NOTHING_AROUND;
  const before = [...(opening?.all ?? []), ...aheadOf(execution, parsed), ...around.before];
  const preparing = execution.share?.preparing;
  const through = [...before, statement, ...around.after];
  const bytes = statementMessages([...through, ...(preparing?.own.all ?? [])], ending);
  const main = before.length;
  const others = new Map<number, Sink>();
  if (opening) others.set(opening.main, opening.sink);
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
