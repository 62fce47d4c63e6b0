/** What the deletion of a workflow does to its runs: every object is asked, for the index in D1 is late. */
import type { Context } from '../context.ts';
import type { WorkflowRow } from '../db/workflows.ts';
import { objectNamesOf } from './runs/names.ts';

/** Brings the index of the organization's runs up to date, so that D1 knows which are active. */
export async function indexRuns({ env }: Context, orgUuid: string): Promise<void> {
  const names = objectNamesOf(orgUuid);
  await Promise.all(names.map((name) => env.WORKFLOW_RUNS.getByName(name).index()));
}

/**
 * Cancels every active run of a workflow that is deleted, and lets none begin any more: waits end,
 * calls in flight are let end, and what was done is compensated. Answers once all have been told.
 */
export async function cancelRunsOf(
  { env }: Context,
  { orgUuid, uuid }: WorkflowRow,
): Promise<void> {
  const names = objectNamesOf(orgUuid);
  await Promise.all(names.map((name) => env.WORKFLOW_RUNS.getByName(name).close(uuid)));
}
