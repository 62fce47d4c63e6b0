/** Whether a transaction is still the one that began: programs can end it and begin another. */
import { randomUUID } from 'node:crypto';
import { aroundOf } from '../../../kinds/mysql/dialect/caller-settings.ts';
import { fromServer, ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Parsed } from '../../../kinds/mysql/dialect/statement.ts';
import { type BackendDetail, GatewayError } from '../../../proto/errors.ts';
import type { Connection } from './connection.ts';
import { type Counts, countsOf, mayHaveEndedXa, mayHaveKept } from './ended-counts.ts';
import type { Execution } from './execute.ts';

/** What runs statements that are not seen. */
const PROGRAMS = new Set(['CALL', 'EXECUTE']);
/** No such savepoint. */
const MISSING = 1305;
/** A lock that was waited for too long, a deadlock: with them servers undo a whole transaction by themselves. */
const UNDOES_ALL = new Set([1205, 1213]);

/**
 * Runs a statement in a transaction that is open. A savepoint set ahead of a program is gone when the program has
 * ended the transaction, and when the server has undone all of it; which of them it was is known by what the program has run.
 * @param isXa whether the transaction is an XA one
 * @throws GatewayError of the statement; it says `applied` where what came before it may be kept
 */
export async function inTheSame<Value>(
  { connection, call }: Pick<Execution, 'connection' | 'call'>,
  parsed: Parsed,
  work: () => Promise<Value>,
  isXa = false,
): Promise<Value> {
  if (!PROGRAMS.has(parsed.first)) return work();
  const savepoint = `causeway_${randomUUID().replaceAll('-', '')}`;
  await connection.query(`SAVEPOINT ${savepoint}`);
  const before = await countsOf(connection);
  const sets = aroundOf(call.session, parsed) === undefined ? 0 : 2;
  const isEnded = isXa ? mayHaveEndedXa : keptUnlessUndone(sets);
  const value = await work().catch(async (error: unknown) => {
    if (await isThere(connection, savepoint)) throw error;
    throw isEnded(before, await countsOf(connection), error) ? applied(error) : error;
  });
  if (await isThere(connection, savepoint)) return value;
  throw endedEarly(isEnded(before, await countsOf(connection)));
}

/** Of a transaction that is no XA one, by the counts and the error of its last statement. */
function keptUnlessUndone(sets: number) {
  return (before: Counts | undefined, after: Counts | undefined, error?: unknown): boolean => {
    const isUndone = error instanceof ServerError && UNDOES_ALL.has(error.errno);
    return !isUndone || mayHaveKept(before, after, sets);
  };
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

/** The failure of a statement, which says that something of its request is kept. Of a connection that is lost nothing is known. */
export function applied(error: unknown): unknown {
  const failure = error instanceof ServerError ? fromServer(error, 'write') : error;
  if (!(failure instanceof GatewayError)) return failure;
  const { code, message, details } = failure;
  const own = details.find((each): each is BackendDetail => 'source' in each);
  const detail = { ...(own ?? { source: 'mysql', code, message }), applied: true as const };
  return new GatewayError(code, message, { cause: error, details: [detail] });
}

/** @param mayBeKept what came before it */
export function endedEarly(mayBeKept = true): GatewayError {
  const message = `The statement ended the transaction; what came before it ${mayBeKept ? 'may be' : 'is not'} kept`;
  const detail = { source: 'mysql', code: 'transaction_ended', message };
  return new GatewayError('REQUEST_FAILED', message, {
    details: [mayBeKept ? { ...detail, applied: true } : detail],
  });
}
