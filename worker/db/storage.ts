/** Tables of storage that is not summed up from D1's rows; as in schema.ts, the organization is the first column of the key. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Bytes that objects hold for an organization: taken before they are written, given back after they went. */
export const storageHoldings = sqliteTable(
  'storage_holdings',
  {
    orgUuid: text('org_uuid').notNull(),
    /** The object, such as `idempotency:3`. */
    holder: text('holder').notNull(),
    /** The caller it keeps them for: an account's UUID, or the name in an external token. */
    caller: text('caller').notNull(),
    bytes: integer('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgUuid, table.caller, table.holder] })],
);
export type StorageHolding = typeof storageHoldings.$inferSelect;

/** What audits take: triggers of the migrations keep `bytes`, so that no way to write or remove entries is forgotten. */
export const auditTotals = sqliteTable('audit_totals', {
  orgUuid: text('org_uuid').primaryKey(),
  bytes: integer('bytes').notNull().default(0),
  /** How often something happened without an entry that was kept for want of room, and none has told yet. */
  notKept: integer('not_kept').notNull().default(0),
});
