/** Sends one statement on one connection: what goes around it, its parameters, its result. */

import { isRead, type StatementScope } from '../../../kinds/mysql/dialect/admit.ts';
import { aroundOf } from '../../../kinds/mysql/dialect/caller-settings.ts';
import { Catalog } from '../../../kinds/mysql/dialect/catalog.ts';
import { checkCount } from '../../../kinds/mysql/dialect/count.ts';
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import { type RowsRequest, valuesOf } from '../../../kinds/mysql/dialect/parameters.ts';
import { isSelect, type Parsed } from '../../../kinds/mysql/dialect/statement.ts';
import { asksForTraces, mayLeaveTraces } from '../../../kinds/mysql/dialect/traces.ts';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import type { Call } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { resultTooLarge } from '../byte-text.ts';
import type { Traces } from '../lender.ts';
import { sharedSource } from '../long-rows.ts';
import { ConnectionLost } from '../loss.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Companions, Prepared, Sink } from './exchange.ts';
import { followed } from './one-piece.ts';
import { COMMAND, type Outcome, textCommand } from './packets.ts';
import { beforeRead, requireReading } from './reading.ts';
import { SeveralResults, SqlResult } from './result.ts';
import type { RowOptions } from './rows.ts';
import { isAllOrNothing, namedIn } from './undone.ts';

/** Where and within what a request runs. */
export interface Execution {
  readonly database: Database;
  readonly connection: Connection;
  readonly call: Call;
  readonly place: StatementScope;
  /** Called when the statement is sent: what it sends goes in one piece with it. */
  readonly sent?: (() => void) | undefined;
}

/** A statement that may be sent. */
interface Query {
  readonly request: Pick<MysqlRequest, 'type' | 'row_format'>;
  readonly parsed: Parsed;
  readonly values: readonly Json[];
  readonly read: boolean;
}

/** Lets a read pass the guard, and answers what a statement will leave on the connection. */
export async function admitted(
  execution: Execution,
  parsed: Parsed,
  read: boolean,
): Promise<Traces> {
  const { database, connection } = execution;
  if (execution.place === 'call' && asksForTraces(parsed) && !(await connection.reset())) {
    connection.cut();
    throw new ConnectionLost('The connection could not be reset');
  }
  const catalog = new Catalog((query, values) => connection.rows(query, values));
  await demandOpen(execution, parsed, catalog);
  const isOwn = execution.place === 'call';
  if (read && !isOwn) await requireReading(connection);
  // Other reads begin transactions that are read-only.
  const mayWrite = execution.place === 'transaction' && !connection.wire.readOnlyTransaction;
  const guard = mayWrite ? database.guard.withinWrites : database.guard;
  if (read) await guard.admit(parsed, catalog, !isOwn);
  if (mayLeaveTraces(parsed)) return 'some';
  // What views of a read call is the server's own, unless more is allowed.
  if (read && guard.strict) return 'none';
  return { ask: () => database.hidden.leftBy(parsed, catalog) };
}

/**
 * Refuses what names more than `config.allow` opens: every statement of a caller passes here, on every way in. On a
 * session of the caller's own it is read as the session reads it.
 * @throws GatewayError FORBIDDEN
 */
export async function demandOpen(
  { database, connection, place }: Execution,
  parsed: Parsed,
  catalog = new Catalog((query, values) => connection.rows(query, values)),
): Promise<void> {
  if (!database.allowGuard) return;
  if (place === 'lease') await requireReading(connection);
  await database.allowGuard.admit(parsed, catalog);
}

/** The server prepares no statements of this sort: it is sent as it is. */
const NOT_PREPARABLE = 1295;

/**
 * Runs a statement in the binary form, or as text where the server prepares none of its sort; around it, what says who
 * calls. All statements of callers pass here.
 * @throws GatewayError FORBIDDEN where it could set what is told of its caller
 */
export async function send(
  execution: Execution,
  { parsed, values, read }: Pick<Query, 'parsed' | 'values' | 'read'>,
  sinkOf: (form: RowOptions['form']) => Sink,
  commits: boolean,
): Promise<Outcome> {
  const { connection, sent } = execution;
  const around = await tellingWhoCalls(execution, parsed);
  const note = () => void (read || noteKept(execution, parsed));
  if (values.length === 0 && !parsed.prepared) {
    note();
    const query = () => connection.query(parsed.text, sinkOf('text'), commits, around);
    return followed(connection.wire, query, sent);
  }
  const isStale = await mayBeStale(execution, parsed);
  let prepared: Prepared;
  try {
    prepared = await connection.statements.prepare(parsed.text, isStale);
  } catch (error) {
    const asText = error instanceof ServerError && error.errno === NOT_PREPARABLE;
    if (!asText || values.length > 0) throw error;
    note();
    return connection.query(parsed.text, sinkOf('text'), commits, around);
  }
  try {
    // Nothing was sent before that could be kept.
    note();
    const run = () => connection.execute(prepared, values, sinkOf('binary'), commits, around);
    return await followed(connection.wire, run, sent);
  } finally {
    connection.statements.release(parsed.text, prepared);
  }
}

/** Shares of transactions over many databases are undone by their names: tables without transactions take no part in them. */
function noteKept({ connection, call }: Execution, parsed: Parsed): void {
  if (call.mode === 'read' || connection.share !== undefined) return;
  if (!connection.mayKeep) connection.named.clear();
  connection.named.add(namedIn(parsed.tokens));
  if (connection.mayKeep !== true) {
    connection.mayKeep = isAllOrNothing(parsed) ? 'without transactions' : true;
  }
}

