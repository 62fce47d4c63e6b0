/** The statement that adds up runs of a template. */
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { templates, templateUsage } from '../../db/templates.ts';

/** What one isolate counted of one template and day since it last wrote. */
export interface Counted {
  readonly orgUuid: string;
  readonly templateUuid: string;
  readonly day: number;
  readonly invocations: number;
  readonly durationMs: number;
}

/** Adds to a template's counters; nothing is written for one that does not exist. */
export function addUsage(
  db: Database,
  { orgUuid, templateUuid, day, invocations, durationMs }: Counted,
) {
  const values = db
    .select({
      orgUuid: templates.orgUuid,
      templateUuid: templates.uuid,
      day: sql<number>`${day}`.as('day'),
      invocations: sql<number>`${invocations}`.as('invocations'),
      durationMs: sql<number>`${durationMs}`.as('duration_ms'),
    })
    .from(templates)
    .where(and(eq(templates.orgUuid, orgUuid), eq(templates.uuid, templateUuid)));
  return db
    .insert(templateUsage)
    .select(values)
    .onConflictDoUpdate({
      target: [templateUsage.orgUuid, templateUsage.templateUuid, templateUsage.day],
      set: {
        invocations: sql`${templateUsage.invocations} + ${invocations}`,
        durationMs: sql`${templateUsage.durationMs} + ${durationMs}`,
      },
    });
}
