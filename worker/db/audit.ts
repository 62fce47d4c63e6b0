/** Tables of the audit in D1. */
import { sql } from 'drizzle-orm';
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { AuditDetails, AuditOutcome } from '../audit/entry.ts';

/**
 * What was done, refused or tried, in the order in which it was written: that of SQLite's own
 * `rowid`. `seq`, `prev_hash` and `hash` are null until the organization's chain has numbered it.
 */
export const auditEntries = sqliteTable(
  'audit_entries',
  {
    orgUuid: text('org_uuid').notNull(),
    time: integer('time').notNull(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    resource: text('resource').notNull(),
    outcome: text('outcome').$type<AuditOutcome>().notNull(),
    address: text('address').notNull(),
    requestId: text('request_id').notNull(),
    details: text('details', { mode: 'json' }).$type<AuditDetails>().notNull(),
    /** How often it happened; above 1 the other members are of the first time. */
    repeats: integer('repeats').notNull(),
    seq: integer('seq'),
    prevHash: text('prev_hash'),
    hash: text('hash'),
  },
  (table) => [
    uniqueIndex('audit_entries_seq').on(table.orgUuid, table.seq),
    index('audit_entries_org').on(table.orgUuid),
    index('audit_entries_unchained').on(table.orgUuid).where(sql`"seq" is null`),
  ],
);
export type AuditEntryRow = typeof auditEntries.$inferSelect;

/** Signed heads of audit chains: the newest, and that of the last entry that retention removed. */
export const auditHeads = sqliteTable(
  'audit_heads',
  {
    orgUuid: text('org_uuid').notNull(),
    sort: text('sort').$type<'newest' | 'removed'>().notNull(),
    seq: integer('seq').notNull(),
    hash: text('hash').notNull(),
    time: integer('time').notNull(),
    keyId: text('key_id').notNull(),
    signature: text('signature').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.sort] })],
);
export type AuditHeadRow = typeof auditHeads.$inferSelect;
