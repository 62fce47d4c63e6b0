/** Runs a request of any type on one connection. */

import {
  checkType,
  isRead,
  oneStatement,
  severalStatements,
} from '../../../kinds/mysql/dialect/admit.ts';
import { hasNames } from '../../../kinds/mysql/dialect/parameters.ts';
import type { Parsed } from '../../../kinds/mysql/dialect/statement.ts';
import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import { jsonList } from '../byte-text.ts';
import type { Done, Traces } from '../lender.ts';
import type { Connection } from './connection.ts';
import { admitted, type Execution, ended, execute, runOne } from './execute.ts';
import { applied, inTheSame } from './same-transaction.ts';

type SeveralRequest = Exclude<MysqlRequest, { params?: unknown }>;

/** Runs a request of any type. @throws GatewayError, ServerError, ConnectionLost */
export async function runRequest(
  execution: Execution,
  request: MysqlRequest,
): Promise<Done<Buffer>> {
  checkType(request, execution.call.mode);
  switch (request.type) {
    case 'simple':
    case 'simple_read_only':
    case 'batch_execute':
      return runSeveral(execution, request);
    default: {
      const parsed = oneStatement(request.query, hasNames(request), execution.place);
      const done = await runOne(execution, request, parsed);
      if (parsed.first === 'LOCK' || parsed.first === 'FLUSH')
        execution.connection.tablesLocked = true;
      if (parsed.first === 'UNLOCK') execution.connection.tablesLocked = false;
      return done;
    }
  }
}

/** Several statements, together or not at all: `{results: […]}`. Contract §6. */
async function runSeveral(execution: Execution, request: SeveralRequest): Promise<Done<Buffer>> {
  const read = isRead(request, execution.call.mode);
  const statements = severalStatements(request.query, execution.place);
  const left: Traces[] = [];
  for (const parsed of statements) left.push(await admitted(execution, parsed, read));
  const begins = statements.length > 1 && !execution.connection.wire.inTransaction;
  const begin = read ? 'START TRANSACTION READ ONLY' : 'START TRANSACTION';
  const results = await (begins
    ? inTransaction(execution, begin, () =>
        runEach(execution, request, { statements, read, begin }),
      )
    : runEach(execution, request, { statements, read }));
  return {
    value: jsonList('{"results":[', results, ']}'),
    traces: together(left),
  };
}

/** What several statements leave. */
function together(left: readonly Traces[]): Traces {
  if (left.includes('some')) return 'some';
  const asks = left.flatMap((each) => (typeof each === 'object' ? [each.ask] : []));
  if (asks.length === 0) return 'none';
  const ask = async () => {
    for (const each of asks) if (await each()) return true;
    return false;
  };
  return { ask };
}

interface Several {
  readonly statements: readonly Parsed[];
  readonly read: boolean;
  /** Begins a transaction again after a statement that ended it: what follows is together again. */
  readonly begin?: string;
}

/** @throws GatewayError; it says `applied` where an earlier statement, or the one that failed, has kept what came before it */
async function runEach(
  execution: Execution,
  request: SeveralRequest,
  { statements, read, begin }: Several,
): Promise<Buffer[]> {
  const { connection } = execution;
  const results: Buffer[] = [];
  let left = execution.call.resultMaxBytes;
  let isKept = false;
  for (const [index, parsed] of statements.entries()) {
    const run = async () => {
      const send = () => execute(execution, { request, parsed, values: [], read }, left);
      if (begin === undefined) return send();
      if (!connection.wire.inTransaction) await connection.query(begin);
      return inTheSame(execution, parsed, send);
    };
    const result = await run().catch(async (error: unknown) => {
      isKept ||= begin !== undefined && index > 0 && (await hasCommitted(connection, parsed));
      throw isKept ? applied(error) : error;
    });
    left -= result.length;
    results.push(result);
    isKept ||= begin !== undefined && !connection.wire.inTransaction;
  }
  return results;
}

/** Whether a statement that failed has committed what was open, as most do before they find out why. */
async function hasCommitted(connection: Connection, { commits }: Parsed): Promise<boolean> {
  if (!commits || connection.wire.lost || connection.interrupted) return false;
  // An error does not say whether a transaction is open.
  await connection.query('DO 0');
  return !connection.wire.inTransaction;
}

/** Runs work between `begin` and COMMIT; a failure rolls back. */
export async function inTransaction<Value>(
  { connection, call }: Execution,
  begin: string,
  work: () => Promise<Value>,
): Promise<Value> {
  await connection.query(begin);
  try {
    const value = await work();
    call.signal.throwIfAborted();
    await connection.query('COMMIT', {}, call.mode === 'write');
    return value;
  } catch (error) {
    if (connection.wire.inTransaction) await ended(connection, 'ROLLBACK');
    throw error;
  }
}
