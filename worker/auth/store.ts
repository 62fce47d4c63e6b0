/**
 * Statements about accounts and their passwords. Accounts belong to the installation, so these
 * begin with no organization.
 */
import { and, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { accounts, memberships, organizations, passwordResets, rules } from '../db/schema.ts';
import { isUuid } from '../shapes/ids.ts';
import { usernameKey } from './username.ts';

/** The account of that username or UUID: the same for both. */
function isAccount(user: string) {
  return isUuid(user)
    ? eq(accounts.uuid, user.toLowerCase())
    : eq(accounts.usernameKey, usernameKey(user));
}

/**
 * At most one row: the account, and with it the organization, the membership and the level,
 * each null where there is none.
 * @param organization id or UUID
 * @param user username or UUID
 */
export function selectForLogin(db: Database, organization: string, user: string) {
  const isOrganization = isUuid(organization)
    ? eq(organizations.uuid, organization.toLowerCase())
    : eq(organizations.id, organization);
  return db
    .select({
      uuid: accounts.uuid,
      username: accounts.username,
      usernameKey: accounts.usernameKey,
      passwordHash: accounts.passwordHash,
      /** Tokens issued before it are void. */
      validFrom: sql<number>`max(${accounts.passwordChangedAt}, coalesce(${memberships.createdAt}, 0))`,
      orgUuid: memberships.orgUuid,
      orgId: organizations.id,
      level: rules.level,
    })
    .from(accounts)
    .leftJoin(organizations, and(isOrganization, isNull(organizations.deletedAt)))
    .leftJoin(
      memberships,
      and(eq(memberships.orgUuid, organizations.uuid), eq(memberships.accountUuid, accounts.uuid)),
    )
    .leftJoin(
      rules,
      and(
        eq(rules.orgUuid, organizations.uuid),
        eq(rules.resourceUuid, organizations.uuid),
        eq(rules.subject, accounts.uuid),
      ),
    )
    .where(isAccount(user));
}

/** At most one row. */
export function selectAccount(db: Database, user: string) {
  return db.select().from(accounts).where(isAccount(user));
}

/** The accounts that have one of these usernames, by `usernameKey`; at most 100. */
export function selectAccounts(db: Database, keys: readonly string[]) {
  return db
    .select()
    .from(accounts)
    .where(inArray(accounts.usernameKey, [...keys]));
}

/** Remembers a login on the membership. */
export function recordLogin(db: Database, orgUuid: string, accountUuid: string, now: number) {
  return db
    .update(memberships)
    .set({ lastLoginAt: now, loginCount: sql`${memberships.loginCount} + 1` })
    .where(and(eq(memberships.orgUuid, orgUuid), eq(memberships.accountUuid, accountUuid)));
}

/** Stores another hash of the same password; nothing happens when the password was changed meanwhile. */
export function replaceHash(db: Database, accountUuid: string, old: string, hash: string) {
  return db
    .update(accounts)
    .set({ passwordHash: hash })
    .where(and(eq(accounts.uuid, accountUuid), eq(accounts.passwordHash, old)));
}

/** Remembers a started reset. */
export function insertReset(db: Database, row: typeof passwordResets.$inferInsert) {
  return db.insert(passwordResets).values(row);
}

/** Removes an account's resets that can no longer be completed. */
export function deleteExpiredResets(db: Database, accountUuid: string, now: number) {
  return db
    .delete(passwordResets)
    .where(and(eq(passwordResets.accountUuid, accountUuid), lte(passwordResets.expiresAt, now)));
}

const isOpen = (accountUuid: string, now: number) =>
  and(
    eq(passwordResets.accountUuid, accountUuid),
    isNull(passwordResets.usedAt),
    gt(passwordResets.expiresAt, now),
  );

/** Whether the account still has the name that the reset was sent to: it proves no other. */
const isOfItsName = sql`${passwordResets.username} =
  (select ${accounts.username} from ${accounts} where ${accounts.uuid} = ${passwordResets.accountUuid})`;

/** One row while the reset can be completed. */
export function selectOpenReset(db: Database, accountUuid: string, digest: string, now: number) {
  return db
    .select({ expiresAt: passwordResets.expiresAt })
    .from(passwordResets)
    .where(and(eq(passwordResets.tokenDigest, digest), isOpen(accountUuid, now), isOfItsName));
}

/** No row comes back when the reset was used meanwhile, is too old, or was sent to another name. */
export function useReset(db: Database, accountUuid: string, digest: string, now: number) {
  return db
    .update(passwordResets)
    .set({ usedAt: now })
    .where(and(eq(passwordResets.tokenDigest, digest), isOpen(accountUuid, now), isOfItsName))
    .returning({ accountUuid: passwordResets.accountUuid });
}

/**
 * A time after every token that an account's user holds, also where a clock stands still: such a
 * token is no younger than the clock, the last change of the account and its memberships.
 */
export function afterTokens(accountUuid: string, now: number) {
  const joinedAt = sql`(select max(${memberships.createdAt}) from ${memberships}
    where ${memberships.accountUuid} = ${accountUuid})`;
  return sql<number>`max(${now}, ${accounts.passwordChangedAt}, coalesce(${joinedAt}, 0)) + 1`;
}

/**
 * Stores the new password if the statement before it in the batch changed something. Every token
 * that was issued under the old one is void.
 */
export function setPasswordAfterChange(
  db: Database,
  accountUuid: string,
  hash: string,
  now: number,
) {
  return db
    .update(accounts)
    .set({
      passwordHash: hash,
      passwordChangedAt: afterTokens(accountUuid, now),
      verifiedAt: now,
      revision: sql`${accounts.revision} + 1`,
    })
    .where(and(eq(accounts.uuid, accountUuid), sql`changes() > 0`));
}

/** Ends an account's resets that are open if the statement before it in the batch changed something. */
export function endResetsAfterChange(db: Database, accountUuid: string, now: number) {
  return db
    .update(passwordResets)
    .set({ usedAt: now })
    .where(and(isOpen(accountUuid, now), sql`changes() > 0`));
}
