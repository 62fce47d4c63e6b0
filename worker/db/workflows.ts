/** Tables of workflows and the index of their runs; as in schema.ts, the organization is the first column of each key. */
import { sql } from 'drizzle-orm';
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { Level } from '../levels.ts';
import type { RunAs } from './templates.ts';

/** Spec: workflows.md §1, `status`. */
export type WorkflowStatus = 'active' | 'paused';

/**
 * Workflows by their version in force; definitions are in `workflow_versions`. One that was deleted
 * while it had runs stays until they are gone, without its id: they are read by its UUID.
 */
export const workflows = sqliteTable(
  'workflows',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    /** The version that a start without `?version=` means. */
    version: text('version').notNull(),
    status: text('status').$type<WorkflowStatus>().notNull(),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    updatedAt: integer('updated_at').notNull(),
    lastModifiedBy: text('last_modified_by').notNull(),
    /** The ETag. */
    revision: integer('revision').notNull().default(1),
    /** Since when it is gone for all but its runs; null while it is there. */
    deletedAt: integer('deleted_at'),
    /** Of the version in force: asked at each start. */
    runAs: text('run_as').$type<RunAs>().notNull().default('caller'),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    uniqueIndex('workflows_org_id').on(table.orgUuid, table.id).where(sql`"deleted_at" is null`),
  ],
);
export type WorkflowRow = typeof workflows.$inferSelect;

/** Every version of a workflow; none is ever changed. */
export const workflowVersions = sqliteTable(
  'workflow_versions',
  {
    orgUuid: text('org_uuid').notNull(),
    workflowUuid: text('workflow_uuid').notNull(),
    version: text('version').notNull(),
    /** JSON text as worker/workflows/stored.ts has it, secrets of webhooks sealed. */
    definition: text('definition').notNull(),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    /** The account whose rights runs have that nobody calls; null where no account stored it. */
    authorUuid: text('author_uuid'),
    /** Whose rights runs have that somebody calls. */
    runAs: text('run_as').$type<RunAs>().notNull().default('caller'),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.workflowUuid, table.version] })],
);
export type WorkflowVersionRow = typeof workflowVersions.$inferSelect;

/** What a version of a workflow reaches by itself: found again by what it is called, as the definition has it. */
export const workflowReferences = sqliteTable(
  'workflow_references',
  {
    orgUuid: text('org_uuid').notNull(),
    workflowUuid: text('workflow_uuid').notNull(),
    version: text('version').notNull(),
    kind: text('kind').$type<'endpoint' | 'template' | 'workflow'>().notNull(),
    /** An id, or a UUID in lower case. */
    target: text('target').notNull(),
    /** The level that is needed on it. */
    level: text('level').$type<Level>().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.orgUuid,
        table.workflowUuid,
        table.version,
        table.kind,
        table.target,
        table.level,
      ],
    }),
    index('workflow_references_target').on(table.orgUuid, table.kind, table.target),
  ],
);

/** Paths below `/hooks/{org}`, of the versions in force: those of webhooks, and ids that anyone may start. */
export const workflowHooks = sqliteTable(
  'workflow_hooks',
  {
    orgUuid: text('org_uuid').notNull(),
    path: text('path').notNull(),
    workflowUuid: text('workflow_uuid').notNull(),
    /** Of the trigger, in its definition. */
    trigger: integer('trigger').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.path] }),
    index('workflow_hooks_workflow').on(table.orgUuid, table.workflowUuid),
  ],
);
export type WorkflowHookRow = typeof workflowHooks.$inferSelect;

/** What starts runs, as a definition has it. */
export type TriggerType = 'api' | 'schedule' | 'event' | 'webhook' | 'dataChange';

/** Triggers of the versions in force, also of paused workflows: what the objects that own them read. */
export const workflowTriggers = sqliteTable(
  'workflow_triggers',
  {
    orgUuid: text('org_uuid').notNull(),
    workflowUuid: text('workflow_uuid').notNull(),
    /** In its definition. */
    index: integer('trigger_index').notNull(),
    type: text('type').$type<TriggerType>().notNull(),
    /** Of a `dataChange`. */
    endpointUuid: text('endpoint_uuid'),
    /** What its owner reads without the definition, as JSON text: worker/workflows/triggers/rows.ts. */
    detail: text('detail').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.workflowUuid, table.index] }),
    index('workflow_triggers_type').on(table.orgUuid, table.type, table.endpointUuid),
  ],
);
export type WorkflowTriggerRow = typeof workflowTriggers.$inferSelect;

/** Owners of triggers that are still to be told that those have changed: written with the change, removed once they know. */
export const workflowTriggerNews = sqliteTable(
  'workflow_trigger_news',
  {
    orgUuid: text('org_uuid').notNull(),
    type: text('type').$type<TriggerType>().notNull(),
    /** Of a `dataChange`, whose owner is one per endpoint; else empty. */
    endpointUuid: text('endpoint_uuid').notNull(),
    /** Names the change. */
    change: text('change').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.type, table.endpointUuid] }),
    index('workflow_trigger_news_at').on(table.at),
  ],
);
export type WorkflowTriggerNewsRow = typeof workflowTriggerNews.$inferSelect;

