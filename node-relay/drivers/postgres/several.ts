/** Several statements without parameters, together or not at all, as the simple query protocol runs them. */

import { isRead, makesUnusable, severalStatements } from '../../../kinds/postgres/dialect/admit.ts';
import type { Parsed } from '../../../kinds/postgres/dialect/statement.ts';
import type { PostgresRequest } from '../../../kinds/postgres/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { jsonList } from '../byte-text.ts';
import type { Done, Traces } from '../lender.ts';
import { type Admitted, admitted, isWatched } from './admission.ts';
import { undo } from './around.ts';
import { demandEncoding, demandUtf8 } from './encoding.ts';
import { type Execution, execute } from './execute.ts';
import { statementMessages } from './messages.ts';
import { beginFailure } from './pooler.ts';

type SeveralRequest = Extract<
  PostgresRequest,
  { type: 'simple' | 'simple_read_only' | 'batch_execute' }
>;

/** Runs `simple`, `simple_read_only` and `batch_execute`: `{results: […]}`. Contract §6. */
export async function runSeveral(
  execution: Execution,
  request: SeveralRequest,
): Promise<Done<Buffer>> {
  const read = isRead(request, execution.call.mode);
  const statements = severalStatements(request.query, execution.place);
  const admissions = await admissionsOf(execution, statements, read);
  // One statement is a transaction by itself, and some, such as VACUUM, may not be in another.
  const begins = statements.length > 1 && execution.connection.wire.idle;
  const runAll = () => runEach(execution, request, statements, admissions);
  const results = await (begins
    ? inTransaction(execution, read ? 'BEGIN READ ONLY' : 'BEGIN', runAll)
    : runAll());
  return {
    value: jsonList('{"results":[', results, ']}'),
    traces: tracesOf(admissions),
  };
}

async function runEach(
  execution: Execution,
  request: SeveralRequest,
  statements: readonly Parsed[],
  admissions: readonly Admitted[],
): Promise<Buffer[]> {
  const read = isRead(request, execution.call.mode);
  const results: Buffer[] = [];
  let left = execution.call.resultMaxBytes;
  for (const [at, parsed] of statements.entries()) {
    if (at > 0) demandUtf8(execution.connection);
    else demandEncoding(execution, parsed.text);
    const undone = admissions[at]?.undone ?? read;
    const ready = { request, parsed, statement: { text: parsed.text }, read, undone };
    const result = await execute(execution, ready, left);
    left -= result.length;
    results.push(result);
  }
  return results;
}

/** A read asks the catalog first, as all does behind a pooler, and what is not plain is undone before the next; for other writes the answer could wait, so each counts as leaving something. */
async function admissionsOf(
  execution: Execution,
  statements: readonly Parsed[],
  read: boolean,
): Promise<Admitted[]> {
  const each: Admitted[] = [];
  for (const parsed of statements) {
    const asks = read || execution.connection.pooled || isWatched(execution);
    if (asks) each.push(await admitted(execution, parsed, read));
    else each.push({ traces: makesUnusable(parsed) ? 'unusable' : 'some', undone: false });
  }
  return each;
}

function tracesOf(admissions: readonly Admitted[]): Traces {
  const each = admissions.map(({ traces }) => traces);
  if (each.includes('unusable')) return 'unusable';
  return each.every((traces) => traces === 'none') ? 'none' : 'some';
}

/**
 * Runs work between `begin` and COMMIT; a failure rolls back.
 * @throws GatewayError REQUEST_FAILED when COMMIT rolled back, NOT_SUPPORTED behind a pooler that takes no BEGIN
 */
export async function inTransaction<Value>(
  execution: Execution,
  begin: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const { connection } = execution;
  await connection.rows({ text: begin }).catch((cause: unknown) => {
    throw connection.pooled ? beginFailure(cause) : cause;
  });
  try {
    for (const statement of connection.preamble) await connection.rows(statement);
    const value = await work();
    if ((await commit(execution)) === 'COMMIT') return value;
    throw new GatewayError('REQUEST_FAILED', 'The database rolled the transaction back');
  } catch (error) {
    const { wire } = connection;
    if (!wire.lost && !wire.idle) await undo(() => connection.rows({ text: 'ROLLBACK' }));
    throw error;
  }
}

/** Keeps the changes of an open transaction. */
async function commit({ connection, call }: Execution): Promise<string> {
  call.signal.throwIfAborted();
  return connection.wire.exchange({
    bytes: statementMessages([{ text: 'COMMIT' }], 'sync'),
    until: 'ready',
    commits: call.mode === 'write',
    ends: true,
  });
}
