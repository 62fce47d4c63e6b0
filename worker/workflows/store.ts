/** Statements that read workflows; the organization comes first in each. */
import { and, asc, count, desc, eq, gt, gte, isNull, or, type SQL, sql } from 'drizzle-orm';
import { isReadable, type ReadablePage } from '../access/store.ts';
import type { Caller, Database } from '../context.ts';
import { isNamedWorkflow } from '../db/named-workflow.ts';
import { organizations } from '../db/schema.ts';
import {
  type WorkflowRow,
  workflowHooks,
  workflowReferences,
  workflowRuns,
  workflows,
  workflowTotals,
  workflowVersions,
} from '../db/workflows.ts';

/** How a path names a workflow. By its UUID, one that was deleted is found, too. */
export type WorkflowName = { readonly uuid: string } | { readonly id: string };

function isWorkflow(orgUuid: string, name: WorkflowName): SQL | undefined {
  return 'uuid' in name
    ? and(eq(workflows.orgUuid, orgUuid), eq(workflows.uuid, name.uuid))
    : and(eq(workflows.orgUuid, orgUuid), eq(workflows.id, name.id), isNull(workflows.deletedAt));
}

/** At most one row. */
export function selectWorkflow(db: Database, orgUuid: string, name: WorkflowName) {
  return db.select().from(workflows).where(isWorkflow(orgUuid, name));
}

/** The uuid alone, for use inside other statements. */
export function selectWorkflowUuid(db: Database, orgUuid: string, name: WorkflowName) {
  return db.select({ uuid: workflows.uuid }).from(workflows).where(isWorkflow(orgUuid, name));
}

/** At most one row: a version, by its name. */
export function selectVersion(db: Database, orgUuid: string, uuid: string, version: string) {
  return db
    .select()
    .from(workflowVersions)
    .where(
      and(
        eq(workflowVersions.orgUuid, orgUuid),
        eq(workflowVersions.workflowUuid, uuid),
        eq(workflowVersions.version, version),
      ),
    );
}

/** Names of a workflow's versions, the newest first. */
export function selectVersionNames(db: Database, orgUuid: string, uuid: string) {
  return db
    .select({ version: workflowVersions.version, createdAt: workflowVersions.createdAt })
    .from(workflowVersions)
    .where(and(eq(workflowVersions.orgUuid, orgUuid), eq(workflowVersions.workflowUuid, uuid)))
    .orderBy(desc(workflowVersions.createdAt), desc(sql`rowid`));
}

/** Workflows that the caller may read, by id. */
export function selectReadable(
  db: Database,
  caller: Caller,
  { byDefault, after, limit }: ReadablePage,
) {
  return db
    .select()
    .from(workflows)
    .where(
      and(
        eq(workflows.orgUuid, caller.orgUuid),
        isNull(workflows.deletedAt),
        isReadable(caller, byDefault, workflows.uuid),
        after === undefined ? undefined : gt(workflows.id, after),
      ),
    )
    .orderBy(asc(workflows.id))
    .limit(limit + 1);
}

/** How many workflows an organization has. One row. */
export function selectWorkflowCount(db: Database, orgUuid: string) {
  return db
    .select({ count: count() })
    .from(workflows)
    .where(and(eq(workflows.orgUuid, orgUuid), isNull(workflows.deletedAt)));
}

/** The same count, for use inside other statements. */
export function counted(orgUuid: string): SQL {
  return sql`(select count(*) from ${workflows}
    where ${workflows.orgUuid} = ${orgUuid} and ${workflows.deletedAt} is null)`;
}

/** A path below `/hooks/{org}` that another workflow has. */
export function takenHooks(orgUuid: string, uuid: string, paths: readonly string[]): SQL {
  return sql`(select ${workflowHooks.path} from ${workflowHooks}
    where ${workflowHooks.orgUuid} = ${orgUuid} and ${workflowHooks.workflowUuid} <> ${uuid}
      and ${workflowHooks.path} in (select value from json_each(${JSON.stringify(paths)})) limit 1)`;
}

/** What a new workflow takes. */
export interface NewWorkflow {
  readonly id: string;
  readonly uuid: string;
  readonly hooks: readonly string[];
  readonly quota: number;
}

/** One row: what is taken, and whether the quota is used up. None when the organization is gone. */
export function selectRoom(db: Database, orgUuid: string, { id, uuid, hooks, quota }: NewWorkflow) {
  const taken = selectWorkflowUuid(db, orgUuid, { id });
  return db
    .select({
      taken: sql<number>`exists ${taken}`.mapWith(Boolean),
      hook: sql<string | null>`${takenHooks(orgUuid, uuid, hooks)}`,
      full: sql<number>`${counted(orgUuid)} >= ${quota}`.mapWith(Boolean),
    })
    .from(organizations)
    .where(and(eq(organizations.uuid, orgUuid), isNull(organizations.deletedAt)));
}

