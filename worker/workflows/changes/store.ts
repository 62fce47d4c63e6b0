/** Statements that make, change and remove workflows; the organization comes first in each. */
import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import type { Guard } from '../../db/guard.ts';
import { heldTo } from '../../db/held.ts';
import { organizations, rules } from '../../db/schema.ts';
import type { RunAs } from '../../db/templates.ts';
import {
  type WorkflowRow,
  type WorkflowVersionRow,
  workflowHooks,
  workflowReferences,
  workflowRuns,
  workflows,
  workflowTotals,
  workflowVersions,
} from '../../db/workflows.ts';
import type { Level } from '../../levels.ts';
import type { IfMatch } from '../../revision.ts';
import type { Reference } from '../definition/findings.ts';
import { counted, selectUsers, selectVersion, takenHooks } from '../store.ts';
import { deleteTriggers } from '../triggers/store.ts';

/** A path below `/hooks/{org}`, and the trigger that it leads to. */
export interface Hook {
  readonly path: string;
  /** Its index. */
  readonly trigger: number;
}

const pathsOf = (hooks: readonly Hook[]) => hooks.map(({ path }) => path);

/** What a new workflow is held to. */
interface Inserting {
  readonly quota: number;
  readonly hooks: readonly Hook[];
  readonly guard: Guard;
}

/**
 * Stores a workflow. No row comes back when the organization has one of that id already, or as
 * many as it may have, another has one of its paths, or `guard` does not hold: the statement itself looks, so that it
 * holds under concurrency.
 */
export function insertWorkflowRow(
  db: Database,
  row: WorkflowRow,
  { quota, hooks, guard }: Inserting,
) {
  const values = db
    .select({
      orgUuid: sql<string>`${row.orgUuid}`.as('org_uuid'),
      uuid: sql<string>`${row.uuid}`.as('uuid'),
      id: sql<string>`${row.id}`.as('id'),
      name: sql<string>`${row.name}`.as('name'),
      version: sql<string>`${row.version}`.as('version'),
      status: sql<WorkflowRow['status']>`${row.status}`.as('status'),
      createdAt: sql<number>`${row.createdAt}`.as('created_at'),
      createdBy: sql<string>`${row.createdBy}`.as('created_by'),
      updatedAt: sql<number>`${row.updatedAt}`.as('updated_at'),
      lastModifiedBy: sql<string>`${row.lastModifiedBy}`.as('last_modified_by'),
      revision: sql<number>`${row.revision}`.as('revision'),
      deletedAt: sql<number | null>`null`.as('deleted_at'),
      runAs: sql<RunAs>`${row.runAs}`.as('run_as'),
    })
    .from(organizations)
    .where(
      and(
        eq(organizations.uuid, row.orgUuid),
        isNull(organizations.deletedAt),
        sql`${counted(row.orgUuid)} < ${quota}`,
        sql`not exists ${takenHooks(row.orgUuid, row.uuid, pathsOf(hooks))}`,
        ...(guard?.(row.orgUuid) ?? []),
      ),
    );
  return db.insert(workflows).select(values).onConflictDoNothing().returning();
}

/** A change of a workflow, and its conditions. */
interface Changing {
  /** The changes of its row. */
  readonly changes: Pick<
    WorkflowRow,
    'name' | 'version' | 'status' | 'updatedAt' | 'lastModifiedBy' | 'runAs'
  >;
  /** The paths of a version that becomes the one in force; undefined where none does. */
  readonly hooks: readonly Hook[] | undefined;
  readonly guard: Guard;
}

