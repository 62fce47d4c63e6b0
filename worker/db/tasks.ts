/** Table of human tasks; as in schema.ts, the organization is the first column of the key. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Human tasks, for lists. */
export const workflowTasks = sqliteTable(
  'workflow_tasks',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    workflowUuid: text('workflow_uuid').notNull(),
    runUuid: text('run_uuid').notNull(),
    action: text('action').notNull(),
    /** As records have it: `each[3].approve`. */
    path: text('path').notNull(),
    status: text('status').$type<'open' | 'done' | 'expired'>().notNull(),
    /** Title, description, form and assignees as JSON, sealed under the organization's data key. */
    sealedContent: text('sealed_content').notNull(),
    /** Rank of the lowest level that may complete it, as `LEVELS` counts; null where none is named. */
    audienceRank: integer('audience_rank'),
    /** Tags of the users and groups that may: a JSON list; null: only the sealed content reports. */
    audience: text('audience'),
    createdAt: integer('created_at').notNull(),
    dueAt: integer('due_at'),
    escalated: integer('escalated', { mode: 'boolean' }).notNull().default(false),
    completedBy: text('completed_by'),
    completedAt: integer('completed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    // All of a list's order stands in each: of two that fit, SQLite takes one that needs no sorting.
    index('workflow_tasks_all').on(table.orgUuid, table.createdAt, table.uuid),
    index('workflow_tasks_list').on(table.orgUuid, table.status, table.createdAt, table.uuid),
    index('workflow_tasks_of').on(table.orgUuid, table.workflowUuid, table.createdAt, table.uuid),
    index('workflow_tasks_workflow').on(
      table.orgUuid,
      table.workflowUuid,
      table.status,
      table.createdAt,
      table.uuid,
    ),
    index('workflow_tasks_run').on(table.orgUuid, table.runUuid),
  ],
);
export type WorkflowTaskRow = typeof workflowTasks.$inferSelect;
