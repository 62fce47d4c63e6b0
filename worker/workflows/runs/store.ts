/** Statements about runs, tasks and dead letters: the index in D1. The organization comes first in each. */
import { and, count, eq, isNull, or, sql } from 'drizzle-orm';
import type { Kind } from '../../../kinds/index.ts';
import type { Database } from '../../context.ts';
import { endpoints, organizations } from '../../db/schema.ts';
import { type WorkflowTaskRow, workflowTasks } from '../../db/tasks.ts';
import { templates } from '../../db/templates.ts';
import {
  type WorkflowDeadLetterRow,
  type WorkflowRunRow,
  workflowDeadLetters,
  workflowReferences,
  workflowRuns,
  workflows,
} from '../../db/workflows.ts';

/** A version of a workflow. */
export interface VersionName {
  readonly uuid: string;
  readonly version: string;
}

/** The resources that a version names, each as it is now. */
export function selectNamed(db: Database, orgUuid: string, { uuid, version }: VersionName) {
  const { kind, target, level } = workflowReferences;
  const isNamed = (table: typeof templates | typeof workflows | typeof endpoints) =>
    or(eq(table.id, target), eq(table.uuid, target));
  return db
    .select({
      kind,
      target,
      level,
      // In a batch, columns with the same name overwrite each other: these get names of their own.
      endpointKind: sql<Kind | null>`${endpoints.kind}`.as('endpoint_kind'),
      templateUuid: sql<string | null>`${templates.uuid}`.as('template_uuid'),
      templateVersion: sql<string | null>`${templates.version}`.as('template_version'),
      workflow: {
        uuid: workflows.uuid,
        id: workflows.id,
        version: sql<string>`${workflows.version}`.as('workflow_version'),
      },
    })
    .from(workflowReferences)
    .leftJoin(
      endpoints,
      and(eq(endpoints.orgUuid, orgUuid), eq(kind, 'endpoint'), isNamed(endpoints)),
    )
    .leftJoin(
      templates,
      and(eq(templates.orgUuid, orgUuid), eq(kind, 'template'), isNamed(templates)),
    )
    .leftJoin(
      workflows,
      and(
        eq(workflows.orgUuid, orgUuid),
        eq(kind, 'workflow'),
        isNull(workflows.deletedAt),
        isNamed(workflows),
      ),
    )
    .where(
      and(
        eq(workflowReferences.orgUuid, orgUuid),
        eq(workflowReferences.workflowUuid, uuid),
        eq(workflowReferences.version, version),
      ),
    );
}

/** At most one row: for how many days the organization keeps what has ended; null by default. */
export function selectRetention(db: Database, orgUuid: string) {
  return db
    .select({
      days: sql<number | null>`json_extract(${organizations.settings}, '$.dataRetentionDays')`,
    })
    .from(organizations)
    .where(and(eq(organizations.uuid, orgUuid), isNull(organizations.deletedAt)));
}

/** Rows of one statement: D1 limits bound values, and a list is one. */
export const INDEX_STEP = 200;

/** Writes the state of runs; it replaces what was written before. */
export function upsertRuns(db: Database, rows: readonly WorkflowRunRow[]) {
  const values = rows.map((row) => ({ ...row }));
  const excluded = (column: string) => sql.raw(`excluded."${column}"`);
  const all = sql`json_each(${JSON.stringify(values)})`;
  const of = (member: string) => sql.raw(`value ->> '${member}'`);
  const select = db
    .select({
      orgUuid: sql<string>`${of('orgUuid')}`.as('org_uuid'),
      uuid: sql<string>`${of('uuid')}`.as('uuid'),
      workflowUuid: sql<string>`${of('workflowUuid')}`.as('workflow_uuid'),
      version: sql<string>`${of('version')}`.as('version'),
      status: sql<WorkflowRunRow['status']>`${of('status')}`.as('status'),
      cause: sql<WorkflowRunRow['cause']>`${of('cause')}`.as('cause'),
      triggerIndex: sql<number | null>`${of('triggerIndex')}`.as('trigger_index'),
      triggerId: sql<string | null>`${of('triggerId')}`.as('trigger_id'),
      key: sql<string | null>`${of('key')}`.as('key'),
      startedBy: sql<string>`${of('startedBy')}`.as('started_by'),
      startedByName: sql<string>`${of('startedByName')}`.as('started_by_name'),
      authorName: sql<string | null>`${of('authorName')}`.as('author_name'),
      parentUuid: sql<string | null>`${of('parentUuid')}`.as('parent_uuid'),
      forkedFrom: sql<string | null>`${of('forkedFrom')}`.as('forked_from'),
      compensation: sql<WorkflowRunRow['compensation']>`${of('compensation')}`.as('compensation'),
      errorCode: sql<string | null>`${of('errorCode')}`.as('error_code'),
      startedAt: sql<number>`${of('startedAt')}`.as('started_at'),
      endedAt: sql<number | null>`${of('endedAt')}`.as('ended_at'),
      expiresAt: sql<number | null>`${of('expiresAt')}`.as('expires_at'),
    })
    .from(organizations)
    .innerJoin(all, sql`true`)
    .where(and(eq(organizations.uuid, sql`${of('orgUuid')}`), isNull(organizations.deletedAt)));
  return db
    .insert(workflowRuns)
    .select(select)
    .onConflictDoUpdate({
      target: [workflowRuns.orgUuid, workflowRuns.uuid],
      set: {
        status: excluded('status'),
        compensation: excluded('compensation'),
        errorCode: excluded('error_code'),
        startedAt: excluded('started_at'),
        endedAt: excluded('ended_at'),
        expiresAt: excluded('expires_at'),
      },
    });
}

