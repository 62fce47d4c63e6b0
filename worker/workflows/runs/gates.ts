/** Gates: a number of runs of a workflow, or of one value of its key, are inside at a time; others wait in the order in which they came. Spec: workflows.md §1, `maxConcurrency`. */
import type { Keeper } from './keeper.ts';
import type { Entry } from './object.ts';
import { type Reachable, runsObject } from './reachable.ts';

/** How a run stands at its gate: what is let in was not told yet, and counts as inside. */
const STANDS = { waiting: 0, inside: 1, letIn: 2 } as const;

/**
 * Lets a run in, or has it wait; answers whether it is inside. From now on the number is that of the newest run, also for those that
 * came before: where it has grown, they may be let in with it. Spec silent.
 */
export function enterGate(
  { sql }: Keeper,
  gate: string,
  { max, isAgain }: Entry,
  run: string,
): boolean {
  // One that asks twice is no news of the number.
  if (standOf(sql, run) === undefined) {
    const { waiting } = STANDS;
    sql.exec('INSERT INTO gates (name, run, inside) VALUES (?, ?, ?)', gate, run, waiting);
    const or = isAgain ? 'IGNORE' : 'REPLACE';
    sql.exec(`INSERT OR ${or} INTO gate_limits (name, most) VALUES (?, ?)`, gate, max);
  }
  admit(sql, gate, max);
  noteTold(sql, run);
  return standOf(sql, run) === STANDS.inside;
}

function standOf(sql: SqlStorage, run: string): number | undefined {
  return sql.exec<{ inside: number }>('SELECT inside FROM gates WHERE run = ?', run).toArray()[0]
    ?.inside;
}

/** A run has ended: others may be let in. @param max where no number is known since the last run came */
export function leaveGate({ sql }: Keeper, gate: string, max: number, run: string): void {
  sql.exec('DELETE FROM gates WHERE run = ?', run);
  admit(sql, gate, max);
  sql.exec(
    'DELETE FROM gate_limits WHERE name = ? AND NOT EXISTS (SELECT 1 FROM gates WHERE name = ?)',
    ...[gate, gate],
  );
}

/** Tells the runs that are let in that they are inside, also those that an earlier call did not come to tell. */
export async function tellLetIn(
  { env, driver: { keeper } }: Pick<Reachable, 'env' | 'driver'>,
  gate: string,
): Promise<void> {
  const { sql, owner } = keeper;
  const untold = sql
    .exec<{ run: string }>(
      'SELECT run FROM gates WHERE name = ? AND inside = ? ORDER BY id',
      gate,
      STANDS.letIn,
    )
    .toArray();
  for (const { run } of untold) {
    // Telling others takes time: the run may have left meanwhile, and wait again.
    if (standOf(sql, run) !== STANDS.letIn) continue;
    await runsObject(env, owner.orgUuid, run).released(run);
    noteTold(sql, run);
  }
}

function admit(sql: SqlStorage, gate: string, max: number): void {
  const { waiting, letIn } = STANDS;
  const [limit] = sql
    .exec<{ most: number }>('SELECT most FROM gate_limits WHERE name = ?', gate)
    .toArray();
  sql.exec(
    `UPDATE gates SET inside = ? WHERE id IN (
      SELECT id FROM gates WHERE name = ? AND inside = ? ORDER BY id
      LIMIT max(0, ? - (SELECT count(*) FROM gates WHERE name = ? AND inside != ?))
    )`,
    ...[letIn, gate, waiting, limit?.most ?? max, gate, waiting],
  );
}

function noteTold(sql: SqlStorage, run: string): void {
  const { inside, letIn } = STANDS;
  sql.exec('UPDATE gates SET inside = ? WHERE run = ? AND inside = ?', inside, run, letIn);
}