/** Changes a workflow's row; no row comes back when `row` is no longer its state, the version or a path is taken, or `guard` does not hold. */
export function updateWorkflowRow(
  db: Database,
  row: WorkflowRow,
  { changes, hooks, guard }: Changing,
) {
  const { orgUuid, uuid } = row;
  const isFree =
    hooks === undefined
      ? undefined
      : and(
          sql`not exists ${selectVersion(db, orgUuid, uuid, changes.version)}`,
          sql`not exists ${takenHooks(orgUuid, uuid, pathsOf(hooks))}`,
        );
  return db
    .update(workflows)
    .set({ ...changes, revision: row.revision + 1 })
    .where(
      and(
        eq(workflows.orgUuid, orgUuid),
        eq(workflows.uuid, uuid),
        eq(workflows.revision, row.revision),
        isNull(workflows.deletedAt),
        isFree,
        ...(guard?.(orgUuid) ?? []),
      ),
    )
    .returning();
}

/** Whether this change of a workflow is the one that is in force: what a batch writes hangs on it. */
export function isInForce(db: Database, { orgUuid, uuid, version, revision }: WorkflowRow): SQL {
  const row = db
    .select({ uuid: workflows.uuid })
    .from(workflows)
    .where(
      and(
        eq(workflows.orgUuid, orgUuid),
        eq(workflows.uuid, uuid),
        eq(workflows.version, version),
        eq(workflows.revision, revision),
      ),
    );
  return sql`exists ${row}`;
}

/** Keeps a version, after the statement that put it in force; nothing is written when that did not. */
export function insertVersion(db: Database, row: WorkflowRow, version: WorkflowVersionRow) {
  const values = db
    .select({
      orgUuid: sql<string>`${version.orgUuid}`.as('org_uuid'),
      workflowUuid: sql<string>`${version.workflowUuid}`.as('workflow_uuid'),
      version: sql<string>`${version.version}`.as('version'),
      definition: sql<string>`${version.definition}`.as('definition'),
      createdAt: sql<number>`${version.createdAt}`.as('created_at'),
      createdBy: sql<string>`${version.createdBy}`.as('created_by'),
      authorUuid: sql<string | null>`${version.authorUuid}`.as('author_uuid'),
      runAs: sql<RunAs>`${version.runAs}`.as('run_as'),
    })
    .from(organizations)
    .where(and(eq(organizations.uuid, row.orgUuid), isInForce(db, row)));
  return db.insert(workflowVersions).select(values).onConflictDoNothing();
}

/** Keeps what a version reaches, as `insertVersion` keeps the version. */
export function insertReferences(db: Database, row: WorkflowRow, references: readonly Reference[]) {
  const { orgUuid, uuid, version } = row;
  const each = references.map((reference) => [
    reference.kind,
    reference.id,
    reference.kind === 'endpoint' ? reference.level : 'Read',
  ]);
  const values = db
    .select({
      orgUuid: organizations.uuid,
      workflowUuid: sql<string>`${uuid}`.as('workflow_uuid'),
      version: sql<string>`${version}`.as('version'),
      kind: sql<Reference['kind']>`value ->> 0`.as('kind'),
      target: sql<string>`value ->> 1`.as('target'),
      level: sql<Level>`value ->> 2`.as('level'),
    })
    .from(organizations)
    .innerJoin(sql`json_each(${JSON.stringify(each)})`, sql`true`)
    .where(and(eq(organizations.uuid, orgUuid), isInForce(db, row)));
  return db.insert(workflowReferences).select(values).onConflictDoNothing();
}

/** Puts the paths of the version in force instead of those before it. */
export function replaceHooks(db: Database, row: WorkflowRow, hooks: readonly Hook[]) {
  const { orgUuid, uuid } = row;
  const values = db
    .select({
      orgUuid: organizations.uuid,
      path: sql<string>`value ->> 'path'`.as('path'),
      workflowUuid: sql<string>`${uuid}`.as('workflow_uuid'),
      trigger: sql<number>`value ->> 'trigger'`.as('trigger'),
    })
    .from(organizations)
    .innerJoin(sql`json_each(${JSON.stringify(hooks)})`, sql`true`)
    .where(and(eq(organizations.uuid, orgUuid), isInForce(db, row)));
  return [
    db
      .delete(workflowHooks)
      .where(
        and(
          eq(workflowHooks.orgUuid, orgUuid),
          eq(workflowHooks.workflowUuid, uuid),
          isInForce(db, row),
        ),
      ),
    db.insert(workflowHooks).select(values).onConflictDoNothing(),
  ] as const;
}

