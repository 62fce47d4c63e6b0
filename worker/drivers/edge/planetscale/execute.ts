/** Runs statements at PlanetScale: what goes around them, and their results. */
import { oneStatement } from '../../../../kinds/mysql/dialect/admit.ts';
import { checkCount } from '../../../../kinds/mysql/dialect/count.ts';
import {
  hasNames,
  type RowsRequest,
  valuesOf,
} from '../../../../kinds/mysql/dialect/parameters.ts';
import { isSelect, type Parsed } from '../../../../kinds/mysql/dialect/statement.ts';
import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import type { Call } from '../../../../proto/driver.ts';
import { resultBytes } from '../sql/reply.ts';
import { sendThenWrite } from '../sql/send-then-write.ts';
import { writtenRows } from './columns.ts';
import type { PlanetScaleConnection, StatementReply } from './connection.ts';
import type { Database } from './database.ts';
import { toldFailure } from './failures.ts';
import { withValues } from './literal.ts';

/** A statement that may be sent: its values are in its text. */
export interface Query {
  readonly request: Pick<MysqlRequest, 'type' | 'row_format'>;
  readonly parsed: Parsed;
  readonly text: string;
  readonly read: boolean;
}

/** A request's statement as it may be sent. @throws GatewayError */
export async function ready(
  database: Database,
  request: RowsRequest,
  read: boolean,
  place: 'http' | 'transaction',
  call: Call,
): Promise<Query> {
  const parsed = oneStatement(request.query, hasNames(request), place);
  await admit(database, parsed, read, call, place);
  return { request, parsed, read, text: withValues(parsed.text, valuesOf(request, parsed)) };
}

/** Lets a statement pass the guard; looking things up changes nothing. */
export async function admit(
  database: Database,
  parsed: Parsed,
  read: boolean,
  call: Call,
  place: 'http' | 'transaction' = 'http',
): Promise<void> {
  try {
    await database.demandSound(call);
    await database.allowGuard?.admit(parsed, database.catalog(call));
    const guard = place === 'transaction' ? database.guard.withinWrites : database.guard;
    if (read) await guard.admit(parsed, database.catalog(call));
  } catch (error) {
    throw toldFailure(error, 'read');
  }
}

/** Runs one statement by itself. */
export async function execute(
  database: Database,
  statement: Query,
  call: Call,
): Promise<Uint8Array> {
  const line = database.line(call);
  const { parsed, read, request } = statement;
  if (read) {
    const work = () => run(line, statement, call, call.resultMaxBytes);
    return inTransaction(line, call, 'read', work);
  }
  const counted = /^query_(?:one|opt)/.test(request.type);
  // Rows are looked at before the change is kept.
  if (parsed.changes && (parsed.returning || counted)) {
    const work = () => run(line, statement, call, call.resultMaxBytes);
    return inTransaction(line, call, 'write', work);
  }
  const change = {
    changes: !isSelect(parsed),
    source: 'mysql',
    told: (error: unknown) => error,
  } as const;
  return sendThenWrite(
    change,
    () => line.send(statement.text),
    (answer) => written(statement, answer, call, call.resultMaxBytes),
  );
}

/** Runs a statement on an open line. */
export async function run(
  line: PlanetScaleConnection,
  statement: Query,
  call: Call,
  max: number,
): Promise<Uint8Array> {
  return written(statement, await line.send(statement.text), call, max);
}

/**
 * Runs work in a transaction of the line's own, which of a read changes nothing whatever it calls.
 * @throws GatewayError OUTCOME_UNKNOWN when it is unknown whether a change was kept
 */
export async function inTransaction<Value>(
  line: PlanetScaleConnection,
  { signal }: Pick<Call, 'signal'>,
  mode: 'read' | 'write',
  work: () => Promise<Value>,
): Promise<Value> {
  let value: Value;
  try {
    await line.send(mode === 'read' ? 'START TRANSACTION READ ONLY' : 'START TRANSACTION');
    value = await work();
    signal.throwIfAborted();
  } catch (error) {
    // When that fails too, the server undoes the abandoned transaction.
    if (!signal.aborted) await line.send('ROLLBACK').catch(() => {});
    throw toldFailure(error, 'read');
  }
  try {
    await line.send('COMMIT');
  } catch (error) {
    throw toldFailure(error, mode);
  }
  return value;
}

/** The result of one statement as JSON text. @throws GatewayError REQUEST_FAILED, RESULT_TOO_LARGE */
function written(
  { request, parsed }: Query,
  { fields, rows, affected, insertId }: StatementReply,
  call: Call,
  max: number,
): Uint8Array {
  checkCount(request.type, rows.length);
  const rowFormat = request.row_format ?? 'object';
  const { numbersAsStrings } = call;
  const { columnsJson, rows: texts } = writtenRows(fields, rows, { numbersAsStrings, rowFormat });
  const counts = parsed.changes && (parsed.returning || fields.length === 0);
  // What answers rows is not followed by a count.
  const count = parsed.returning ? rows.length : affected;
  const tail = counts ? `,"rows_affected":${count}` : '';
  const inserted = insertId === '0' || insertId === '' ? '' : `,"insert_id":${idText(insertId)}`;
  const head = `{"columns":${columnsJson},"rows":[`;
  const text = `${head}${texts.join(',')}],"row_count":${rows.length}${tail}${inserted}}`;
  return resultBytes(text, max);
}

function idText(id: string): string {
  return Number.isSafeInteger(Number(id)) ? id : `"${id}"`;
}
