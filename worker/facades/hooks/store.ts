/** Statements that find what answers below `/hooks/{org}`. */
import { and, eq, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { organizations } from '../../db/schema.ts';
import { workflowHooks, workflows } from '../../db/workflows.ts';

/** At most one row: the workflow that has a path, and which of its triggers it leads to. @param org id or UUID */
export function selectHook(db: Database, org: string, path: string) {
  return db
    .select({
      orgUuid: organizations.uuid,
      orgId: sql<string>`${organizations.id}`.as('org_id'),
      sealedDataKey: organizations.sealedDataKey,
      workflow: {
        uuid: sql<string>`${workflows.uuid}`.as('workflow_uuid'),
        id: sql<string>`${workflows.id}`.as('workflow_id'),
        version: workflows.version,
      },
      status: workflows.status,
      index: workflowHooks.trigger,
    })
    .from(organizations)
    .innerJoin(
      workflowHooks,
      and(eq(workflowHooks.orgUuid, organizations.uuid), eq(workflowHooks.path, path)),
    )
    .innerJoin(
      workflows,
      and(
        eq(workflows.orgUuid, organizations.uuid),
        eq(workflows.uuid, workflowHooks.workflowUuid),
        isNull(workflows.deletedAt),
      ),
    )
    .where(
      and(
        or(eq(organizations.id, org), eq(organizations.uuid, org.toLowerCase())),
        isNull(organizations.deletedAt),
      ),
    );
}
