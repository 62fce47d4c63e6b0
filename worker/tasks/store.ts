/** Statements that read tasks; the organization comes first in each. */
import { and, desc, eq, lt, or } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { type WorkflowTaskRow, workflows, workflowTasks } from '../db/workflows.ts';

/** Which tasks are asked for, the newest first. */
export interface TaskFilter {
  readonly status: WorkflowTaskRow['status'] | undefined;
  /** A UUID. */
  readonly workflow: string | undefined;
  readonly after: { readonly time: number; readonly uuid: string } | undefined;
  readonly limit: number;
}

/** Tasks with the ids of their workflows. */
export function selectTasks(
  db: Database,
  orgUuid: string,
  { status, workflow, after, limit }: TaskFilter,
) {
  const { createdAt, uuid } = workflowTasks;
  return db
    .select({ task: workflowTasks, workflow: workflows.id })
    .from(workflowTasks)
    .innerJoin(
      workflows,
      and(eq(workflows.orgUuid, orgUuid), eq(workflows.uuid, workflowTasks.workflowUuid)),
    )
    .where(
      and(
        eq(workflowTasks.orgUuid, orgUuid),
        status === undefined ? undefined : eq(workflowTasks.status, status),
        workflow === undefined ? undefined : eq(workflowTasks.workflowUuid, workflow),
        after === undefined
          ? undefined
          : or(lt(createdAt, after.time), and(eq(createdAt, after.time), lt(uuid, after.uuid))),
      ),
    )
    .orderBy(desc(createdAt), desc(uuid))
    .limit(limit);
}

/** At most one row. */
export function selectTask(db: Database, orgUuid: string, uuid: string) {
  return db
    .select({ task: workflowTasks, workflow: workflows.id })
    .from(workflowTasks)
    .innerJoin(
      workflows,
      and(eq(workflows.orgUuid, orgUuid), eq(workflows.uuid, workflowTasks.workflowUuid)),
    )
    .where(and(eq(workflowTasks.orgUuid, orgUuid), eq(workflowTasks.uuid, uuid)));
}