/** Spec: workflows.md §4, "A run's `status`". */
export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'compensating'
  | 'succeeded'
  | 'failed'
  | 'cancelled';

/** What started a run; a parent's action, a fork. */
export type RunCause =
  | 'api'
  | 'schedule'
  | 'event'
  | 'webhook'
  | 'dataChange'
  | 'subworkflow'
  | 'fork';

/**
 * Runs, for lists and counts: the objects that hold them write it, up to a second late. Triggers of
 * the migration sum up what has ended in `workflow_totals`.
 */
export const workflowRuns = sqliteTable(
  'workflow_runs',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    workflowUuid: text('workflow_uuid').notNull(),
    version: text('version').notNull(),
    status: text('status').$type<RunStatus>().notNull(),
    cause: text('cause').$type<RunCause>().notNull(),
    /** Index of the trigger, and the id of what fired it; null where a caller started it. */
    triggerIndex: integer('trigger_index'),
    triggerId: text('trigger_id'),
    /** Value of the workflow's `key`, as text. */
    key: text('key'),
    /** The account's UUID, or who an external token names, and the name that records show. */
    startedBy: text('started_by').notNull(),
    startedByName: text('started_by_name').notNull(),
    /** Username of whose rights it has, where those are not the starter's; null of runs from before this was kept, too. */
    authorName: text('author_name'),
    parentUuid: text('parent_uuid'),
    forkedFrom: text('forked_from'),
    compensation: text('compensation').$type<'none' | 'complete' | 'partial'>(),
    errorCode: text('error_code'),
    startedAt: integer('started_at').notNull(),
    /** Null while it is active; null again once it is retried. */
    endedAt: integer('ended_at'),
    /** When it goes; null: with the organization's `dataRetentionDays`. */
    expiresAt: integer('expires_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    // All of a list's order stands in each: of two that fit, SQLite takes one that needs no sorting.
    index('workflow_runs_list').on(table.orgUuid, table.workflowUuid, table.startedAt, table.uuid),
    index('workflow_runs_status').on(
      table.orgUuid,
      table.workflowUuid,
      table.status,
      table.startedAt,
      table.uuid,
    ),
    index('workflow_runs_version').on(
      table.orgUuid,
      table.workflowUuid,
      table.version,
      table.startedAt,
      table.uuid,
    ),
    index('workflow_runs_cause').on(
      table.orgUuid,
      table.workflowUuid,
      table.cause,
      table.startedAt,
      table.uuid,
    ),
    // Most runs have none of these: they take no room in their indexes.
    index('workflow_runs_trigger')
      .on(table.orgUuid, table.workflowUuid, table.triggerIndex, table.startedAt, table.uuid)
      .where(sql`"trigger_index" is not null`),
    index('workflow_runs_key')
      .on(table.orgUuid, table.workflowUuid, table.key, table.startedAt, table.uuid)
      .where(sql`"key" is not null`),
    index('workflow_runs_parent')
      .on(table.orgUuid, table.workflowUuid, table.parentUuid, table.startedAt, table.uuid)
      .where(sql`"parent_uuid" is not null`),
    index('workflow_runs_active').on(table.orgUuid, table.uuid).where(sql`"ended_at" is null`),
    index('workflow_runs_ended').on(table.orgUuid, table.workflowUuid, table.endedAt, table.status),
    index('workflow_runs_expiry').on(table.expiresAt).where(sql`"expires_at" is not null`),
  ],
);
export type WorkflowRunRow = typeof workflowRuns.$inferSelect;

/** Runs of a workflow summed up, also of those whose records are gone. Written by triggers of the migration alone. */
export const workflowTotals = sqliteTable(
  'workflow_totals',
  {
    orgUuid: text('org_uuid').notNull(),
    workflowUuid: text('workflow_uuid').notNull(),
    /** All, active ones too. */
    executions: integer('executions').notNull().default(0),
    ended: integer('ended').notNull().default(0),
    succeeded: integer('succeeded').notNull().default(0),
    /** Milliseconds of all that ended together. */
    durationMs: integer('duration_ms').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.workflowUuid] })],
);

/** Failed runs that wait to be driven again; their state is in the objects of the runs. */
export const workflowDeadLetters = sqliteTable(
  'workflow_dead_letters',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    workflowUuid: text('workflow_uuid').notNull(),
    runUuid: text('run_uuid').notNull(),
    version: text('version').notNull(),
    /** `{code, message, …}` as JSON, sealed: messages hold what a backend said. */
    sealedError: text('sealed_error').notNull(),
    failedAction: text('failed_action'),
    destination: text('destination'),
    retryable: integer('retryable', { mode: 'boolean' }).notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    redrivenAt: integer('redriven_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    index('workflow_dead_letters_list').on(
      table.orgUuid,
      table.workflowUuid,
      table.createdAt,
      table.uuid,
    ),
    index('workflow_dead_letters_run').on(table.orgUuid, table.runUuid),
    index('workflow_dead_letters_expiry').on(table.expiresAt),
  ],
);
export type WorkflowDeadLetterRow = typeof workflowDeadLetters.$inferSelect;
