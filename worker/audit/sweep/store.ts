/** Statements that find the organizations whose audit wants something done. */
import { and, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { auditEntries } from '../../db/audit.ts';
import { organizations } from '../../db/schema.ts';
import { RETENTION_DAYS } from '../../limits/quotas/audit.ts';

/** Organizations with entries that are not chained yet, at most `limit`. */
export function selectUnchainedOrganizations(db: Database, limit: number) {
  // By the index of those alone: SQLite would rather read that of all entries, in its order.
  return db.all<{ readonly orgUuid: string }>(sql`select distinct "org_uuid" as "orgUuid"
    from ${auditEntries} indexed by audit_entries_unchained where "seq" is null limit ${limit}`);
}

const DAY_MS = 24 * 3600 * 1000;

/**
 * Organizations whose oldest chained entry is older than they keep entries, with the time before
 * which theirs are too old; at most so many.
 */
export function selectExpiringOrganizations(db: Database, now: number, limit: number) {
  const days = sql`coalesce(json_extract(${organizations.settings}, '$.dataRetentionDays'), ${RETENTION_DAYS})`;
  const cutoff = sql<number>`${now} - ${days} * ${DAY_MS}`;
  const oldest = sql`(select ${auditEntries.time} from ${auditEntries}
    where ${auditEntries.orgUuid} = ${organizations.uuid} and ${auditEntries.seq} is not null
    order by ${auditEntries.seq} limit 1)`;
  return db
    .select({ orgUuid: organizations.uuid, cutoff })
    .from(organizations)
    .where(and(isNull(organizations.deletedAt), sql`${days} > 0 and ${oldest} < ${cutoff}`))
    .limit(limit);
}
