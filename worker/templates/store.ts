/** Statements that read templates; the organization comes first in each. */
import { and, asc, count, desc, eq, gt, gte, isNull, or, type SQL, sql } from 'drizzle-orm';
import { isReadable, type ReadablePage } from '../access/store.ts';
import type { Caller, Database } from '../context.ts';
import { organizations } from '../db/schema.ts';
import {
  type TemplateRow,
  templateReferences,
  templates,
  templateUsage,
  templateVersions,
} from '../db/templates.ts';

/** How a path names a template. */
export type TemplateName = { readonly uuid: string } | { readonly id: string };

function isTemplate(orgUuid: string, name: TemplateName): SQL | undefined {
  const match = 'uuid' in name ? eq(templates.uuid, name.uuid) : eq(templates.id, name.id);
  return and(eq(templates.orgUuid, orgUuid), match);
}

/** At most one row. */
export function selectTemplate(db: Database, orgUuid: string, name: TemplateName) {
  return db.select().from(templates).where(isTemplate(orgUuid, name));
}

/** The uuid alone, for use inside other statements. */
export function selectTemplateUuid(db: Database, orgUuid: string, name: TemplateName) {
  return db.select({ uuid: templates.uuid }).from(templates).where(isTemplate(orgUuid, name));
}

/** At most one row: a version, by its name. */
export function selectVersion(db: Database, orgUuid: string, uuid: string, version: string) {
  return db
    .select()
    .from(templateVersions)
    .where(
      and(
        eq(templateVersions.orgUuid, orgUuid),
        eq(templateVersions.templateUuid, uuid),
        eq(templateVersions.version, version),
      ),
    );
}

/** Versions of several templates, each by its uuid and version. */
export function selectVersions(
  db: Database,
  orgUuid: string,
  wanted: readonly { readonly uuid: string; readonly version: string }[],
) {
  const pairs = sql`(select value ->> 'uuid', value ->> 'version' from json_each(${JSON.stringify(wanted)}))`;
  return db
    .select()
    .from(templateVersions)
    .where(
      and(
        eq(templateVersions.orgUuid, orgUuid),
        sql`(${templateVersions.templateUuid}, ${templateVersions.version}) in ${pairs}`,
      ),
    );
}

/** Names of a template's versions, the newest first. */
export function selectVersionNames(db: Database, orgUuid: string, uuid: string) {
  return db
    .select({ version: templateVersions.version, createdAt: templateVersions.createdAt })
    .from(templateVersions)
    .where(and(eq(templateVersions.orgUuid, orgUuid), eq(templateVersions.templateUuid, uuid)))
    .orderBy(desc(templateVersions.createdAt), desc(sql`rowid`));
}

/** Templates that the caller may read, by id. */
export function selectReadable(
  db: Database,
  caller: Caller,
  { byDefault, after, limit }: ReadablePage,
) {
  return db
    .select()
    .from(templates)
    .where(
      and(
        eq(templates.orgUuid, caller.orgUuid),
        isReadable(caller, byDefault, templates.uuid),
        after === undefined ? undefined : gt(templates.id, after),
      ),
    )
    .orderBy(asc(templates.id))
    .limit(limit + 1);
}

/** How many templates an organization has. One row. */
export function selectTemplateCount(db: Database, orgUuid: string) {
  return db.select({ count: count() }).from(templates).where(eq(templates.orgUuid, orgUuid));
}

/** How many templates an organization has, for use inside other statements. */
export function counted(orgUuid: string): SQL {
  return sql`(select count(*) from ${templates} where ${templates.orgUuid} = ${orgUuid})`;
}

/** One row: whether the id is taken, and whether the quota is used up. None when the organization is gone. */
export function selectRoom(db: Database, orgUuid: string, id: string, quota: number) {
  const taken = selectTemplateUuid(db, orgUuid, { id });
  return db
    .select({
      taken: sql<number>`exists ${taken}`.mapWith(Boolean),
      full: sql<number>`${counted(orgUuid)} >= ${quota}`.mapWith(Boolean),
    })
    .from(organizations)
    .where(and(eq(organizations.uuid, orgUuid), isNull(organizations.deletedAt)));
}

/** Ids of templates whose version in force names this one, by id. */
export function selectUsers(
  db: Database,
  orgUuid: string,
  { uuid, id }: Pick<TemplateRow, 'uuid' | 'id'>,
) {
  return db
    .select({ id: templates.id })
    .from(templateReferences)
    .innerJoin(
      templates,
      and(
        eq(templates.orgUuid, orgUuid),
        eq(templates.uuid, templateReferences.templateUuid),
        eq(templates.version, templateReferences.version),
      ),
    )
    .where(
      and(
        eq(templateReferences.orgUuid, orgUuid),
        eq(templateReferences.kind, 'template'),
        or(eq(templateReferences.target, id), eq(templateReferences.target, uuid)),
      ),
    )
    .orderBy(asc(templates.id));
}

/** One row: runs since a day, and their milliseconds together. */
export function selectUsage(db: Database, orgUuid: string, uuid: string, sinceDay: number) {
  return db
    .select({
      invocations: sql<number>`coalesce(sum(${templateUsage.invocations}), 0)`,
      durationMs: sql<number>`coalesce(sum(${templateUsage.durationMs}), 0)`,
    })
    .from(templateUsage)
    .where(
      and(
        eq(templateUsage.orgUuid, orgUuid),
        eq(templateUsage.templateUuid, uuid),
        gte(templateUsage.day, sinceDay),
      ),
    );
}
