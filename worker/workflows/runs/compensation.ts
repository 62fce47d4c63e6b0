/** How far the compensation of a run went. Spec: workflows.md §4. */
import type { Run } from '../engine/journal.ts';

/** `none` where there was nothing to undo, `partial` where something could not be. */
export function compensationOf({
  undone,
  notUndone,
}: Pick<Run, 'undone' | 'notUndone'>): 'none' | 'complete' | 'partial' {
  if (notUndone > 0) return 'partial';
  return undone > 0 ? 'complete' : 'none';
}

/** What is told of it: of a run that failed or was cancelled, and of one that its parent has undone. */
export function toldCompensation(
  run: Pick<Run, 'status' | 'undoing' | 'undone' | 'notUndone'>,
): ReturnType<typeof compensationOf> | undefined {
  const { status, undoing } = run;
  const isUndone = status === 'succeeded' && undoing === 'own';
  const isTold = status === 'failed' || status === 'cancelled' || isUndone;
  return isTold ? compensationOf(run) : undefined;
}
