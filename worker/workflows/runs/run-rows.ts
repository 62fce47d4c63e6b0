/** Rows of runs in the database of their object. */
import type { Run } from '../engine/journal.ts';
import type { Retrier, RunHead } from './head.ts';
import type { RunRow } from './journal.ts';

interface RunColumns extends Record<string, SqlStorageValue> {
  readonly run: number;
  readonly id: string;
  readonly head: string;
  readonly body: string;
  readonly seq: number;
}

/** A run as its row has it; `where` binds one value. */
export function selectRun(
  sql: SqlStorage,
  where: 'id = ?' | 'run = ?',
  bound: string | number,
): RunRow | undefined {
  const [row] = sql
    .exec<RunColumns>(`SELECT run, id, head, body, seq FROM runs WHERE ${where}`, bound)
    .toArray();
  if (!row) return undefined;
  const { run, id, head, body, seq } = row;
  return { run, id, head: JSON.parse(head) as RunHead, body: bodyOf(body), seq };
}

/** Where a fork begins; undefined of other runs. */
export function forkOf(sql: SqlStorage, run: number): string | undefined {
  const select = 'SELECT action FROM forks WHERE run = ?';
  return sql.exec<{ action: string }>(select, run).toArray()[0]?.action;
}

export function setFork(sql: SqlStorage, run: number, from: string): void {
  sql.exec('INSERT OR REPLACE INTO forks VALUES (?, ?)', run, from);
}

/** Keeps who retried a run. */
export function setRetrier(sql: SqlStorage, run: number, by: Retrier): void {
  const set = "UPDATE runs SET head = json_set(head, '$.retriedBy', json(?)) WHERE run = ?";
  sql.exec(set, JSON.stringify(by), run);
}

/** The last number that a run has. */
export function lastRun(sql: SqlStorage): number {
  const rows = sql.exec<{ run: number | null }>('SELECT max(run) AS run FROM runs').toArray();
  return rows[0]?.run ?? 0;
}

/** Members that are undefined are left out of the body. */
function bodyOf(text: string): Run {
  const absent = {
    stop: undefined,
    output: undefined,
    error: undefined,
    routed: undefined,
    finishing: undefined,
    last: undefined,
    key: undefined,
  };
  return { ...absent, ...(JSON.parse(text) as Run) };
}