/** Ids of workflows whose version in force names a resource, by id. */
export function selectUsers(
  db: Database,
  orgUuid: string,
  kind: 'endpoint' | 'template' | 'workflow',
  { uuid, id }: { readonly uuid: string; readonly id: string },
) {
  return db
    .selectDistinct({ id: workflows.id })
    .from(workflowReferences)
    .innerJoin(
      workflows,
      and(
        eq(workflows.orgUuid, orgUuid),
        eq(workflows.uuid, workflowReferences.workflowUuid),
        eq(workflows.version, workflowReferences.version),
        isNull(workflows.deletedAt),
      ),
    )
    .where(
      and(
        eq(workflowReferences.orgUuid, orgUuid),
        eq(workflowReferences.kind, kind),
        or(eq(workflowReferences.target, id), eq(workflowReferences.target, uuid)),
      ),
    )
    .orderBy(asc(workflows.id));
}

/** What the version in force names, and the levels that are needed there. */
export function selectReferencesOf(
  db: Database,
  { orgUuid, uuid, version }: Pick<WorkflowRow, 'orgUuid' | 'uuid' | 'version'>,
) {
  const { kind, target, level } = workflowReferences;
  return db
    .select({ kind, id: target, level })
    .from(workflowReferences)
    .where(
      and(
        eq(workflowReferences.orgUuid, orgUuid),
        eq(workflowReferences.workflowUuid, uuid),
        eq(workflowReferences.version, version),
      ),
    );
}

/** Workflows by ids, or by UUIDs in lower case. */
export function selectByNames(db: Database, orgUuid: string, names: readonly string[]) {
  const uuids = selectUuidsByNames(orgUuid, names);
  return db
    .select({ uuid: workflows.uuid, id: workflows.id })
    .from(workflows)
    .where(and(eq(workflows.orgUuid, orgUuid), sql`${workflows.uuid} in ${uuids}`));
}

/** The UUIDs of the same workflows, for use inside other statements. */
export function selectUuidsByNames(orgUuid: string, names: readonly string[]): SQL {
  const list = sql`(select value from json_each(${JSON.stringify(names)}))`;
  return sql`(select ${workflows.uuid} from ${workflows} where ${workflows.orgUuid} = ${orgUuid}
    and ${workflows.deletedAt} is null
    and (${workflows.id} in ${list} or ${workflows.uuid} in ${list}))`;
}

/** Most workflows that are followed to see whether one leads back to itself. */
const FOLLOWED_MAX = 1_000;

/** UUIDs of those of the named workflows whose versions in force run the target, directly or through other workflows. */
export function selectLeadingTo(
  db: Database,
  orgUuid: string,
  names: readonly string[],
  target: Pick<WorkflowRow, 'uuid'>,
) {
  const w = workflows;
  const f = workflowReferences;
  const reached = sql`with recursive reached(root, uuid) as (
    select ${w.uuid}, ${w.uuid} from ${w} where ${w.uuid} in ${selectUuidsByNames(orgUuid, names)}
      and ${w.orgUuid} = ${orgUuid}
    union
    select r.root, t.uuid from reached r
      cross join ${w} o on o.org_uuid = ${orgUuid} and o.uuid = r.uuid
      cross join ${f} f on f.org_uuid = ${orgUuid} and f.workflow_uuid = o.uuid
        and f.version = o.version and f.kind = 'workflow'
      cross join ${w} t on ${isNamedWorkflow(orgUuid)}
    limit ${FOLLOWED_MAX})`;
  return db
    .select({ uuid: w.uuid })
    .from(w)
    .where(
      and(
        eq(w.orgUuid, orgUuid),
        sql`${w.uuid} in (${reached} select root from reached where uuid = ${target.uuid})`,
      ),
    );
}

/** At most one row: totals over all runs of a workflow. */
export function selectTotals(db: Database, orgUuid: string, uuid: string) {
  return db
    .select()
    .from(workflowTotals)
    .where(and(eq(workflowTotals.orgUuid, orgUuid), eq(workflowTotals.workflowUuid, uuid)));
}

/** One row: runs that ended since a time, and those of them that succeeded. */
export function selectEndedSince(db: Database, orgUuid: string, uuid: string, since: number) {
  return db
    .select({
      ended: count(),
      succeeded: sql<number>`coalesce(sum(${workflowRuns.status} = 'succeeded'), 0)`,
    })
    .from(workflowRuns)
    .where(
      and(
        eq(workflowRuns.orgUuid, orgUuid),
        eq(workflowRuns.workflowUuid, uuid),
        gte(workflowRuns.endedAt, since),
      ),
    );
}

/** One row: runs that began since a time. */
export function selectStartedSince(db: Database, orgUuid: string, uuid: string, since: number) {
  return db
    .select({ started: count() })
    .from(workflowRuns)
    .where(
      and(
        eq(workflowRuns.orgUuid, orgUuid),
        eq(workflowRuns.workflowUuid, uuid),
        gte(workflowRuns.startedAt, since),
      ),
    );
}

/** One row: runs that have not ended. */
export function selectActive(db: Database, orgUuid: string, uuid: string) {
  return db
    .select({ active: count() })
    .from(workflowRuns)
    .where(
      and(
        eq(workflowRuns.orgUuid, orgUuid),
        eq(workflowRuns.workflowUuid, uuid),
        isNull(workflowRuns.endedAt),
      ),
    );
}
