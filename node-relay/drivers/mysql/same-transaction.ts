/** Whether a transaction is still the one that began: programs can end it and begin another. */
import { randomUUID } from 'node:crypto';
import { fromServer, ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Parsed } from '../../../kinds/mysql/dialect/statement.ts';
import { type BackendDetail, GatewayError } from '../../../proto/errors.ts';
import type { Connection } from './connection.ts';

/** No such savepoint. */
const MISSING = 1305;
/** A deadlock, a lock that was waited for too long: with them the server undoes all by itself. */
const UNDONE_ALL = new Set([1205, 1213]);

/**
 * Runs a statement in a transaction that is open. A savepoint set ahead of a program is gone when the program has
 * ended the transaction.
 * @throws GatewayError of the statement; it says `applied` where what came before is kept
 */
export async function inTheSame<Value>(
  connection: Connection,
  { first }: Parsed,
  work: () => Promise<Value>,
): Promise<Value> {
  if (first !== 'CALL') return work();
  const savepoint = `causeway_${randomUUID().replaceAll('-', '')}`;
  await connection.query(`SAVEPOINT ${savepoint}`);
  const value = await work().catch(async (error: unknown) => {
    const isUndone = error instanceof ServerError && UNDONE_ALL.has(error.errno);
    if (isUndone || (await isThere(connection, savepoint))) throw error;
    throw applied(error);
  });
  if (!(await isThere(connection, savepoint))) throw endedEarly();
  return value;
}

/** Of a connection that is lost or stopped nothing is known. */
async function isThere(connection: Connection, savepoint: string): Promise<boolean> {
  if (connection.wire.lost || connection.interrupted) return true;
  try {
    await connection.query(`RELEASE SAVEPOINT ${savepoint}`);
    return true;
  } catch (error) {
    if (error instanceof ServerError && error.errno === MISSING) return false;
    throw error;
  }
}

function applied(error: unknown): unknown {
  const failure = error instanceof ServerError ? fromServer(error, 'write') : error;
  if (!(failure instanceof GatewayError)) return failure;
  const { code, message, details } = failure;
  const own = details.find((each): each is BackendDetail => 'source' in each);
  const detail = { ...(own ?? { source: 'mysql', code, message }), applied: true as const };
  return new GatewayError(code, message, { cause: error, details: [detail] });
}

/** A procedure has committed: what came before it is kept. */
export function endedEarly(): GatewayError {
  const message = 'The statement ended the transaction; what came before it may be kept';
  return new GatewayError('REQUEST_FAILED', message, {
    details: [{ source: 'mysql', code: 'transaction_ended', message, applied: true }],
  });
}
