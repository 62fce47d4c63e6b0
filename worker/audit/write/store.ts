/**
 * Statements that write audit entries, and count those that there is no room for. An entry of an
 * organization's own change is written without asking: the request was refused before if it had none.
 */
import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { type AuditEntryRow, auditEntries } from '../../db/audit.ts';
import { accounts, memberships, organizations } from '../../db/schema.ts';
import { auditTotals } from '../../db/storage.ts';
import type { AuditLimits } from '../../limits/quotas/audit.ts';
import { hasAuditRoom } from '../../limits/quotas/store.ts';
import { type AuditOutcome, type NewEntry, tidied } from '../entry.ts';

/** The members of an entry as a selection that inserts it; some may be columns. */
function valuesOf(
  entry: NewEntry,
  orgUuid: SQL<string>,
  repeats: SQL<number> = sql<number>`${entry.repeats}`,
) {
  const { time, actor, action, resource, outcome, address, requestId, details } = tidied(entry);
  return {
    orgUuid: orgUuid.as('org_uuid'),
    time: sql<number>`${time}`.as('time'),
    actor: sql<string>`${actor}`.as('actor'),
    action: sql<string>`${action}`.as('action'),
    resource: sql<string>`${resource}`.as('resource'),
    outcome: sql<AuditOutcome>`${outcome}`.as('outcome'),
    address: sql<string>`${address}`.as('address'),
    requestId: sql<string>`${requestId}`.as('request_id'),
    details: sql<AuditEntryRow['details']>`${JSON.stringify(details)}`.as('details'),
    repeats: repeats.as('repeats'),
    seq: sql<number | null>`null`.as('seq'),
    prevHash: sql<string | null>`null`.as('prev_hash'),
    hash: sql<string | null>`null`.as('hash'),
  };
}

const ORGANIZATION = sql<string>`${organizations.uuid}`;

function isThere(orgUuid: string) {
  return and(eq(organizations.uuid, orgUuid), isNull(organizations.deletedAt));
}

/** Inserts the entry if the statement before it in the batch changed something. */
export function insertEntryAfterChange(db: Database, entry: NewEntry) {
  const orgUuid = sql<string>`${entry.orgUuid}`;
  return db
    .insert(auditEntries)
    .select(db.select(valuesOf(entry, orgUuid)).from(sql`(select 1)`).where(sql`changes() > 0`));
}

/** Where the entries of an account are written: where it is a member, if `condition` holds. */
interface OfAccount {
  readonly accountUuid: string;
  readonly condition: SQL;
  readonly limits: AuditLimits;
}

/** That the statement before it in the batch changed something. */
export const AFTER_CHANGE: SQL = sql`changes() > 0`;

/** That the account has this hash of its password now. */
export function hasPassword(accountUuid: string, passwordHash: string): SQL {
  return sql`exists (select 1 from ${accounts}
    where ${accounts.uuid} = ${accountUuid} and ${accounts.passwordHash} = ${passwordHash})`;
}

/**
 * Inserts the entry into each organization of the account that has room, and into the entry's own
 * in any case; in the others it is counted. Both statements change a row exactly if `condition`
 * holds, as long as the account is a member of the entry's own.
 */
export function insertEntriesOfAccount(
  db: Database,
  { accountUuid, condition, limits }: OfAccount,
  entry: NewEntry,
) {
  const isOwn = eq(organizations.uuid, entry.orgUuid);
  const isKept = sql`(${or(isOwn, hasAuditRoom(organizations.uuid, limits))})`;
  const ofAccount = and(eq(memberships.accountUuid, accountUuid), condition);
  const counted = db
    .select(notKept(sql<number>`not ${isKept}`))
    .from(organizations)
    .innerJoin(memberships, eq(memberships.orgUuid, organizations.uuid))
    .where(ofAccount);
  const kept = db
    .select(valuesOf(entry, ORGANIZATION))
    .from(organizations)
    .innerJoin(memberships, eq(memberships.orgUuid, organizations.uuid))
    .where(and(ofAccount, isKept));
  return [
    db.insert(auditTotals).select(counted).onConflictDoUpdate(COUNTED),
    db.insert(auditEntries).select(kept),
  ] as const;
}

/**
 * Inserts entries of one organization, in their order, if there is room, else counts them; nothing is done for an
 * organization that is gone. They travel as one value: statements that are built one by one cost more than all else here.
 */
export function insertEntries(
  db: Database,
  orgUuid: string,
  entries: readonly NewEntry[],
  limits: AuditLimits,
) {
  const rows = JSON.stringify(entries.map(rowOf));
  const member = (at: number) => sql`json_extract(each.value, ${sql.raw(`'$[${at}]'`)})`;
  const members = sql.join([0, 1, 2, 3, 4, 5, 6, 7, 8].map(member), sql`, `);
  const kept = sql`select ${organizations.uuid}, ${members}, null, null, null
    from ${organizations}, json_each(${rows}) each
    where ${isThere(orgUuid)} and ${hasAuditRoom(orgUuid, limits)} order by each.key`;
  const repeats = entries.reduce((sum, entry) => sum + entry.repeats, 0);
  const counted = db
    .select(notKept(sql<number>`${repeats}`))
    .from(organizations)
    .where(and(isThere(orgUuid), sql`changes() = 0`));
  return [
    db.insert(auditEntries).select(kept),
    db.insert(auditTotals).select(counted).onConflictDoUpdate(COUNTED),
  ] as const;
}

/** The members of an entry in the order of the table's columns, which its organization precedes. */
function rowOf(entry: NewEntry) {
  const { time, actor, action, resource, outcome, address, requestId, details, repeats } =
    tidied(entry);
  const texts = [actor, action, resource, outcome, address, requestId, JSON.stringify(details)];
  return [time, ...texts, repeats];
}

/** Inserts an entry that reports how often none was kept, once there is room for it, and counts again. */
export function insertNotKept(db: Database, entry: NewEntry, limits: AuditLimits) {
  const { orgUuid } = entry;
  const told = db
    .select(valuesOf(entry, ORGANIZATION, sql<number>`${auditTotals.notKept}`))
    .from(organizations)
    .innerJoin(auditTotals, eq(auditTotals.orgUuid, organizations.uuid))
    .where(
      and(
        isThere(orgUuid),
        sql`${auditTotals.notKept} > 0`,
        hasAuditRoom(organizations.uuid, limits),
      ),
    );
  return [
    db.insert(auditEntries).select(told),
    db
      .update(auditTotals)
      .set({ notKept: 0 })
      .where(and(eq(auditTotals.orgUuid, orgUuid), AFTER_CHANGE)),
  ] as const;
}

function notKept(times: SQL<number>) {
  return {
    orgUuid: ORGANIZATION.as('org_uuid'),
    bytes: sql<number>`0`.as('bytes'),
    notKept: times.as('not_kept'),
  };
}

const COUNTED = {
  target: auditTotals.orgUuid,
  set: { notKept: sql`${auditTotals.notKept} + excluded.not_kept` },
};
