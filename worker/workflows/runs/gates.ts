/** Gates: a number of runs of a workflow, or of one value of its key, are inside at a time; others wait in the order in which they came. Spec: workflows.md §1, `maxConcurrency`. */
import type { Keeper } from './keeper.ts';

/** Lets a run in, or has it wait. Answers whether it is inside. */
export function enterGate({ sql }: Keeper, gate: string, max: number, run: string): boolean {
  sql.exec('INSERT OR IGNORE INTO gates (name, run, inside) VALUES (?, ?, 0)', gate, run);
  admit(sql, gate, max);
  const [row] = sql
    .exec<{ inside: number }>('SELECT inside FROM gates WHERE run = ?', run)
    .toArray();
  return row?.inside === 1;
}

/** A run has ended. Answers which runs are let in. */
export function leaveGate({ sql }: Keeper, gate: string, max: number, run: string): string[] {
  sql.exec('DELETE FROM gates WHERE run = ?', run);
  return admit(sql, gate, max);
}

function admit(sql: SqlStorage, gate: string, max: number): string[] {
  return sql
    .exec<{ run: string }>(
      `UPDATE gates SET inside = 1 WHERE id IN (
        SELECT id FROM gates WHERE name = ? AND inside = 0 ORDER BY id
        LIMIT max(0, ? - (SELECT count(*) FROM gates WHERE name = ? AND inside = 1))
      ) RETURNING run`,
      gate,
      max,
      gate,
    )
    .toArray()
    .map((row) => row.run);
}
