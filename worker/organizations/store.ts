/**
 * Statements about organizations. Founding one is a batch: the organization first, and only if
 * its id and all its new usernames are free; the rest only if it is there. Rows of several users
 * are bound as one JSON text.
 */
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import {
  accounts,
  memberships,
  type OrganizationRow,
  organizations,
  passwordResets,
  rules,
} from '../db/schema.ts';

/** At most one row. */
export function selectOrganizationById(db: Database, id: string) {
  return db
    .select({ uuid: organizations.uuid })
    .from(organizations)
    .where(eq(organizations.id, id));
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
        ${row.sealedDataKey}, ${row.createdAt}, ${row.updatedAt}, ${row.lastModifiedBy}, null
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
        value ->> 'passwordHash', ${now}, null, ${orgUuid}, ${now}
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
        null, 0
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
  rows: readonly { tokenDigest: string; accountUuid: string; expiresAt: number }[],
) {
  return db.insert(passwordResets).select(
    sql`select value ->> 'tokenDigest', value ->> 'accountUuid', value ->> 'expiresAt', null
      from json_each(${JSON.stringify(rows)}) where ${isFounded(orgUuid)}`,
  );
}

/** The organization's UUID was made for this batch, so it is there only if the batch's first statement put it there. */
function isFounded(orgUuid: string) {
  return sql`exists (select 1 from ${organizations} where ${organizations.uuid} = ${orgUuid})`;
}
