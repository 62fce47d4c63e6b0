/** Statements about asynchronous runs; the organization comes first in each. */
import { and, eq, isNull, lt, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { organizations } from '../db/schema.ts';
import { type TemplateRunRow, templateRuns, templateUsage } from '../db/templates.ts';

/** Asynchronous runs that an organization may have under way. Spec silent. */
const RUNNING_MAX = 100;

/** At most one row. */
export function selectRun(db: Database, orgUuid: string, uuid: string) {
  return db
    .select()
    .from(templateRuns)
    .where(and(eq(templateRuns.orgUuid, orgUuid), eq(templateRuns.uuid, uuid)));
}

/** Notes a run that begins; no row comes back when too many are under way. */
export function insertRun(db: Database, row: TemplateRunRow) {
  const running = sql`(select count(*) from ${templateRuns}
    where ${templateRuns.orgUuid} = ${row.orgUuid} and ${templateRuns.status} = 'running')`;
  const values = db
    .select({
      orgUuid: sql<string>`${row.orgUuid}`.as('org_uuid'),
      uuid: sql<string>`${row.uuid}`.as('uuid'),
      templateUuid: sql<string>`${row.templateUuid}`.as('template_uuid'),
      version: sql<string>`${row.version}`.as('version'),
      status: sql<TemplateRunRow['status']>`${row.status}`.as('status'),
      startedBy: sql<string>`${row.startedBy}`.as('started_by'),
      startedAt: sql<number>`${row.startedAt}`.as('started_at'),
      endedAt: sql<number | null>`${row.endedAt}`.as('ended_at'),
    })
    .from(organizations)
    .where(
      and(
        eq(organizations.uuid, row.orgUuid),
        isNull(organizations.deletedAt),
        sql`${running} < ${RUNNING_MAX}`,
      ),
    );
  return db.insert(templateRuns).select(values).returning({ uuid: templateRuns.uuid });
}

/** Notes how a run ended; the first to say so is believed. */
export function endRun(
  db: Database,
  orgUuid: string,
  uuid: string,
  ended: Pick<TemplateRunRow, 'status' | 'endedAt'>,
) {
  return db
    .update(templateRuns)
    .set(ended)
    .where(
      and(
        eq(templateRuns.orgUuid, orgUuid),
        eq(templateRuns.uuid, uuid),
        eq(templateRuns.status, 'running'),
      ),
    );
}

/** Removes what is no longer shown: of every organization, a few at a time. */
export function deleteOld(
  db: Database,
  before: { readonly startedAt: number; readonly day: number },
  limit: number,
) {
  const old = sql`(select "rowid" from ${templateRuns}
    where ${lt(templateRuns.startedAt, before.startedAt)} limit ${limit})`;
  const days = sql`(select "rowid" from ${templateUsage}
    where ${lt(templateUsage.day, before.day)} limit ${limit})`;
  return [
    db.delete(templateRuns).where(sql`"rowid" in ${old}`),
    db.delete(templateUsage).where(sql`"rowid" in ${days}`),
  ] as const;
}
