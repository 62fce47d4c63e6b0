/** Who waits for locks among shares of one transaction. Spec: transactions.md §4. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerError } from '../../../kinds/mysql/dialect/failures.ts';
import type { LockWait, LockWaits } from '../../../proto/prepares.ts';
import type { Connection } from './connection.ts';
import { listed } from './finish.ts';
import { workedOn } from './worked-on.ts';

/** Shares that one transaction may have. Spec: transactions.md §1. */
const SHARES_MAX = 32;
/** Of what all names of a log begin with, the empty one behind its last line too. */
const WORDS_OF_LOG = 3;
/** Names that one question may have. Spec silent. */
const NAMES_MAX = 1_000;
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

/** Milliseconds that the server's picture of locks must be left alone to be made again. Source: MariaDB, `trx0i_s.cc`. */
const FRESH_MS = 120;

/** Milliseconds that one look may take; no connection is lent to it for longer. */
const LOOK_MAX_MS = 5_000;

/** Lends a connection for a look. */
type Lend = <Value>(
  signal: AbortSignal,
  work: (connection: Connection) => Promise<Value>,
) => Promise<Value>;
type WaitsByShare = ReadonlyMap<string, LockWaits>;

/**
 * Looks at lock waits: one look answers all who asked before it, and begins long enough after the one before to see
 * something new. Who waits for it holds no connection.
 */
export class LockLooks {
  #last: Promise<unknown> = Promise.resolve();
  #endedAt = Number.NEGATIVE_INFINITY;
  #next: { readonly prefixes: Set<string>; readonly found: Promise<WaitsByShare> } | undefined;

  /** Waits among shares whose names begin so: all of a log's that this process knows, or one transaction's. */
  async look(prefix: string, lend: Lend): Promise<LockWaits> {
    this.#next ??= this.#planned(lend);
    const next = this.#next;
    next.prefixes.add(prefix);
    return (await next.found).get(prefix) ?? { shown: false, waits: [] };
  }

  #planned(lend: Lend) {
    const prefixes = new Set<string>();
    const found = this.#last.then(async () => {
      const leftMs = this.#endedAt + FRESH_MS - performance.now();
      if (leftMs > 0) await sleep(leftMs);
      // Who comes from now on sees what comes from now on.
      this.#next = undefined;
      const signal = AbortSignal.timeout(LOOK_MAX_MS);
      return lend(signal, (connection) => lockWaits(connection, prefixes));
    });
    const ended = (): void => {
      this.#endedAt = performance.now();
    };
    this.#last = found.then(ended, ended);
    return { prefixes, found };
  }
}

async function lockWaits(
  connection: Connection,
  prefixes: ReadonlySet<string>,
): Promise<WaitsByShare> {
  const edges = await edgesOf(connection);
  const found = new Map<string, LockWaits>();
  for (const prefix of prefixes) {
    const shown = edges !== undefined;
    const waits = shown && edges.length > 0 ? await waitsAmong(connection, prefix, edges) : [];
    found.set(prefix, { shown, waits });
  }
  return found;
}

async function waitsAmong(
  connection: Connection,
  prefix: string,
  edges: readonly (readonly string[])[],
): Promise<LockWait[]> {
  const workers = await workersOf(connection, namesOf(prefix));
  const reached = [...workers].map(([worker, waiting]) => ({
    waiting,
    holders: holdersOf(worker, edges),
  }));
  const isDetached = reached.some(({ holders }) => holders.has(NO_CONNECTION));
  const free = isDetached ? detached(await listed(connection), workers) : [];
  return reached.flatMap((each) => waitsOf(each, workers, free));
}

/** Those that this process works on, and of one transaction, whose shares can be counted up, all. */
function namesOf(prefix: string): readonly string[] {
  const ofOne = prefix.split('_').length > WORDS_OF_LOG;
  const counted = ofOne ? Array.from({ length: SHARES_MAX }, (_, n) => `${prefix}${n}`) : [];
  return [...new Set([...counted, ...workedOn(prefix)])].slice(0, NAMES_MAX);
}

function waitsOf(
  { waiting, holders }: { readonly waiting: string; readonly holders: ReadonlySet<string> },
  workers: ReadonlyMap<string, string>,
  free: readonly string[],
): LockWait[] {
  return [...holders].flatMap((holder) => {
    const holding = holder === NO_CONNECTION ? preparedFor(waiting, free) : workers.get(holder);
    return holding === undefined ? [] : [{ waiting, holding }];
  });
}

/** The prepared one that holds, as far as it can be told: where all are of the transaction that waits, or there is one alone. */
function preparedFor(waiting: string, free: readonly string[]): string | undefined {
  const own = waiting.slice(0, waiting.lastIndexOf('_') + 1);
  const isCertain = free.length === 1 || free.every((name) => name.startsWith(own));
  return isCertain ? free[0] : undefined;
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

/** Prepared ones that no connection works on. */
function detached(all: readonly string[], workers: ReadonlyMap<string, string>): string[] {
  const attached = new Set(workers.values());
  return all.filter((name) => !attached.has(name));
}
