/** Statements that make, change and remove templates; the organization comes first in each. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import type { Guard } from '../../db/guard.ts';
import { heldTo } from '../../db/held.ts';
import { organizations, rules } from '../../db/schema.ts';
import {
  type RunAs,
  type TemplateRow,
  type TemplateVersionRow,
  templateReferences,
  templates,
  templateUsage,
  templateVersions,
} from '../../db/templates.ts';
import type { Level } from '../../levels.ts';
import type { IfMatch } from '../../revision.ts';
import { selectUsers as selectWorkflows } from '../../workflows/store.ts';
import type { Reference } from '../compiled.ts';
import { counted, selectTemplateUuid, selectUsers, selectVersion } from '../store.ts';

/**
 * Stores a template. No row comes back when the organization has one of that id already, or as
 * many as it may have, or `guard` does not hold: the statement itself looks, so that it holds under concurrency.
 */
export function insertTemplate(db: Database, row: TemplateRow, quota: number, guard: Guard) {
  const values = db
    .select({
      orgUuid: sql<string>`${row.orgUuid}`.as('org_uuid'),
      uuid: sql<string>`${row.uuid}`.as('uuid'),
      id: sql<string>`${row.id}`.as('id'),
      name: sql<string>`${row.name}`.as('name'),
      version: sql<string>`${row.version}`.as('version'),
      createdAt: sql<number>`${row.createdAt}`.as('created_at'),
      createdBy: sql<string>`${row.createdBy}`.as('created_by'),
      updatedAt: sql<number>`${row.updatedAt}`.as('updated_at'),
      lastModifiedBy: sql<string>`${row.lastModifiedBy}`.as('last_modified_by'),
      revision: sql<number>`${row.revision}`.as('revision'),
    })
    .from(organizations)
    .where(
      and(
        eq(organizations.uuid, row.orgUuid),
        isNull(organizations.deletedAt),
        sql`${counted(row.orgUuid)} < ${quota}`,
        ...(guard?.(row.orgUuid) ?? []),
      ),
    );
  return db.insert(templates).select(values).onConflictDoNothing().returning();
}

/** Makes a version the one in force; no row comes back when `row` is no longer its state, the version exists, or `guard` does not hold. */
export function updateTemplateRow(
  db: Database,
  row: TemplateRow,
  changes: Pick<TemplateRow, 'name' | 'version' | 'updatedAt' | 'lastModifiedBy'>,
  guard: Guard,
) {
  const { orgUuid, uuid } = row;
  return db
    .update(templates)
    .set({ ...changes, revision: row.revision + 1 })
    .where(
      and(
        eq(templates.orgUuid, orgUuid),
        eq(templates.uuid, uuid),
        eq(templates.revision, row.revision),
        sql`not exists ${selectVersion(db, orgUuid, uuid, changes.version)}`,
        ...(guard?.(orgUuid) ?? []),
      ),
    )
    .returning();
}

/** Whether this change of a template is the one that is in force: what a batch writes hangs on it. */
function isInForce(db: Database, { orgUuid, uuid, version, revision }: TemplateRow): SQL {
  const row = db
    .select({ uuid: templates.uuid })
    .from(templates)
    .where(
      and(
        eq(templates.orgUuid, orgUuid),
        eq(templates.uuid, uuid),
        eq(templates.version, version),
        eq(templates.revision, revision),
      ),
    );
  return sql`exists ${row}`;
}

/** Keeps a version, after the statement that put it in force; nothing is written when that did not. */
export function insertVersion(db: Database, row: TemplateRow, version: TemplateVersionRow) {
  const values = db
    .select({
      orgUuid: sql<string>`${version.orgUuid}`.as('org_uuid'),
      templateUuid: sql<string>`${version.templateUuid}`.as('template_uuid'),
      version: sql<string>`${version.version}`.as('version'),
      definition: sql<string>`${version.definition}`.as('definition'),
      createdAt: sql<number>`${version.createdAt}`.as('created_at'),
      createdBy: sql<string>`${version.createdBy}`.as('created_by'),
      authorUuid: sql<string | null>`${version.authorUuid}`.as('author_uuid'),
      runAs: sql<RunAs>`${version.runAs}`.as('run_as'),
    })
    .from(organizations)
    .where(and(eq(organizations.uuid, row.orgUuid), isInForce(db, row)));
  return db.insert(templateVersions).select(values).onConflictDoNothing();
}

/** Keeps what a version reaches, as `insertVersion` keeps the version. */
export function insertReferences(db: Database, row: TemplateRow, references: readonly Reference[]) {
  const { orgUuid, uuid, version } = row;
  const each = references.map((reference) => [
    reference.kind,
    reference.id,
    reference.kind === 'endpoint' ? reference.level : 'Read',
  ]);
  const values = db
    .select({
      orgUuid: organizations.uuid,
      templateUuid: sql<string>`${uuid}`.as('template_uuid'),
      version: sql<string>`${version}`.as('version'),
      kind: sql<Reference['kind']>`value ->> 0`.as('kind'),
      target: sql<string>`value ->> 1`.as('target'),
      level: sql<Level>`value ->> 2`.as('level'),
    })
    .from(organizations)
    .innerJoin(sql`json_each(${JSON.stringify(each)})`, sql`true`)
    .where(and(eq(organizations.uuid, orgUuid), isInForce(db, row)));
  return db.insert(templateReferences).select(values).onConflictDoNothing();
}

/** No row comes back when it is gone already, or none that the request is held to, or in use and not confirmed. */
export function deleteTemplateRow(
  db: Database,
  { orgUuid, uuid, id }: TemplateRow,
  ifMatch: IfMatch | undefined,
  confirmed: boolean,
) {
  return db
    .delete(templates)
    .where(
      and(
        eq(templates.orgUuid, orgUuid),
        eq(templates.uuid, uuid),
        heldTo(templates.revision, ifMatch),
        ...(confirmed
          ? []
          : [
              sql`not exists ${selectUsers(db, orgUuid, { uuid, id })}`,
              sql`not exists ${selectWorkflows(db, orgUuid, 'template', { uuid, id })}`,
            ]),
      ),
    )
    .returning({ uuid: templates.uuid });
}

/** Removes what is kept of a template that is gone: versions, references, usage, and rules on it. */
export function deleteRemains(db: Database, orgUuid: string, uuid: string) {
  const isGone = sql`not exists ${selectTemplateUuid(db, orgUuid, { uuid })}`;
  const of = (table: typeof templateVersions | typeof templateReferences | typeof templateUsage) =>
    and(eq(table.orgUuid, orgUuid), eq(table.templateUuid, uuid), isGone);
  return [
    db.delete(templateVersions).where(of(templateVersions)),
    db.delete(templateReferences).where(of(templateReferences)),
    db.delete(templateUsage).where(of(templateUsage)),
    db.delete(rules).where(and(eq(rules.orgUuid, orgUuid), eq(rules.resourceUuid, uuid), isGone)),
  ] as const;
}