/** Removes runs whose retention has ended, with their tasks and dead letters. */
export function deleteRuns(db: Database, orgUuid: string, uuids: readonly string[]) {
  const list = sql`(select value from json_each(${JSON.stringify(uuids)}))`;
  return [
    db
      .delete(workflowRuns)
      .where(and(eq(workflowRuns.orgUuid, orgUuid), sql`${workflowRuns.uuid} in ${list}`)),
    db
      .delete(workflowTasks)
      .where(and(eq(workflowTasks.orgUuid, orgUuid), sql`${workflowTasks.runUuid} in ${list}`)),
    db
      .delete(workflowDeadLetters)
      .where(
        and(
          eq(workflowDeadLetters.orgUuid, orgUuid),
          sql`${workflowDeadLetters.runUuid} in ${list}`,
        ),
      ),
  ] as const;
}

/** Writes a task that is open. */
export function upsertTask(db: Database, row: WorkflowTaskRow) {
  const { sealedContent, audienceRank, audience, dueAt, escalated } = row;
  return db
    .insert(workflowTasks)
    .values(row)
    .onConflictDoUpdate({
      target: [workflowTasks.orgUuid, workflowTasks.uuid],
      set: {
        sealedContent,
        audienceRank,
        audience,
        dueAt,
        escalated,
        status: 'open',
        completedAt: null,
        completedBy: null,
      },
    });
}

/** Ends a task. */
export function endTask(
  db: Database,
  orgUuid: string,
  uuid: string,
  ended: Pick<WorkflowTaskRow, 'status' | 'completedBy' | 'completedAt'>,
) {
  return db
    .update(workflowTasks)
    .set(ended)
    .where(and(eq(workflowTasks.orgUuid, orgUuid), eq(workflowTasks.uuid, uuid)));
}

/** Writes a dead letter, once. */
export function insertDeadLetter(db: Database, row: WorkflowDeadLetterRow) {
  return db.insert(workflowDeadLetters).values(row).onConflictDoNothing();
}

/** Organizations and the first digits of the runs that have not ended there: of every organization. */
export function selectObjectsWithRuns(db: Database, limit: number) {
  const digit = sql<string>`substr(${workflowRuns.uuid}, 1, 1)`.as('digit');
  return db
    .selectDistinct({ orgUuid: workflowRuns.orgUuid, digit })
    .from(workflowRuns)
    .where(isNull(workflowRuns.endedAt))
    .orderBy(sql`random()`)
    .limit(limit);
}

/** Organizations with workflows: of every organization. */
export function selectOrganizationsWithWorkflows(db: Database, limit: number) {
  return db
    .selectDistinct({ orgUuid: workflows.orgUuid })
    .from(workflows)
    .orderBy(sql`random()`)
    .limit(limit);
}

/** One row: how many of these runs the index has. */
export function countIndexed(db: Database, orgUuid: string, uuids: readonly string[]) {
  const list = sql`(select value from json_each(${JSON.stringify(uuids)}))`;
  return db
    .select({ indexed: count() })
    .from(workflowRuns)
    .where(and(eq(workflowRuns.orgUuid, orgUuid), sql`${workflowRuns.uuid} in ${list}`));
}
