/** Which actions of a run were undone. Spec: workflows.md §4 "Compensation". */
import type { Node } from '../engine/journal.ts';
import { topOf } from '../engine/paths.ts';
import type { RunRow } from './journal.ts';
import type { Keeper } from './keeper.ts';

/** Nodes of the top level, in the order of their starts. */
export function mainNodes({ sql }: Keeper, { run }: Pick<RunRow, 'run'>): readonly Node[] {
  return sql
    .exec<{ body: string }>(
      "SELECT body FROM nodes WHERE run = ? AND owner = '' AND generation = 0 ORDER BY begun",
      run,
    )
    .toArray()
    .map(({ body }) => JSON.parse(body) as Node) // As the journal wrote it.
    .filter(({ role }) => role === 'step');
}

/**
 * The id of the first of some actions that was undone, or is being: with it all that is part of it. A subworkflow of which not all could be
 * undone counts, too.
 * @param among of the top level, in the order of their starts
 */
export function firstUndone(
  { sql }: Keeper,
  { run, body }: Pick<RunRow, 'run' | 'body'>,
  among: readonly Node[],
): string | undefined {
  const isStopped = body.undoing !== 'no' || body.stop !== undefined;
  if (!isStopped && body.undone + body.notUndone === 0) return undefined;
  const paths = sql.exec<{ path: string }>(
    `SELECT path FROM nodes WHERE run = ? AND generation = 0 AND (
        json_extract(body, '$.status') = 'compensated'
        OR json_extract(body, '$.undo') = 'doing'
        OR (json_extract(body, '$.undo') = 'todo' AND ?)
        OR (json_extract(body, '$.undo') = 'failed' AND json_extract(body, '$.state.child') IS NOT NULL))`,
    run,
    isStopped ? 1 : 0,
  );
  // A path begins with the id of the action of the top level.
  const found = new Set(paths.toArray().map(({ path }) => topOf(path)));
  return among.find(({ action }) => found.has(action))?.action;
}