/** The conditions of a removal. */
interface Removing {
  readonly ifMatch: IfMatch | undefined;
  /** Whether it may go although runs are active, or others use it. */
  readonly confirmed: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Marks a workflow as deleted. No row comes back when it is gone already, has another revision than `ifMatch`, or has active runs or users and is not confirmed. */
export function markDeleted(
  db: Database,
  { orgUuid, uuid, id }: WorkflowRow,
  { ifMatch, confirmed, now }: Removing,
) {
  const active = db
    .select({ uuid: workflowRuns.uuid })
    .from(workflowRuns)
    .where(
      and(
        eq(workflowRuns.orgUuid, orgUuid),
        eq(workflowRuns.workflowUuid, uuid),
        isNull(workflowRuns.endedAt),
      ),
    );
  return db
    .update(workflows)
    .set({ deletedAt: now })
    .where(
      and(
        eq(workflows.orgUuid, orgUuid),
        eq(workflows.uuid, uuid),
        isNull(workflows.deletedAt),
        heldTo(workflows.revision, ifMatch),
        ...(confirmed
          ? []
          : [
              sql`not exists ${active}`,
              sql`not exists ${selectUsers(db, orgUuid, 'workflow', { uuid, id })}`,
            ]),
      ),
    )
    .returning({ uuid: workflows.uuid });
}

/** Removes versions, references and paths of a deleted workflow; what its runs need goes with the last run. */
export function deleteRemains(db: Database, orgUuid: string, uuid: string) {
  const isGone = isDeleted(db, orgUuid, uuid);
  const of = (table: typeof workflowVersions | typeof workflowReferences | typeof workflowHooks) =>
    and(eq(table.orgUuid, orgUuid), eq(table.workflowUuid, uuid), isGone);
  return [
    db.delete(workflowVersions).where(of(workflowVersions)),
    db.delete(workflowReferences).where(of(workflowReferences)),
    db.delete(workflowHooks).where(of(workflowHooks)),
    deleteTriggers(db, orgUuid, uuid, isGone),
    ...deleteIdle(db, orgUuid, uuid),
  ] as const;
}

/** Removes a deleted workflow that has no runs any more, with its totals and the rules on it. */
function deleteIdle(db: Database, orgUuid: string, uuid: string) {
  const runs = db
    .select({ uuid: workflowRuns.uuid })
    .from(workflowRuns)
    .where(and(eq(workflowRuns.orgUuid, orgUuid), eq(workflowRuns.workflowUuid, uuid)));
  const isIdle = and(isDeleted(db, orgUuid, uuid), sql`not exists ${runs}`);
  return [
    db
      .delete(workflowTotals)
      .where(
        and(eq(workflowTotals.orgUuid, orgUuid), eq(workflowTotals.workflowUuid, uuid), isIdle),
      ),
    db.delete(rules).where(and(eq(rules.orgUuid, orgUuid), eq(rules.resourceUuid, uuid), isIdle)),
    db
      .delete(workflows)
      .where(and(eq(workflows.orgUuid, orgUuid), eq(workflows.uuid, uuid), isIdle)),
  ] as const;
}

/** Whether a workflow is gone for all but its runs. */
export function isDeleted(db: Database, orgUuid: string, uuid: string): SQL {
  const row = db
    .select({ uuid: workflows.uuid })
    .from(workflows)
    .where(
      and(eq(workflows.orgUuid, orgUuid), eq(workflows.uuid, uuid), isNotNull(workflows.deletedAt)),
    );
  return sql`exists ${row}`;
}
