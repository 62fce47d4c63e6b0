/**
 * Statements about organizations. Founding one is a batch: the organization first, and only if
 * its id and all its new usernames are free; the rest only if it is there. Rows of several users
 * are bound as one JSON text.
 */
import { and, asc, eq, isNull, notLike, or, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { heldTo } from '../db/held.ts';
import {
  accounts,
  memberActivity,
  memberships,
  type OrganizationRow,
  organizations,
  passwordResets,
  rules,
} from '../db/schema.ts';
import type { IfMatch } from '../revision.ts';

/** At most one row. */
export function selectOrganizationById(db: Database, id: string) {
  return db
    .select({ uuid: organizations.uuid })
    .from(organizations)
    .where(eq(organizations.id, id));
}

/** At most one row: an organization that is not deleted, by its id or UUID. */
export function selectOrganizationNamed(db: Database, named: string) {
  const isNamed = or(eq(organizations.id, named), eq(organizations.uuid, named.toLowerCase()));
  return db
    .select({ uuid: organizations.uuid })
    .from(organizations)
    .where(and(isNamed, isNull(organizations.deletedAt)));
}

/** At most one row: the organization, and the username of its last author. */
export function selectRecord(db: Database, orgUuid: string) {
  return db
    .select({ row: organizations, modifier: accounts.username })
    .from(organizations)
    .leftJoin(accounts, eq(accounts.uuid, organizations.lastModifiedBy))
    .where(and(eq(organizations.uuid, orgUuid), isNull(organizations.deletedAt)));
}

/**
 * Members with their levels on the organization, by username; at most `limit`.
 * @param only the one account to list; all when `undefined`
 */
export function selectPeople(
  db: Database,
  orgUuid: string,
  { only, limit }: { readonly only: string | undefined; readonly limit: number },
) {
  const ownRule = and(
    eq(rules.orgUuid, memberships.orgUuid),
    eq(rules.resourceUuid, memberships.orgUuid),
    eq(rules.subject, memberships.accountUuid),
  );
  return db
    .select({
      username: accounts.username,
      level: rules.level,
      lastLoginAt: memberships.lastLoginAt,
      lastActiveAt: memberActivity.lastActiveAt,
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.uuid, memberships.accountUuid))
    .leftJoin(rules, ownRule)
    .leftJoin(
      memberActivity,
      and(
        eq(memberActivity.orgUuid, memberships.orgUuid),
        eq(memberActivity.accountUuid, memberships.accountUuid),
      ),
    )
    .where(
      and(
        eq(memberships.orgUuid, orgUuid),
        only === undefined ? undefined : eq(memberships.accountUuid, only),
      ),
    )
    .orderBy(asc(accounts.usernameKey))
    .limit(limit);
}

/** UUIDs of the users who are SuperAdmins; at most `limit`. */
export function selectSuperAdmins(db: Database, orgUuid: string, limit: number) {
  return db
    .select({ uuid: rules.subject })
    .from(rules)
    .where(
      and(
        eq(rules.orgUuid, orgUuid),
        eq(rules.resourceUuid, orgUuid),
        eq(rules.level, 'SuperAdmin'),
        notLike(rules.subject, '%:%'),
      ),
    )
    .orderBy(asc(rules.createdAt), asc(rules.subject))
    .limit(limit);
}

/** At most one row: the revision of an organization that is there. */
export function selectRevision(db: Database, orgUuid: string) {
  return db
    .select({ revision: organizations.revision })
    .from(organizations)
    .where(and(eq(organizations.uuid, orgUuid), isNull(organizations.deletedAt)));
}

/** What an update may change; a setting that is null has its default again. */
interface OrganizationChanges {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
}

/** Whose change it is, when, and what it is held to. */
interface ChangeOfOrganization {
  /** Account UUID. */
  readonly by: string;
  /** Unix epoch milliseconds. */
  readonly now: number;
  readonly ifMatch: IfMatch | undefined;
}

/**
 * Changes what is given and leaves the rest, also what others change at the same time: SQLite's
 * `json_patch` is RFC 7396. No row comes back when the organization is gone, or of no revision
 * that the request is held to.
 */
export function updateOrganizationRow(
  db: Database,
  orgUuid: string,
  { name, description, settings }: OrganizationChanges,
  { by, now, ifMatch }: ChangeOfOrganization,
) {
  return db
    .update(organizations)
    .set({
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      settings: sql`json_patch(${organizations.settings}, ${JSON.stringify(settings)})`,
      updatedAt: now,
      lastModifiedBy: by,
      revision: sql`${organizations.revision} + 1`,
    })
    .where(
      and(
        eq(organizations.uuid, orgUuid),
        isNull(organizations.deletedAt),
        heldTo(organizations.revision, ifMatch),
      ),
    )
    .returning({ revision: organizations.revision });
}

/**
 * Marks an organization as gone: no call is allowed from then on, its id is free, and without its
 * data key nothing that it had sealed opens again. No row comes back when it is gone already, or
 * its ETag does not match the request's.
 */
export function markDeleted(db: Database, orgUuid: string, now: number, ifMatch?: IfMatch) {
  return db
    .update(organizations)
    .set({
      deletedAt: now,
      // No id that a client can choose has a colon.
      id: `deleted:${orgUuid}`,
      sealedDataKey: '',
    })
    .where(
      and(
        eq(organizations.uuid, orgUuid),
        isNull(organizations.deletedAt),
        heldTo(organizations.revision, ifMatch),
      ),
    )
    .returning({ uuid: organizations.uuid });
}

/**
 * No row comes back when the id is taken, or one of the usernames.
 * @param newKeys the `usernameKey` of each account that is made with it
 */
export function insertOrganization(db: Database, row: OrganizationRow, newKeys: readonly string[]) {
  return db
    .insert(organizations)
    .select(
      sql`select ${row.uuid}, ${row.id}, ${row.name}, ${row.description}, ${JSON.stringify(row.settings)},
        ${row.sealedDataKey}, ${row.createdAt}, ${row.updatedAt}, ${row.lastModifiedBy},
        ${row.revision}, ${row.rulesRevision}, null, ${row.membersEndedAt}
      where not exists (
        select 1 from ${accounts}
        where ${accounts.usernameKey} in (select value from json_each(${JSON.stringify(newKeys)}))
      )`,
    )
    .onConflictDoNothing()
    .returning({ uuid: organizations.uuid });
}

/** An account that is made with its organization. */
export interface NewAccount {
  readonly uuid: string;
  readonly username: string;
  readonly usernameKey: string;
  /** Null until a reset is completed. */
  readonly passwordHash: string | null;
}

/** Makes accounts, if the organization is there. */
export function insertAccounts(
  db: Database,
  orgUuid: string,
  rows: readonly NewAccount[],
  now: number,
) {
  return db.insert(accounts).select(
    sql`select value ->> 'uuid', value ->> 'username', value ->> 'usernameKey',
        value ->> 'passwordHash', ${now}, null, ${orgUuid}, ${now}, ${now}
      from json_each(${JSON.stringify(rows)}) where ${isFounded(orgUuid)}`,
  );
}

/** One of the users that an organization begins with. */
export interface Founder {
  readonly uuid: string;
  readonly description: string;
}

/** Makes the founders members, if the organization is there. */
export function insertMemberships(
  db: Database,
  orgUuid: string,
  founders: readonly Founder[],
  by: string,
  now: number,
) {
  return db.insert(memberships).select(
    sql`select ${orgUuid}, value ->> 'uuid', value ->> 'description', ${now}, ${by}, ${now}, ${by},
        null, 0, ${now}
      from json_each(${JSON.stringify(founders)}) where ${isFounded(orgUuid)}`,
  );
}

/** Makes the founders SuperAdmins, if the organization is there. */
export function insertSuperAdmins(
  db: Database,
  orgUuid: string,
  founders: readonly Founder[],
  by: string,
  now: number,
) {
  return db.insert(rules).select(
    sql`select ${orgUuid}, 'organization', ${orgUuid}, value ->> 'uuid', 'SuperAdmin', ${now}, ${by}
      from json_each(${JSON.stringify(founders)}) where ${isFounded(orgUuid)}`,
  );
}

/** Remembers started resets, if the organization is there. */
export function insertResets(
  db: Database,
  orgUuid: string,
  rows: readonly Omit<typeof passwordResets.$inferInsert, 'usedAt'>[],
) {
  return db.insert(passwordResets).select(
    sql`select value ->> 'tokenDigest', value ->> 'accountUuid', value ->> 'expiresAt', null,
        value ->> 'username'
      from json_each(${JSON.stringify(rows)}) where ${isFounded(orgUuid)}`,
  );
}

/** The organization's UUID was made for this batch, so it is there only if the batch's first statement put it there. */
function isFounded(orgUuid: string) {
  return sql`exists (select 1 from ${organizations} where ${organizations.uuid} = ${orgUuid})`;
}
