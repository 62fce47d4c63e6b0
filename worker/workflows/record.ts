/** Workflows as replies show them. */
import type { WorkflowRow } from '../db/workflows.ts';

/** The workflow's ETag: of its row, so not of what is counted of its runs. */
export function tagOf({ revision }: WorkflowRow): string {
  return String(revision);
}

/** What every change answers. Spec: "Workflow", results. */
export function namedAs({ id, name, version }: WorkflowRow, message: string) {
  return { id, name, version, message };
}
