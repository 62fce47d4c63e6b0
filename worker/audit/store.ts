/** Statements about audit entries and the heads of their chains; the organization comes first in each. */
import { and, asc, desc, eq, gte, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { type AuditHeadRow, auditEntries, auditHeads } from '../db/audit.ts';
import { memberships, organizations } from '../db/schema.ts';
import { auditTotals } from '../db/storage.ts';
import { isUuid } from '../shapes/ids.ts';
import { revealed } from '../shapes/visible.ts';
import type { AuditOutcome } from './entry.ts';

/** The organizations that an account is a member of. */
export function selectOrganizationsOfAccount(db: Database, accountUuid: string) {
  return db
    .select({ orgUuid: memberships.orgUuid })
    .from(memberships)
    .where(eq(memberships.accountUuid, accountUuid));
}

/**
 * The organization of that id or UUID: at most one row.
 * @param organization as a client names it
 */
export function selectOrganization(db: Database, organization: string) {
  return db
    .select({ orgUuid: organizations.uuid })
    .from(organizations)
    .where(
      and(
        isUuid(organization)
          ? eq(organizations.uuid, organization.toLowerCase())
          : eq(organizations.id, organization),
        isNull(organizations.deletedAt),
      ),
    );
}

/** What `GET /audit` filters by. */
interface AuditFilter {
  /** A username as it was, or an account's UUID. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  /** Unix epoch milliseconds, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** How often something happened without an entry that was kept: at most one row. */
export function selectNotKept(db: Database, orgUuid: string) {
  return db
    .select({ notKept: auditTotals.notKept })
    .from(auditTotals)
    .where(eq(auditTotals.orgUuid, orgUuid));
}

/** SQLite's own number of a row: rises with each insertion. */
const POSITION = sql<number>`${auditEntries}."rowid"`;

/** Newest first, one row more than `limit` when there are more. */
export function selectPage(
  db: Database,
  orgUuid: string,
  { actor, action, resource, outcome, from, to }: AuditFilter,
  { limit, before }: { readonly limit: number; readonly before: number | undefined },
) {
  const isActor =
    actor === undefined
      ? undefined
      : sql`(${auditEntries.actor} in (${actor}, ${revealed(actor)}) or ${auditEntries.details} ->> 'actor_uuid' = ${actor.toLowerCase()})`;
  return db
    .select({ position: POSITION, row: auditEntries })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.orgUuid, orgUuid),
        before === undefined ? undefined : lt(POSITION, before),
        isActor,
        action === undefined ? undefined : eq(auditEntries.action, action),
        resource === undefined ? undefined : eq(auditEntries.resource, resource),
        outcome === undefined ? undefined : eq(auditEntries.outcome, outcome),
        from === undefined ? undefined : gte(auditEntries.time, from),
        to === undefined ? undefined : lte(auditEntries.time, to),
      ),
    )
    .orderBy(desc(POSITION))
    .limit(limit + 1);
}

/** The last chained entry: at most one row. */
export function selectTail(db: Database, orgUuid: string) {
  return db
    .select({ seq: auditEntries.seq, hash: auditEntries.hash })
    .from(auditEntries)
    .where(and(eq(auditEntries.orgUuid, orgUuid), isNotNull(auditEntries.seq)))
    .orderBy(desc(auditEntries.seq))
    .limit(1);
}

/** The oldest entries without a number, in the order in which they were written. */
export function selectUnchained(db: Database, orgUuid: string, limit: number) {
  return db
    .select({ position: POSITION, row: auditEntries })
    .from(auditEntries)
    .where(and(eq(auditEntries.orgUuid, orgUuid), isNull(auditEntries.seq)))
    .orderBy(asc(POSITION))
    .limit(limit);
}

/** An entry's place in the chain, by the position of its row. */
export interface Numbered {
  readonly position: number;
  readonly seq: number;
  readonly hash: string;
  readonly prevHash: string;
}

/**
 * Gives entries their numbers, all or none; one that has its number keeps it. Each is found by its position: by an index,
 * which the signs keep from being used, the list would be read once for each entry that waits.
 */
export function numberEntries(db: Database, orgUuid: string, numbered: readonly Numbered[]) {
  return db.run(sql`update ${auditEntries}
    set "seq" = each.value ->> 'seq', "prev_hash" = each.value ->> 'prevHash', "hash" = each.value ->> 'hash'
    from json_each(${JSON.stringify(numbered)}) as each
    where +"org_uuid" = ${orgUuid} and ${POSITION} = each.value ->> 'position' and +"seq" is null`);
}

/** At most one row. */
export function selectHead(db: Database, orgUuid: string, sort: AuditHeadRow['sort']) {
  return db
    .select()
    .from(auditHeads)
    .where(and(eq(auditHeads.orgUuid, orgUuid), eq(auditHeads.sort, sort)));
}

/** Stores a head instead of the one of its sort. */
export function upsertHead(db: Database, orgUuid: string, row: Omit<AuditHeadRow, 'orgUuid'>) {
  const { sort: _sort, ...members } = row;
  return db
    .insert(auditHeads)
    .values({ ...row, orgUuid })
    .onConflictDoUpdate({ target: [auditHeads.orgUuid, auditHeads.sort], set: members });
}

/**
 * The first chained entry that is not older than `cutoff`, and the first and last of all: those
 * before the first young one may go. One row, its members null where there is none.
 */
export function selectSpan(db: Database, orgUuid: string, cutoff: number) {
  return db
    .select({
      first: sql<number | null>`min(${auditEntries.seq})`,
      last: sql<number | null>`max(${auditEntries.seq})`,
      young: sql<
        number | null
      >`min(case when ${auditEntries.time} >= ${cutoff} then ${auditEntries.seq} end)`,
    })
    .from(auditEntries)
    .where(and(eq(auditEntries.orgUuid, orgUuid), isNotNull(auditEntries.seq)));
}

/** The entry of a number: at most one row. */
export function selectLink(db: Database, orgUuid: string, seq: number) {
  return db
    .select({ hash: auditEntries.hash })
    .from(auditEntries)
    .where(and(eq(auditEntries.orgUuid, orgUuid), eq(auditEntries.seq, seq)));
}

/** Removes the chained entries up to and with a number. */
export function deleteEntriesThrough(db: Database, orgUuid: string, seq: number) {
  return db
    .delete(auditEntries)
    .where(and(eq(auditEntries.orgUuid, orgUuid), lte(auditEntries.seq, seq)));
}

/** Removes an organization's entries, at most `limit`. For deleting the organization in steps. */
export function deleteEntries(db: Database, orgUuid: string, limit: number) {
  return db.run(sql`delete from ${auditEntries} where "rowid" in
    (select "rowid" from ${auditEntries} where "org_uuid" = ${orgUuid} limit ${limit})`);
}

/** Removes an organization's heads. For deleting the organization. */
export function deleteHeads(db: Database, orgUuid: string) {
  return db.delete(auditHeads).where(eq(auditHeads.orgUuid, orgUuid));
}
