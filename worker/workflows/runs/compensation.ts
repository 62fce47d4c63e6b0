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