/** Of a statement that runs for the first time on its connection nothing is asked. */
async function mayBeStale({ database, connection }: Execution, parsed: Parsed): Promise<boolean> {
  if (!connection.isMariadb || !connection.statements.has(parsed.text)) return false;
  const catalog = new Catalog((query, values) => connection.rows(query, values));
  return database.plans.goStale(parsed, catalog);
}

async function tellingWhoCalls(
  { database, connection, call, place }: Execution,
  parsed: Parsed,
): Promise<Companions | undefined> {
  const { session } = call;
  if (session === undefined) return undefined;
  if (!session.maySet) {
    const catalog = new Catalog((query, values) => connection.rows(query, values));
    await database.setters.admit(parsed, catalog, place !== 'call');
  }
  const around = aroundOf(session, parsed);
  return (
    around && {
      ahead: textCommand(COMMAND.query, around.ahead),
      behind: textCommand(COMMAND.query, around.behind),
    }
  );
}

/** Sends a statement and answers its result. */
export async function execute(
  execution: Execution,
  ready: Query,
  budget = execution.call.resultMaxBytes,
): Promise<Buffer> {
  const { connection, place, call } = execution;
  let overflowed = false;
  const onOverflow = (row: 'part' | 'whole') => {
    overflowed = true;
    // Stopping ends the connection, so a transaction or a lease rather drops the rows; and
    // a statement that may change something is better reported than stopped halfway.
    if (place === 'call' && mayStop(ready)) connection[row === 'whole' ? 'drop' : 'interrupt']();
  };
  let result: SqlResult | SeveralResults | undefined;
  const sinkOf = (form: RowOptions['form']) => {
    const rowFormat = ready.request.row_format ?? 'object';
    const options = { numbersAsStrings: call.numbersAsStrings, rowFormat, form };
    const source = sharedSource(connection.wire.socket);
    const isUndone = place === 'transaction';
    const make = (max: number) =>
      new SqlResult(options, { max, onOverflow, source: source(), call }, isUndone);
    const several = ready.parsed.first === 'CALL' && !ready.request.type.startsWith('query');
    result =
      several && ready.request.type !== 'execute' ? new SeveralResults(make, budget) : make(budget);
    return result;
  };
  const finish = async (outcome: Outcome): Promise<Buffer> => {
    if (!result) throw new Error('no result');
    await result.written();
    checkCount(ready.request.type, result.rowCount);
    const { changes, returning } = ready.parsed;
    // What answers rows is not followed by a count.
    const affected = returning ? BigInt(result.rowCount) : outcome.affected;
    return result.finish({ ...outcome, affected }, changes && (returning || result.isEmpty));
  };
  try {
    if (ready.read) return await executeRead(execution, ready, sinkOf, finish);
    return await executeWrite(execution, ready, sinkOf, finish);
  } catch (error) {
    result?.abandon();
    if (overflowed && !(error instanceof GatewayError) && !call.signal.aborted)
      throw resultTooLarge(budget);
    throw error;
  }
}

/** Whether none of a statement is kept when it is stopped. */
function mayStop({ read, parsed }: Query): boolean {
  return read || isSelect(parsed) || parsed.returning;
}

type SinkOf = (form: RowOptions['form']) => Sink;
/** Makes the result once its rows are written. */
type Finish = (outcome: Outcome) => Promise<Buffer>;

async function executeRead(
  execution: Execution,
  ready: Query,
  sinkOf: SinkOf,
  finish: Finish,
): Promise<Buffer> {
  const begun = await beforeRead(execution);
  try {
    return await finish(await send(execution, ready, sinkOf, false));
  } finally {
    if (begun) await ended(execution.connection, 'COMMIT');
  }
}

async function executeWrite(
  execution: Execution,
  ready: Query,
  sinkOf: SinkOf,
  finish: Finish,
): Promise<Buffer> {
  const { connection, place, call } = execution;
  const { changes, returning } = ready.parsed;
  // Rows are looked at before the change is kept, unless a transaction is open anyway.
  const counted = /^query_(?:one|opt)/.test(ready.request.type);
  const held = place === 'call' && changes && (returning || counted);
  if (!held) {
    // What begins a transaction may be on its way.
    const isOpen = place === 'transaction' || connection.wire.inTransaction;
    const commits = !isOpen || ready.parsed.first === 'COMMIT';
    const outcome = await send(execution, ready, sinkOf, commits);
    if (ready.parsed.first === 'USE') connection.used = ready.parsed.text;
    return commits && !isSelect(ready.parsed) ? afterwards(() => finish(outcome)) : finish(outcome);
  }
  await connection.query('START TRANSACTION');
  let whole: Buffer;
  try {
    whole = await finish(await send(execution, ready, sinkOf, false));
    call.signal.throwIfAborted();
  } catch (error) {
    await ended(connection, 'ROLLBACK');
    throw error;
  }
  await connection.query('COMMIT', {}, true);
  return whole;
}

/** Ends a transaction; when that fails too, the connection is lost and the server undoes it. */
export async function ended(connection: Connection, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  if (connection.wire.lost || connection.interrupted) return;
  await connection.query(how).catch(() => connection.cut());
}

/** A result of a change that is done already: when it cannot be told, `details` say `applied`. */
async function afterwards(finish: () => Promise<Buffer>): Promise<Buffer> {
  try {
    return await finish();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { code, message } = error;
    const details = [{ source: 'mysql', code, message, applied: true as const }];
    throw new GatewayError(code, message, { details });
  }
}

/** Runs one statement with parameters. */
export async function runOne(
  execution: Execution,
  request: RowsRequest,
  parsed: Parsed,
): Promise<{ value: Buffer; traces: Traces }> {
  const read = isRead(request, execution.call.mode);
  const traces = await admitted(execution, parsed, read);
  const values = valuesOf(request, parsed);
  const value = await execute(execution, { request, parsed, values, read });
  return { value, traces };
}
