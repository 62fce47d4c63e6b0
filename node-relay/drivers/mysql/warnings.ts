/** Warns of prepared transactions that nobody has finished. keys-and-doors.md §5. */
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { Warning } from '../../../proto/driver.ts';
import type { Connection } from './connection.ts';
import { listed } from './finish.ts';

/** Seconds after which a prepared transaction is old. Spec: transactions.md §3. */
const OLD_S = 3_600;
/** Most names that the message gives. */
const NAMES_MAX = 10;
/** Prepared transactions have no connection any more; the server does not say which is whose. */
const OLD = `SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.INNODB_TRX
  WHERE trx_mysql_thread_id = 0 AND trx_id <> '0' AND trx_started <= NOW() - INTERVAL ? SECOND`;

/** Nothing where there is no old one, or it may not be seen. @param olderThanS seconds since it began; an hour by default */
export async function preparedWarnings(
  connection: Connection,
  olderThanS = OLD_S,
): Promise<Warning[]> {
  try {
    const names = await listed(connection);
    if (names.length === 0) return [];
    const [[count = '0'] = []] = await connection.rows(OLD, [olderThanS]);
    return Number(count) === 0 ? [] : [warningOf(Number(count), names)];
  } catch (error) {
    // XA_RECOVER_ADMIN or PROCESS is missing, or the server is only like MySQL: nothing is known.
    if (error instanceof ServerError) return [];
    throw error;
  }
}

function warningOf(count: number, names: readonly string[]): Warning {
  const what = count === 1 ? 'A prepared transaction is' : `${count} prepared transactions are`;
  const quoted = names.slice(0, NAMES_MAX).map((name) => `'${name.replaceAll("'", "''")}'`);
  const ends = quoted.map((name) => `XA ROLLBACK ${name};`).join(' ');
  const message =
    `${what} older than an hour and still held: its locks are held too. If the one that prepared it does not finish it, run ` +
    `of these what is its (COMMIT in place of ROLLBACK where the others have committed): ${ends}`;
  return { code: 'PREPARED_TRANSACTIONS_OLD', message };
}
