/** Statements that find doors above something, and what workflows reach; the organization comes first in each. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import type { Guard } from '../../db/guard.ts';
import { isNamedWorkflow } from '../../db/named-workflow.ts';
import { organizations } from '../../db/schema.ts';
import { templateReferences, templates, templateVersions } from '../../db/templates.ts';
import { workflowReferences, workflows } from '../../db/workflows.ts';

/** A template or workflow, by all that may name it. */
export interface Nested {
  readonly kind: 'template' | 'workflow';
  readonly id: string;
  /** Undefined before it is stored: what names its id names it then. */
  readonly uuid: string | undefined;
}

/**
 * `kind` and `uuid` of the doors whose versions in force reach something, at whatever depth. Each step goes from what is
 * above already, by what names that: in another order it would read all references of the organization.
 */
function doorsAbove(orgUuid: string, { kind, id, uuid = '' }: Nested): SQL {
  const [t, w, v] = [templates, workflows, templateVersions];
  return sql`with recursive above(kind, uuid, id) as (
    select ${kind}, ${uuid}, ${id}
    union
    select 'template', t.uuid, t.id from above a
      cross join ${templateReferences} f indexed by template_references_target
        on f.org_uuid = ${orgUuid} and f.kind = a.kind and f.target in (a.id, a.uuid)
      cross join ${t} t on t.org_uuid = ${orgUuid} and t.uuid = f.template_uuid and t.version = f.version
    union
    select 'workflow', w.uuid, w.id from above a
      cross join ${workflowReferences} f indexed by workflow_references_target
        on f.org_uuid = ${orgUuid} and f.kind = a.kind and f.target in (a.id, a.uuid)
      cross join ${w} w on w.org_uuid = ${orgUuid} and w.uuid = f.workflow_uuid
        and w.version = f.version and w.deleted_at is null)
    select a.kind, a.uuid from above a where a.uuid <> ${uuid} and case a.kind
      when 'template' then exists (select 1 from ${t} t join ${v} v on v.org_uuid = ${orgUuid}
        and v.template_uuid = t.uuid and v.version = t.version and v.run_as = 'author'
        where t.org_uuid = ${orgUuid} and t.uuid = a.uuid)
      else exists (select 1 from ${w} w where w.org_uuid = ${orgUuid} and w.uuid = a.uuid
        and w.run_as = 'author') end`;
}

/** Doors whose versions in force reach something. */
export function selectDoorsAbove(db: Database, orgUuid: string, nested: Nested) {
  return db
    .select({
      kind: sql<Nested['kind']>`doors.kind`.as('door_kind'),
      uuid: sql<string>`doors.uuid`.as('door_uuid'),
    })
    .from(organizations)
    .innerJoin(sql`(${doorsAbove(orgUuid, nested)}) as doors`, sql`true`)
    .where(eq(organizations.uuid, orgUuid));
}

/** Whether no other doors reach it than those that are known: a change of it hangs on that. */
function noOtherDoors(orgUuid: string, nested: Nested, known: readonly string[]): SQL {
  return sql`not exists (select 1 from (${doorsAbove(orgUuid, nested)}) as doors
    where doors.uuid not in (select value from json_each(${JSON.stringify(known)})))`;
}

/** Versions of templates, each by its uuid and version. */
type Versions = readonly { readonly uuid: string; readonly version: string }[];

/** Whether templates still are at these versions: what was looked at of them is what they are. */
function stillAt(orgUuid: string, versions: Versions): SQL {
  const pairs = JSON.stringify(versions.map(({ uuid, version }) => [uuid, version]));
  return sql`not exists (select 1 from json_each(${pairs}) p where not exists (
    select 1 from ${templates} t where t.org_uuid = ${orgUuid} and t.uuid = p.value ->> 0
      and t.version = p.value ->> 1))`;
}

/** Endpoints and templates that workflows name, at whatever depth, by ids or UUIDs of the workflows. */
export function selectNamedUnder(db: Database, orgUuid: string, names: readonly string[]) {
  const [w, f] = [workflows, workflowReferences];
  const list = sql`(select value from json_each(${JSON.stringify(names)}))`;
  const flows = sql`with recursive flows(uuid, version) as (
    select w.uuid, w.version from ${w} w where w.org_uuid = ${orgUuid} and w.deleted_at is null
      and (w.id in ${list} or w.uuid in ${list})
    union
    select t.uuid, t.version from flows r
      cross join ${f} f on f.org_uuid = ${orgUuid} and f.workflow_uuid = r.uuid
        and f.version = r.version and f.kind = 'workflow'
      cross join ${w} t on ${isNamedWorkflow(orgUuid)})`;
  return db
    .selectDistinct({
      kind: sql<'endpoint' | 'template'>`${f.kind}`.as('named_kind'),
      id: f.target,
    })
    .from(f)
    .where(
      and(
        eq(f.orgUuid, orgUuid),
        sql`${f.kind} <> 'workflow'`,
        sql`(${f.workflowUuid}, ${f.version}) in (${flows} select uuid, version from flows)`,
      ),
    );
}

/**
 * That no other door came to reach it meanwhile, and that what it nests is as it was looked at.
 * @param known UUIDs of doors that do; undefined where it does not matter
 */
export function guardOf(
  nested: Nested,
  known: readonly string[] | undefined,
  versions: Versions,
): NonNullable<Guard> {
  return (orgUuid) => [
    ...(known === undefined ? [] : [noOtherDoors(orgUuid, nested, known)]),
    ...(versions.length === 0 ? [] : [stillAt(orgUuid, versions)]),
  ];
}
