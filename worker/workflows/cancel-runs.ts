/** Cancels what runs of a workflow. */
import type { Context } from '../context.ts';
import type { WorkflowRow } from '../db/workflows.ts';
import { selectActiveRuns } from './executions/store.ts';
import { runsObject } from './runs/reachable.ts';

/** Runs that are told at a time. */
const AT_ONCE = 50;

/**
 * Cancels every active run of a workflow: waits end, calls in flight are let end, and what was done
 * is compensated. Answers once each of them has been told.
 */
export async function cancelRunsOf(ctx: Context, { orgUuid, uuid }: WorkflowRow): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const rows = await selectActiveRuns(ctx.db, orgUuid, uuid, told.size + AT_ONCE);
    const next = rows.filter((row) => !told.has(row.uuid));
    if (next.length === 0) return;
    await Promise.all(
      next.map(async (row) => {
        told.add(row.uuid);
        await runsObject(ctx.env, orgUuid, row.uuid).cancel(row.uuid);
      }),
    );
  }
}
