/** Statements on triggers and on the news of them; the organization comes first in each. */
import { and, asc, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { accounts, organizations } from '../../db/schema.ts';
import {
  type TriggerType,
  type WorkflowRow,
  type WorkflowTriggerNewsRow,
  workflows,
  workflowTriggerNews,
  workflowTriggers,
  workflowVersions,
} from '../../db/workflows.ts';
import type { StoredTrigger } from './rows.ts';

/** Puts the triggers of the version in force instead of those before it. @param when the condition of both statements */
export function replaceTriggers(
  db: Database,
  { orgUuid, uuid }: WorkflowRow,
  triggers: readonly StoredTrigger[],
  when: SQL,
) {
  const values = db
    .select({
      orgUuid: organizations.uuid,
      workflowUuid: sql<string>`${uuid}`.as('workflow_uuid'),
      index: sql<number>`value ->> 'index'`.as('trigger_index'),
      type: sql<TriggerType>`value ->> 'type'`.as('type'),
      endpointUuid: sql<string | null>`value ->> 'endpointUuid'`.as('endpoint_uuid'),
      detail: sql<string>`value ->> 'detail'`.as('detail'),
    })
    .from(organizations)
    .innerJoin(sql`json_each(${JSON.stringify(triggers)})`, sql`true`)
    .where(and(eq(organizations.uuid, orgUuid), when));
  return [
    deleteTriggers(db, orgUuid, uuid, when),
    db.insert(workflowTriggers).select(values).onConflictDoNothing(),
  ] as const;
}

/** Removes the triggers of a workflow. */
export function deleteTriggers(db: Database, orgUuid: string, uuid: string, when: SQL) {
  return db
    .delete(workflowTriggers)
    .where(
      and(eq(workflowTriggers.orgUuid, orgUuid), eq(workflowTriggers.workflowUuid, uuid), when),
    );
}

/**
 * Notes which owners are to be told of the triggers that a workflow has now: before and after a statement that changes them.
 * @param change names the change
 */
export function insertNews(
  db: Database,
  { orgUuid, uuid }: Pick<WorkflowRow, 'orgUuid' | 'uuid'>,
  { change, at, when }: { readonly change: string; readonly at: number; readonly when: SQL },
) {
  const { type, endpointUuid } = workflowTriggers;
  const values = db
    .selectDistinct({
      orgUuid: workflowTriggers.orgUuid,
      type,
      endpointUuid: sql<string>`coalesce(${endpointUuid}, '')`.as('endpoint'),
      change: sql<string>`${change}`.as('change'),
      at: sql<number>`${at}`.as('at'),
    })
    .from(workflowTriggers)
    .where(
      and(
        eq(workflowTriggers.orgUuid, orgUuid),
        eq(workflowTriggers.workflowUuid, uuid),
        sql`${type} in ('event', 'schedule', 'dataChange')`,
        when,
      ),
    );
  const excluded = (column: string) => sql.raw(`excluded."${column}"`);
  return db
    .insert(workflowTriggerNews)
    .select(values)
    .onConflictDoUpdate({
      target: [
        workflowTriggerNews.orgUuid,
        workflowTriggerNews.type,
        workflowTriggerNews.endpointUuid,
      ],
      set: { change: excluded('change'), at: excluded('at') },
    });
}

/** News that an organization's owners of triggers were not told of. */
export function selectNews(db: Database, orgUuid: string) {
  return db.select().from(workflowTriggerNews).where(eq(workflowTriggerNews.orgUuid, orgUuid));
}

/** News that nobody was told of since a time, of all organizations: for the clock. With what seals what their objects keep. */
export function selectOldNews(db: Database, upTo: number, limit: number) {
  return db
    .select({
      orgUuid: workflowTriggerNews.orgUuid,
      orgId: organizations.id,
      sealedDataKey: organizations.sealedDataKey,
    })
    .from(workflowTriggerNews)
    .innerJoin(
      organizations,
      and(eq(organizations.uuid, workflowTriggerNews.orgUuid), isNull(organizations.deletedAt)),
    )
    .where(lte(workflowTriggerNews.at, upTo))
    .groupBy(workflowTriggerNews.orgUuid)
    .limit(limit);
}

/** Organizations with event triggers or schedules, of all of them, by UUID: for the clock. */
export function selectWithTriggers(db: Database, after: string, limit: number) {
  return db
    .select({
      orgUuid: workflowTriggers.orgUuid,
      types: sql<string>`group_concat(distinct ${workflowTriggers.type})`,
    })
    .from(workflowTriggers)
    .where(
      and(
        gt(workflowTriggers.orgUuid, after),
        inArray(workflowTriggers.type, ['event', 'schedule']),
      ),
    )
    .groupBy(workflowTriggers.orgUuid)
    .orderBy(asc(workflowTriggers.orgUuid))
    .limit(limit);
}

/** An owner knows; what changed meanwhile stays news. */
export function deleteNews(
  db: Database,
  { orgUuid, type, endpointUuid, change }: WorkflowTriggerNewsRow,
) {
  return db
    .delete(workflowTriggerNews)
    .where(
      and(
        eq(workflowTriggerNews.orgUuid, orgUuid),
        eq(workflowTriggerNews.type, type),
        eq(workflowTriggerNews.endpointUuid, endpointUuid),
        eq(workflowTriggerNews.change, change),
      ),
    );
}

/**
 * Triggers of one type of an organization's workflows.
 * @param endpointUuid of a `dataChange`; undefined is any
 */
export function selectTriggers(
  db: Database,
  orgUuid: string,
  type: TriggerType,
  endpointUuid?: string,
) {
  return db
    .select({
      workflowUuid: workflows.uuid,
      workflowId: workflows.id,
      version: workflows.version,
      status: workflows.status,
      index: workflowTriggers.index,
      detail: workflowTriggers.detail,
      revision: workflows.revision,
    })
    .from(workflowTriggers)
    .innerJoin(
      workflows,
      and(
        eq(workflows.orgUuid, orgUuid),
        eq(workflows.uuid, workflowTriggers.workflowUuid),
        isNull(workflows.deletedAt),
      ),
    )
    .where(
      and(
        eq(workflowTriggers.orgUuid, orgUuid),
        eq(workflowTriggers.type, type),
        endpointUuid === undefined ? undefined : eq(workflowTriggers.endpointUuid, endpointUuid),
      ),
    )
    .orderBy(asc(workflows.createdAt), asc(workflows.uuid), asc(workflowTriggers.index));
}

/** All triggers of a workflow, in their order. */
export function selectTriggersOf(db: Database, orgUuid: string, uuid: string) {
  return db
    .select()
    .from(workflowTriggers)
    .where(and(eq(workflowTriggers.orgUuid, orgUuid), eq(workflowTriggers.workflowUuid, uuid)))
    .orderBy(asc(workflowTriggers.index));
}

/** At most one row: who stored a version of a workflow, and its definition. */
export function selectAuthor(
  db: Database,
  orgUuid: string,
  { uuid, version }: { readonly uuid: string; readonly version: string },
) {
  return db
    .select({
      authorUuid: workflowVersions.authorUuid,
      runAs: workflowVersions.runAs,
      createdBy: sql<string>`${workflowVersions.createdBy}`.as('version_created_by'),
      username: accounts.username,
      definition: workflowVersions.definition,
    })
    .from(workflows)
    .innerJoin(
      workflowVersions,
      and(
        eq(workflowVersions.orgUuid, orgUuid),
        eq(workflowVersions.workflowUuid, uuid),
        eq(workflowVersions.version, version),
      ),
    )
    .leftJoin(accounts, eq(accounts.uuid, workflowVersions.authorUuid))
    .where(and(eq(workflows.orgUuid, orgUuid), eq(workflows.uuid, uuid)));
}
