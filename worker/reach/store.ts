/** Statements that find all that is reached, nested templates included; the organization comes first in each. */
import { and, eq, getTableColumns, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { endpoints } from '../db/schema.ts';
import { type RunAs, templateReferences, templates, templateVersions } from '../db/templates.ts';

/** Most templates that one may reach, itself included. Spec silent. */
export const REACHED_MAX = 100;

/** Where reaching begins: versions of templates, and names that a definition holds which is not stored yet. */
export interface Roots {
  readonly versions: readonly { readonly uuid: string; readonly version: string }[];
  /** Ids, or UUIDs in lower case. */
  readonly templates: readonly string[];
  readonly endpoints: readonly string[];
  /** Versions of nested templates, by UUID, where they are not those in force. */
  readonly pins?: Pins | undefined;
}

/** Versions of templates, by UUID. */
export type Pins = { readonly [uuid: string]: string };

/**
 * `reached(uuid, version)`: each template once, those that are nested in the version in force or that they are pinned to.
 * Each step goes from what is reached: `cross join` keeps that order, in which nothing but that is read of the organization.
 */
function reached(orgUuid: string, { versions, templates: names, pins = {} }: Roots): SQL {
  const from = JSON.stringify(versions.map(({ uuid, version }) => [uuid, version]));
  const pinned = sql`(select value from json_each(${JSON.stringify(pins)}) where key = t.uuid)`;
  return sql`with recursive reached(uuid, version) as (
    select value ->> 0, value ->> 1 from json_each(${from})
    union
    select t.uuid, t.version from json_each(${JSON.stringify(names)}) n
      cross join ${templates} t on t.org_uuid = ${orgUuid} and (t.id = n.value or t.uuid = n.value)
    union
    select t.uuid, coalesce(${pinned}, t.version) from reached r
      cross join ${templateReferences} f on f.org_uuid = ${orgUuid} and f.template_uuid = r.uuid
        and f.version = r.version and f.kind = 'template'
      cross join ${templates} t on t.org_uuid = ${orgUuid} and (t.id = f.target or t.uuid = f.target)
    limit ${REACHED_MAX + 1})`;
}

/** A version of a template that may count where it is reached. */
export interface ReachedVersion {
  readonly version: string;
  readonly runAs: RunAs;
  /** UUID of the account that stored it; null where none did. */
  readonly author: string | null;
}

/** JSON of a template's version in force, of the one that it is pinned to, and of those where reaching begins. */
function reachedVersions(orgUuid: string, { versions, pins = {} }: Roots): SQL<ReachedVersion[]> {
  const begun = sql`(select value ->> 'version' from json_each(${JSON.stringify(versions)})
    where value ->> 'uuid' = ${templates.uuid})`;
  const pinned = sql`(select value from json_each(${JSON.stringify(pins)}) where key = ${templates.uuid})`;
  // As a statement within another: in the list of what is selected, columns lose the names of their tables.
  const found = sql`(select json_group_array(json_object('version', v.version, 'runAs', v.run_as,
      'author', v.author_uuid)) from ${templateVersions} v
    where v.org_uuid = ${orgUuid} and v.template_uuid = ${templates.uuid}
      and (v.version = ${templates.version} or v.version in ${begun} or v.version in ${pinned}))`;
  return sql`${found}`.mapWith(
    (text: string) => JSON.parse(text) as ReachedVersion[], // As the statement makes it.
  );
}

/** The templates that are reached. */
export function selectReached(db: Database, orgUuid: string, roots: Roots) {
  return db
    .select({
      ...getTableColumns(templates),
      reachedVersions: reachedVersions(orgUuid, roots).as('reached_versions'),
    })
    .from(templates)
    .where(
      and(
        eq(templates.orgUuid, orgUuid),
        sql`${templates.uuid} in (${reached(orgUuid, roots)} select uuid from reached)`,
      ),
    );
}

/** Their definitions, in the versions that are reached. */
export function selectReachedDefinitions(db: Database, orgUuid: string, roots: Roots) {
  const { templateUuid, version } = templateVersions;
  return db
    .select()
    .from(templateVersions)
    .where(
      and(
        eq(templateVersions.orgUuid, orgUuid),
        sql`(${templateUuid}, ${version}) in (${reached(orgUuid, roots)} select uuid, version from reached)`,
      ),
    );
}

/** What each of them reaches by itself. */
export function selectReferences(db: Database, orgUuid: string, roots: Roots) {
  const { templateUuid, version, kind, target, level } = templateReferences;
  return db
    .select({ templateUuid, version, kind, target, level })
    .from(templateReferences)
    .where(
      and(
        eq(templateReferences.orgUuid, orgUuid),
        sql`(${templateUuid}, ${version}) in (${reached(orgUuid, roots)} select uuid, version from reached)`,
      ),
    );
}

/** Ids and UUIDs by which endpoints are named. */
function endpointNames(orgUuid: string, roots: Roots): SQL {
  return sql`(${reached(orgUuid, roots)}
    select f.target from reached r cross join ${templateReferences} f on f.org_uuid = ${orgUuid}
      and f.template_uuid = r.uuid and f.version = r.version and f.kind = 'endpoint'
    union select value from json_each(${JSON.stringify(roots.endpoints)}))`;
}

function isReachedEndpoint(orgUuid: string, roots: Roots): SQL | undefined {
  const names = endpointNames(orgUuid, roots);
  return and(
    eq(endpoints.orgUuid, orgUuid),
    or(inArray(endpoints.id, names), inArray(endpoints.uuid, names)),
  );
}

/** The endpoints that are reached. */
export function selectReachedEndpoints(db: Database, orgUuid: string, roots: Roots) {
  return db.select().from(endpoints).where(isReachedEndpoint(orgUuid, roots));
}

/** Their UUIDs, for use inside other statements. */
export function selectReachedEndpointUuids(db: Database, orgUuid: string, roots: Roots) {
  return db
    .select({ uuid: endpoints.uuid })
    .from(endpoints)
    .where(isReachedEndpoint(orgUuid, roots));
}

/** UUIDs of all templates and endpoints that are reached, for use inside other statements. */
export function selectReachedUuids(db: Database, orgUuid: string, roots: Roots): SQL {
  const found = selectReachedEndpointUuids(db, orgUuid, roots);
  return sql`(${reached(orgUuid, roots)} select uuid from reached union select uuid from ${found})`;
}
