/** Statements that read tasks; the organization comes first in each. */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { type WorkflowTaskRow, workflowTasks } from '../db/tasks.ts';
import { workflows } from '../db/workflows.ts';
import { rankOf } from '../workflows/runs/audience.ts';

/** Which tasks are asked for, the newest first. */
interface TaskFilter {
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
  // Looked up, not listed: a list would be read again for each task.
  const own = sql`coalesce(${JSON.stringify(ranks)} ->> ${workflowUuid}, ${rank})`;
  const isNamed = sql`exists (select 1 from json_each(${audience}) where value in
    (select value from json_each(${JSON.stringify(tags)})))`;
  return sql`(${own} >= ${rankOf('Admin')} or ${audienceRank} <= ${own} or ${audience} is null or ${isNamed})`;
}

/**
 * Tasks that one request looks at: of more, those of others may be many, and the next page goes on.
 * Spec silent.
 */
const LOOKED_AT = 10_000;

type TaskSelection = Pick<TaskFilter, 'status' | 'workflow' | 'after'>;

/** Tasks of whatever audience. */
function isAsked(orgUuid: string, { status, workflow, after }: TaskSelection): SQL | undefined {
  const { createdAt, uuid } = workflowTasks;
  return and(
    eq(workflowTasks.orgUuid, orgUuid),
    status === undefined ? undefined : eq(workflowTasks.status, status),
    workflow === undefined ? undefined : eq(workflowTasks.workflowUuid, workflow),
    after === undefined ? undefined : sql`(${createdAt}, ${uuid}) < (${after.time}, ${after.uuid})`,
  );
}

/** At most one row: when the last of those tasks was made that one request looks at; none where it looks at all. */
export function selectFloor(db: Database, orgUuid: string, asked: TaskSelection) {
  const { createdAt, uuid } = workflowTasks;
  return db
    .select({ time: createdAt })
    .from(workflowTasks)
    .where(isAsked(orgUuid, asked))
    .orderBy(desc(createdAt), desc(uuid))
    .limit(1)
    .offset(LOOKED_AT - 1);
}

/** Tasks with the ids of their workflows, down to the floor. */
export function selectTasks(db: Database, orgUuid: string, filter: TaskFilter) {
  const { createdAt, uuid } = workflowTasks;
  // The sign keeps the floor from choosing the index: what is asked for and the order do.
  const floor = sql`coalesce(${selectFloor(db, orgUuid, filter)}, 0)`;
  return db
    .select({ task: workflowTasks, workflow: workflows.id })
    .from(workflowTasks)
    .innerJoin(
      workflows,
      and(eq(workflows.orgUuid, orgUuid), eq(workflows.uuid, workflowTasks.workflowUuid)),
    )
    .where(and(isAsked(orgUuid, filter), sql`+${createdAt} >= ${floor}`, isFor(filter.audience)))
    .orderBy(desc(createdAt), desc(uuid))
    .limit(filter.limit);
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
