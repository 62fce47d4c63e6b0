/** What the marks in a table of MySQL say of shares. Spec: transactions.md §2, §7. */
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { OnceMark } from '../../../proto/once.ts';
import type { ShareStatus } from '../../../proto/prepares.ts';
import { forestalling, statusOfBody } from '../once.ts';
import type { Connection } from './connection.ts';
import { keepMark, keptMark, openTable } from './once-table.ts';

/** Waited too long for another call's lock, or in a circle with it. */
const CONTENDED = new Set([1205, 1213]);

/** Whether another call with the same key stood in the way. */
export function isContended(error: unknown): error is ServerError {
  return error instanceof ServerError && CONTENDED.has(error.errno);
}

/** What a mark says; one that is not there never comes after that. */
export async function settleMark(connection: Connection, mark: OnceMark): Promise<ShareStatus> {
  await openTable(connection, mark.place);
  try {
    // It waits for one that is written and not committed.
    if (await keepMark(connection, forestalling(mark))) return 'rolled_back';
  } catch (error) {
    if (isContended(error)) return 'open';
    throw error;
  }
  const kept = await keptMark(connection, mark);
  return statusOfBody(kept?.body, mark);
}
