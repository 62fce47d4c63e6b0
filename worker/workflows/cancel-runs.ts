/** Cancels what runs of a workflow. */
import type { Context } from '../context.ts';
import type { WorkflowRow } from '../db/workflows.ts';

/**
 * Cancels every active run of a workflow: waits end, calls in flight are let end, and what was done
 * is compensated. Answers once each of them has been told.
 */
export async function cancelRunsOf(_ctx: Context, _workflow: WorkflowRow): Promise<void> {
  // Nothing starts runs yet, so that none is active.
}
