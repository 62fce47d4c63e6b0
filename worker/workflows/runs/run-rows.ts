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

/** Writes a run as it is now. One that has ended is kept for its retention, and as long as its dead letters. */
export function writeRun(
  sql: SqlStorage,
  { run, id, head, body, seq }: RunRow,
  isNew: boolean,
): void {
  const expires = body.endedAt === 0 ? null : body.endedAt + head.retentionMs;
  const text = JSON.stringify(body);
  if (isNew) {
    const insert = 'INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)';
    sql.exec(insert, run, id, JSON.stringify(head), text, body.status, seq, expires);
    return;
  }
  const until = expires === null ? '?' : `max(?, ${LETTERS_UNTIL})`;
  const set = `UPDATE runs SET body = ?, status = ?, seq = ?, expires = ${until} WHERE run = ?`;
  sql.exec(set, text, body.status, seq, expires, run);
}

/** Until when dead letters keep a run, also one that goes on meanwhile; 0 where there are none. */
const LETTERS_UNTIL = "coalesce(head ->> '$.keptUntil', 0)";

/** A dead letter keeps a run until then, in Unix epoch milliseconds. */
export function keepUntil(sql: SqlStorage, run: number, time: number): void {
  const head = `json_set(head, '$.keptUntil', max(?, ${LETTERS_UNTIL}))`;
  const set = `UPDATE runs SET expires = max(expires, ?), head = ${head} WHERE run = ?`;
  sql.exec(set, time, time, run);
}

/** Until when a run that has ended is kept; undefined where that is not written. */
export function keptUntil(sql: SqlStorage, run: number): number | undefined {
  const select = 'SELECT expires FROM runs WHERE run = ?';
  const [row] = sql.exec<{ expires: number | null }>(select, run).toArray();
  return row?.expires ?? undefined;
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
