/** Warns of prepared transactions that nobody has finished. keys-and-doors.md §5. */
import type { Warning } from '../../../proto/driver.ts';
import type { AskRows } from './ask.ts';

/** Seconds after which a prepared transaction is old. Spec: transactions.md §3. */
const OLD_S = 3_600;
/** Most names that the message gives. */
const NAMES_MAX = 10;

/**
 * Nothing where there is no old one.
 * @param ask looks up in the catalog, with `search_path` on pg_catalog
 * @param olderThanS seconds since it was prepared; an hour by default
 */
export async function preparedWarnings(ask: AskRows, olderThanS = OLD_S): Promise<Warning[]> {
  const rows = await ask({
    text: `SELECT quote_literal(gid), count(*) OVER () FROM pg_prepared_xacts
      WHERE database = current_database() AND prepared <= clock_timestamp() - make_interval(secs => $1)
      ORDER BY prepared LIMIT ${NAMES_MAX}`,
    values: [String(olderThanS)],
  });
  if (rows.length === 0) return [];
  const count = Number(rows[0]?.[1]);
  const what = count === 1 ? 'A prepared transaction is' : `${count} prepared transactions are`;
  const ends = rows.map(([gid]) => `ROLLBACK PREPARED ${gid};`).join(' ');
  const message =
    `${what} older than an hour: its locks are held, and VACUUM removes nothing that is newer. ` +
    `If the one that prepared it does not finish it, run as its owner or a superuser (COMMIT in place of ROLLBACK where the others have committed): ${ends}`;
  return [{ code: 'PREPARED_TRANSACTIONS_OLD', message }];
}
