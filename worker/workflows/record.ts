/** Workflows as replies show them. */
import type { WorkflowRow } from '../db/workflows.ts';

/** The workflow's ETag: it changes with the definition and status, not with the figures about runs. */
export function tagOf({ revision }: WorkflowRow): string {
  return String(revision);
}

/** What every change answers. Spec: "Workflow", results. */
export function namedAs({ id, name, version }: WorkflowRow, message: string) {
  return { id, name, version, message };
}
