/** Idempotency keys of actions: for one workflow, action and value one effect in all runs. Spec: workflows.md §4, `idempotencyKey`. */
import type { Keeper } from './keeper.ts';
import type { KeyStanding } from './object.ts';

/** Milliseconds from the action's end. Spec: workflows.md §4. */
const KEPT_FOR_MS = 7 * 24 * 3600 * 1000;
/** Values of keys belong to no run. */
const NO_RUN = 0;

interface KeyRow extends Record<string, SqlStorageValue> {
  readonly run: string;
  readonly path: string;
  readonly state: string;
  readonly ref: number | null;
  readonly expires: number | null;
}

/** A run's action that is told when a key is free, or done. */
export interface Waiter extends Record<string, SqlStorageValue> {
  readonly run: string;
  readonly path: string;
}

/** The state of a key for an action that asks for it; the first to ask has it. */
export function claimKey(
  { sql, vault }: Keeper,
  name: string,
  run: string,
  path: string,
  now: number,
): KeyStanding {
  const known = select(sql, name);
  if (!known || (known.expires !== null && known.expires <= now)) {
    sql.exec(
      'INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, NULL, NULL)',
      name,
      run,
      path,
      'held',
    );
    return { is: 'own' };
  }
  if (known.state === 'done') {
    return { is: 'done', ...(known.ref === null ? {} : { text: vault.text(NO_RUN, known.ref) }) };
  }
  if (known.state === 'unknown') return { is: 'unknown' };
  if (known.run === run && known.path === path) return { is: 'own' };
  sql.exec('INSERT OR IGNORE INTO waiters VALUES (?, ?, ?)', name, run, path);
  return { is: 'elsewhere' };
}

/**
 * Gives a key its end, where the action has it; else it stops waiting for it. Answers who is to be
 * told.
 */
export function settleKey(
  { sql, vault }: Keeper,
  name: string,
  { run, path }: Waiter,
  as: 'done' | 'unknown' | 'free',
  text: string | undefined,
  now: number,
): Waiter[] {
  const known = select(sql, name);
  if (known?.run !== run || known.path !== path) {
    sql.exec('DELETE FROM waiters WHERE name = ? AND run = ? AND path = ?', name, run, path);
    return [];
  }
  if (as === 'free') sql.exec('DELETE FROM keys WHERE name = ?', name);
  else {
    const ref = text === undefined ? null : vault.keep(NO_RUN, text);
    const set = 'UPDATE keys SET state = ?, ref = ?, expires = ? WHERE name = ?';
    sql.exec(set, as, ref, now + KEPT_FOR_MS, name);
  }
  return sql.exec<Waiter>('SELECT run, path FROM waiters WHERE name = ?', name).toArray();
}

/** A waiter was told; it asks again. */
export function dropWaiter({ sql }: Keeper, name: string, { run, path }: Waiter): void {
  sql.exec('DELETE FROM waiters WHERE name = ? AND run = ? AND path = ?', name, run, path);
}

/** Removes keys whose time is over. */
export function expireKeys({ sql }: Keeper, now: number): void {
  const old = 'SELECT ref FROM keys WHERE expires <= ? AND ref IS NOT NULL';
  sql.exec(`DELETE FROM pieces WHERE run = ${NO_RUN} AND ref IN (${old})`, now);
  sql.exec(`DELETE FROM texts WHERE run = ${NO_RUN} AND ref IN (${old})`, now);
  sql.exec('DELETE FROM keys WHERE expires <= ?', now);
}

function select(sql: SqlStorage, name: string): KeyRow | undefined {
  return sql
    .exec<KeyRow>('SELECT run, path, state, ref, expires FROM keys WHERE name = ?', name)
    .toArray()[0];
}
