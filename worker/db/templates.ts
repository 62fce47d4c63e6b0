/** Tables of templates; as in schema.ts, the organization is the first column of each key. */
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { Level } from '../levels.ts';

/** Whose rights a run has: those of who calls it, or of the account that stored its version. Spec: keys-and-doors.md §2. */
export type RunAs = 'caller' | 'author';

/** Templates by their version in force; definitions are in `template_versions`. */
export const templates = sqliteTable(
  'templates',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    /** The version that a call without `?version=` means. */
    version: text('version').notNull(),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    updatedAt: integer('updated_at').notNull(),
    lastModifiedBy: text('last_modified_by').notNull(),
    /** The ETag. */
    revision: integer('revision').notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    uniqueIndex('templates_org_id').on(table.orgUuid, table.id),
  ],
);
export type TemplateRow = typeof templates.$inferSelect;

/** Every version of a template; none is ever changed. */
export const templateVersions = sqliteTable(
  'template_versions',
  {
    orgUuid: text('org_uuid').notNull(),
    templateUuid: text('template_uuid').notNull(),
    version: text('version').notNull(),
    /** JSON text, as worker/templates/definition.ts has it. */
    definition: text('definition').notNull(),
    createdAt: integer('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    /** The account that stored it; null where none did. */
    authorUuid: text('author_uuid'),
    /** Whose rights a run has. */
    runAs: text('run_as').$type<RunAs>().notNull().default('caller'),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.templateUuid, table.version] })],
);
export type TemplateVersionRow = typeof templateVersions.$inferSelect;

/** What a version of a template reaches by itself: found again by what it is called, as the definition has it. */
export const templateReferences = sqliteTable(
  'template_references',
  {
    orgUuid: text('org_uuid').notNull(),
    templateUuid: text('template_uuid').notNull(),
    version: text('version').notNull(),
    kind: text('kind').$type<'endpoint' | 'template'>().notNull(),
    /** An id, or a UUID in lower case. */
    target: text('target').notNull(),
    /** The level that is needed on it. */
    level: text('level').$type<Level>().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.orgUuid, table.templateUuid, table.version, table.kind, table.target],
    }),
    index('template_references_target').on(table.orgUuid, table.kind, table.target),
  ],
);

/** Runs of a template by UTC day; written off the caller's path. */
export const templateUsage = sqliteTable(
  'template_usage',
  {
    orgUuid: text('org_uuid').notNull(),
    templateUuid: text('template_uuid').notNull(),
    /** Days since 1970. */
    day: integer('day').notNull(),
    invocations: integer('invocations').notNull(),
    /** Milliseconds of all of them together. */
    durationMs: integer('duration_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.templateUuid, table.day] })],
);

/** Asynchronous runs, for 24 hours; what they answered is in their objects: worker/runs. Contract §8. */
export const templateRuns = sqliteTable(
  'template_runs',
  {
    orgUuid: text('org_uuid').notNull(),
    uuid: text('uuid').notNull(),
    templateUuid: text('template_uuid').notNull(),
    version: text('version').notNull(),
    status: text('status').$type<'running' | 'succeeded' | 'failed'>().notNull(),
    /** The account's UUID, or the name in an external token. */
    startedBy: text('started_by').notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgUuid, table.uuid] }),
    index('template_runs_started').on(table.startedAt),
  ],
);
export type TemplateRunRow = typeof templateRuns.$inferSelect;
