/** Who waits for locks among shares of one transaction. Spec: transactions.md §4. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { LockWait, LockWaits } from '../../../proto/prepares.ts';
import type { Connection } from './connection.ts';
import { listed } from './finish.ts';

/** Shares that one transaction may have. Spec: transactions.md §1. */
const SHARES_MAX = 32;
/** A connection's number, and its transaction's for one that has no connection any more. */
const PARTIES = `CAST(r.trx_mysql_thread_id AS CHAR), CAST(b.trx_mysql_thread_id AS CHAR)`;
const TRX = 'information_schema.INNODB_TRX';
/** MariaDB's, and MySQL's since 8.0. Source: MySQL manual, "INNODB_LOCK_WAITS", "data_lock_waits". */
const QUERIES = [
  `SELECT ${PARTIES} FROM information_schema.INNODB_LOCK_WAITS w
    JOIN ${TRX} r ON r.trx_id = w.requesting_trx_id JOIN ${TRX} b ON b.trx_id = w.blocking_trx_id`,
  `SELECT ${PARTIES} FROM performance_schema.data_lock_waits w
    JOIN ${TRX} r ON r.trx_id = w.REQUESTING_ENGINE_TRANSACTION_ID
    JOIN ${TRX} b ON b.trx_id = w.BLOCKING_ENGINE_TRANSACTION_ID`,
];
/** No such table. */
const MISSING = new Set([1109, 1146, 1049]);
/** Denied: it needs PROCESS, or SELECT on performance_schema. */
const DENIED = new Set([1044, 1142, 1227]);
/** Of what is prepared and has no connection. */
const NO_CONNECTION = '0';

/** Milliseconds that the server's picture of locks must be left alone to be made anew. Source: MariaDB, `trx0i_s.cc`. */
const FRESH_MS = 120;

/** Looks at lock waits one after another, each long enough after the one before to see something new. */
export class LockLooks {
  #last: Promise<number> = Promise.resolve(Number.NEGATIVE_INFINITY);

  /** As `lockWaits`, in its turn. */
  look(connection: Connection, prefix: string): Promise<LockWaits> {
    const look = this.#last.then(async (endedAt) => {
      const leftMs = endedAt + FRESH_MS - performance.now();
      if (leftMs > 0) await sleep(leftMs);
      return lockWaits(connection, prefix);
    });
    const ended = () => performance.now();
    this.#last = look.then(ended, ended);
    return look;
  }
}

/** Waits among shares whose names begin so; `prefix` is one transaction's, whose shares can be counted up. */
async function lockWaits(connection: Connection, prefix: string): Promise<LockWaits> {
  const names = Array.from({ length: SHARES_MAX }, (_, index) => `${prefix}${index}`);
  const edges = await edgesOf(connection);
  if (edges === undefined) return { shown: false, waits: [] };
  const workers = await workersOf(connection, names);
  const reached = [...workers].map(([worker, waiting]) => ({
    waiting,
    holders: holdersOf(worker, edges),
  }));
  const isDetached = reached.some(({ holders }) => holders.has(NO_CONNECTION));
  const prepared = isDetached ? detached(await listed(connection), prefix, workers) : '';
  return { shown: true, waits: reached.flatMap((each) => waitsOf(each, workers, prepared)) };
}

function waitsOf(
  { waiting, holders }: { readonly waiting: string; readonly holders: ReadonlySet<string> },
  workers: ReadonlyMap<string, string>,
  prepared: string,
): LockWait[] {
  return [...holders].flatMap((holder) => {
    const holding = holder === NO_CONNECTION ? prepared : workers.get(holder);
    return holding === undefined ? [] : [{ waiting, holding }];
  });
}

/** Who waits for whom, by connections; undefined where it is not shown. */
async function edgesOf(
  connection: Connection,
): Promise<readonly (readonly string[])[] | undefined> {
  for (const query of QUERIES) {
    try {
      return await connection.rows(query, []);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      if (DENIED.has(error.errno)) return undefined;
      if (!MISSING.has(error.errno)) throw error;
    }
  }
  return undefined;
}

/** Names by the connections that work on them. */
async function workersOf(
  connection: Connection,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asks = names.map(() => "COALESCE(CAST(IS_USED_LOCK(?) AS CHAR), '')").join(', ');
  const [row = []] = await connection.rows(`SELECT ${asks}`, names);
  const pairs = names.map((name, index) => [row[index] ?? '', name] as const);
  return new Map(pairs.filter(([worker]) => worker !== ''));
}

/** All that a connection waits for, over others that wait in between. */
function holdersOf(worker: string, edges: readonly (readonly string[])[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [worker];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const [waits, holds = ''] of edges) {
      if (waits !== from || found.has(holds)) continue;
      found.add(holds);
      if (holds !== NO_CONNECTION) waiting.push(holds);
    }
  }
  return found;
}

/** The prepared one that holds, as far as it can be told: one of this transaction's when there are no others. Empty otherwise. */
function detached(
  all: readonly string[],
  prefix: string,
  workers: ReadonlyMap<string, string>,
): string {
  const attached = new Set(workers.values());
  const free = all.filter((name) => !attached.has(name));
  return free.every((name) => name.startsWith(prefix)) ? (free[0] ?? '') : '';
}
