/** Statements that read tasks; the organization comes first in each. */
import { and, desc, eq, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { type WorkflowTaskRow, workflowTasks } from '../db/tasks.ts';
import { workflows } from '../db/workflows.ts';
import { rankOf } from '../workflows/runs/audience.ts';

/** Which tasks are asked for, the newest first. */
export interface TaskFilter {
  readonly status: WorkflowTaskRow['status'] | undefined;
  /** A UUID. */
  readonly workflow: string | undefined;
  readonly after: { readonly time: number; readonly uuid: string } | undefined;
  readonly limit: number;
  readonly audience: Audience;
}

/** The caller as tasks are found for them. */
export interface Audience {
  /** Rank of their level on workflows that no rule of theirs is on. */
  readonly rank: number;
  /** On others, by UUID. */
  readonly ranks: Readonly<Record<string, number>>;
  /** Of their names and groups. */
  readonly tags: readonly string[];
}

/** Tasks that have the caller as an assignee, or Admin of the workflow; those that do not tell their assignees, too. */
function isFor({ rank, ranks, tags }: Audience): SQL {
  const { workflowUuid, audienceRank, audience } = workflowTasks;
  const own = sql`coalesce((select value from json_each(${JSON.stringify(ranks)}) where key = ${workflowUuid}), ${rank})`;
  const isNamed = sql`exists (select 1 from json_each(${audience}) where value in
    (select value from json_each(${JSON.stringify(tags)})))`;
  return sql`(${own} >= ${rankOf('Admin')} or ${audienceRank} <= ${own} or ${audience} is null or ${isNamed})`;
}

/** Tasks with the ids of their workflows. */
export function selectTasks(
  db: Database,
  orgUuid: string,
  { status, workflow, after, limit, audience }: TaskFilter,
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
        isFor(audience),
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
