/** Ends prepared transactions by their names, and finds them again. Spec: transactions.md §3. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Statement } from '../../../kinds/postgres/dialect/ask.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Finished, LockWaits, PreparedShare, ShareStatus } from '../../../proto/prepares.ts';
import type { Connection } from './connection.ts';
import { statementMessages } from './messages.ts';

/** SQLSTATEs: no prepared transaction of that name; another session is finishing it; another role prepared it. */
const UNDEFINED_OBJECT = '42704';
const NOT_IN_PREREQUISITE_STATE = '55000';
const INSUFFICIENT_PRIVILEGE = '42501';

/** Milliseconds for which a session that was told to end is waited for, and between two looks. */
const ENDING_MS = 3_000;
const LOOK_EVERY_MS = 20;

/** Commits by name; what is not there is asked after by its number. */
export async function commitPrepared(
  connection: Connection,
  name: string,
  recovery: string,
): Promise<Finished> {
  if (await finished(connection, 'COMMIT', name)) {
    return { found: true, status: 'committed' };
  }
  return { found: false, status: await statusOf(connection, name, recovery) };
}

/** Undoes by name; a session that still works on it is ended first. */
export async function rollbackPrepared(
  connection: Connection,
  name: string,
  recovery: string,
): Promise<Finished> {
  const undone = () => finished(connection, 'ROLLBACK', name);
  if ((await undone()) || ((await endWorkers(connection, name)) && (await undone()))) {
    return { found: true, status: 'rolled_back' };
  }
  return { found: false, status: await statusOf(connection, name, recovery) };
}

/** Ends it; a statement of its own may have taken another role, which alone can end what it prepared. Answers whether it was there. */
async function finished(
  connection: Connection,
  how: 'COMMIT' | 'ROLLBACK',
  name: string,
): Promise<boolean> {
  const text = `${how} PREPARED '${name}'`;
  try {
    return await ended(connection, text);
  } catch (error) {
    const isOfAnother = error instanceof DatabaseError && error.code === INSUFFICIENT_PRIVILEGE;
    if (!isOfAnother) throw error;
    const rows = await connection.catalogRows({
      text: "SELECT pg_catalog.set_config('role', owner::text, false) FROM pg_catalog.pg_prepared_xacts WHERE gid = $1",
      values: [name],
    });
    if (rows.length === 0) return false;
    try {
      return await ended(connection, text);
    } finally {
      await connection.catalogRows({ text: 'RESET ROLE' });
    }
  }
}

async function ended({ wire }: Connection, text: string): Promise<boolean> {
  try {
    await wire.exchange({
      bytes: statementMessages([{ text }], 'sync'),
      until: 'ready',
      commits: true,
    });
    return true;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code === UNDEFINED_OBJECT) return false;
    if (error.code !== NOT_IN_PREREQUISITE_STATE) throw error;
    const message = 'Another session is finishing the prepared transaction';
    throw new GatewayError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: 1 });
  }
}

/** Sessions that work on a share: they show its name. */
const workers = (name: string): Statement => ({
  text: 'SELECT pid::text FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
  values: [name],
});

/** Ends the sessions that work on a share; answers whether there were any. */
async function endWorkers(connection: Connection, name: string): Promise<boolean> {
  const found = await connection.catalogRows({
    text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
    values: [name],
  });
  const until = performance.now() + ENDING_MS;
  while (found.length > 0 && (await connection.catalogRows(workers(name))).length > 0) {
    if (performance.now() > until) break;
    await sleep(LOOK_EVERY_MS);
  }
  return found.length > 0;
}

/** What became of a transaction that is not prepared. */
async function statusOf(
  connection: Connection,
  name: string,
  recovery: string,
): Promise<ShareStatus> {
  const known = await statusByNumber(connection, recovery);
  if (known !== 'unknown') return known;
  return (await connection.catalogRows(workers(name))).length > 0 ? 'open' : 'unknown';
}

const BY_NUMBER: { readonly [status: string]: ShareStatus } = {
  committed: 'committed',
  aborted: 'rolled_back',
  'in progress': 'open',
};

/** By the transaction's number: unknown of one too old to be told of, or of another server's. */
export async function statusByNumber(
  connection: Connection,
  recovery: string,
): Promise<ShareStatus> {
  if (!/^\d{1,20}$/.test(recovery)) return 'unknown';
  try {
    const text = 'SELECT pg_xact_status($1::text::xid8)';
    const [row] = await connection.catalogRows({ text, values: [recovery] });
    return BY_NUMBER[row?.[0] ?? ''] ?? 'unknown';
  } catch (error) {
    // A number that this server has not come to yet.
    if (error instanceof DatabaseError && error.code?.startsWith('22')) return 'unknown';
    throw error;
  }
}

/** Those of this database whose names begin so. */
export async function recoverPrepared(
  connection: Connection,
  prefix: string,
): Promise<PreparedShare[]> {
  const rows = await connection.catalogRows({
    text: `SELECT gid, greatest(0, extract(epoch FROM clock_timestamp() - prepared) * 1000)::bigint::text, owner
      FROM pg_prepared_xacts WHERE database = current_database() AND starts_with(gid, $1) ORDER BY prepared`,
    values: [prefix],
  });
  return rows.map(([name, ageMs, owner]) => ({
    name: name ?? '',
    ageMs: Number(ageMs),
    owner: owner ?? '',
  }));
}

/** Who waits for whom, over others that wait in between; a prepared one holds without a session. */
const WAITS = `WITH RECURSIVE chain (waiting, pid, holder) AS (
    SELECT a.application_name, a.pid, b.pid FROM pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) AS b (pid)
    WHERE starts_with(a.application_name, $1)
  UNION
    SELECT c.waiting, c.holder, b.pid FROM chain c, unnest(pg_blocking_pids(c.holder)) AS b (pid) WHERE c.holder <> 0
  )
  SELECT c.waiting, a.application_name FROM chain c JOIN pg_stat_activity a ON a.pid = c.holder
  WHERE starts_with(a.application_name, $1)
  UNION
  SELECT c.waiting, p.gid FROM chain c
  JOIN pg_locks w ON w.pid = c.pid AND NOT w.granted
  JOIN pg_locks h ON h.pid IS NULL AND h.granted
    AND (h.locktype, h.database, h.relation, h.page, h.tuple, h.transactionid, h.classid, h.objid, h.objsubid)
      IS NOT DISTINCT FROM
      (w.locktype, w.database, w.relation, w.page, w.tuple, w.transactionid, w.classid, w.objid, w.objsubid)
  JOIN pg_locks x ON x.virtualtransaction = h.virtualtransaction AND x.pid IS NULL AND x.granted
    AND x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
  JOIN pg_prepared_xacts p ON p.transaction = x.transactionid
  WHERE c.holder = 0 AND starts_with(p.gid, $1)`;

/** Waits for locks among those whose names begin so. */
export async function lockWaits(connection: Connection, prefix: string): Promise<LockWaits> {
  const rows = await connection.catalogRows({ text: WAITS, values: [prefix] });
  const waits = rows.map(([waiting, holding]) => ({
    waiting: waiting ?? '',
    holding: holding ?? '',
  }));
  return { shown: true, waits };
}
