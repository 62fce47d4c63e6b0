/** Statements about members of an organization and their accounts. */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { usernameKey } from '../auth/username.ts';
import type { Database } from '../context.ts';
import {
  accounts,
  memberActivity,
  memberships,
  organizations,
  passwordResets,
  rules,
} from '../db/schema.ts';
import type { Level } from '../levels.ts';
import type { Status } from './schema.ts';

const creators = alias(accounts, 'creators');
const modifiers = alias(accounts, 'modifiers');
const status = sql<Status>`case when ${accounts.passwordHash} is null then 'invited' else 'active' end`;
/** A member's level on the organization, where `ownRule` is joined. */
export const level = sql<Level>`coalesce(${rules.level}, 'None')`;
/** Joins memberships with the rule that gives their users a level on the organization. */
export const ownRule = and(
  eq(rules.orgUuid, memberships.orgUuid),
  eq(rules.resourceUuid, memberships.orgUuid),
  eq(rules.subject, memberships.accountUuid),
);

/** Members with all that replies show. */
function selectMembersWhere(db: Database, orgUuid: string, condition: SQL | undefined) {
  return db
    .select({
      uuid: accounts.uuid,
      username: accounts.username,
      usernameKey: accounts.usernameKey,
      description: memberships.description,
      level,
      rule: rules.level,
      status,
      createdAt: memberships.createdAt,
      createdBy: sql<string>`coalesce(${creators.username}, ${memberships.createdBy})`,
      lastModifiedAt: memberships.lastModifiedAt,
      lastModifiedBy: sql<string>`coalesce(${modifiers.username}, ${memberships.lastModifiedBy})`,
      lastLoginAt: memberships.lastLoginAt,
      loginCount: memberships.loginCount,
      lastActiveAt: memberActivity.lastActiveAt,
      operations: memberActivity.operations,
      membershipRevision: memberships.revision,
      accountRevision: accounts.revision,
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.uuid, memberships.accountUuid))
    .leftJoin(creators, eq(creators.uuid, memberships.createdBy))
    .leftJoin(modifiers, eq(modifiers.uuid, memberships.lastModifiedBy))
    .leftJoin(rules, ownRule)
    .leftJoin(
      memberActivity,
      and(
        eq(memberActivity.orgUuid, orgUuid),
        eq(memberActivity.accountUuid, memberships.accountUuid),
      ),
    )
    .where(and(eq(memberships.orgUuid, orgUuid), condition));
}

/** At most one row. */
export function selectUser(db: Database, orgUuid: string, accountUuid: string) {
  return selectMembersWhere(db, orgUuid, eq(memberships.accountUuid, accountUuid));
}

/** A row of `selectUser` and `selectUsers`. */
export type UserRow = Awaited<ReturnType<typeof selectUser>>[number];

/** Which members are listed. */
interface Filter {
  readonly level: Level | undefined;
  readonly status: Status | undefined;
  /** How the username begins. */
  readonly q: string | undefined;
  /** `usernameKey` after which to begin. */
  readonly after: string | undefined;
}

/** Members by username, at most `limit`. */
export function selectUsers(db: Database, orgUuid: string, filter: Filter, limit: number) {
  const prefix = filter.q === undefined ? undefined : usernameKey(filter.q);
  return selectMembersWhere(
    db,
    orgUuid,
    and(
      filter.level === undefined ? undefined : sql`${level} = ${filter.level}`,
      filter.status === undefined ? undefined : sql`${status} = ${filter.status}`,
      prefix === undefined
        ? undefined
        : sql`substr(${accounts.usernameKey}, 1, length(${prefix})) = ${prefix}`,
      filter.after === undefined ? undefined : gt(accounts.usernameKey, filter.after),
    ),
  )
    .orderBy(asc(accounts.usernameKey))
    .limit(limit);
}

/** An account that is made for a member. */
interface NewAccount {
  readonly uuid: string;
  readonly username: string;
  /** Null until a reset is completed. */
  readonly passwordHash: string | null;
}

/** No row comes back when there is an account of that name already. */
export function insertAccount(db: Database, orgUuid: string, row: NewAccount, now: number) {
  return db
    .insert(accounts)
    .values({
      ...row,
      usernameKey: usernameKey(row.username),
      passwordChangedAt: now,
      createdByOrg: orgUuid,
      createdAt: now,
      revision: now,
    })
    .onConflictDoNothing()
    .returning({ uuid: accounts.uuid });
}

/** A new member, and its author. */
export interface NewMember {
  readonly orgUuid: string;
  readonly accountUuid: string;
  readonly description: string;
  /** Account UUID. */
  readonly by: string;
  readonly now: number;
}

/**
 * Makes an account a member, after every token of an earlier membership. No row comes back when it
 * is one, or there is no such account.
 */
export function insertMembership(db: Database, member: NewMember) {
  const { orgUuid, accountUuid, description, by, now } = member;
  const since = sql`(select max(${now}, ${organizations.membersEndedAt})
    from ${organizations} where ${organizations.uuid} = ${orgUuid})`;
  return db
    .insert(memberships)
    .select(
      sql`select ${orgUuid}, ${accounts.uuid}, ${description}, ${since}, ${by}, ${now}, ${by}, null, 0,
          ${now}
        from ${accounts} where ${accounts.uuid} = ${accountUuid}`,
    )
    .onConflictDoNothing()
    .returning({ accountUuid: memberships.accountUuid });
}

/** Gives a new member a level, if the statement before it in the batch changed something. */
export function insertLevelAfterChange(db: Database, member: NewMember, given: Level) {
  const { orgUuid, accountUuid, by, now } = member;
  return db.insert(rules).select(
    sql`select ${orgUuid}, 'organization', ${orgUuid}, ${accountUuid}, ${given}, ${now}, ${by}
        where changes() > 0`,
  );
}

/** Remembers a started reset of an account, if the account is there. */
export function insertResetOf(
  db: Database,
  accountUuid: string,
  reset: { readonly tokenDigest: string; readonly expiresAt: number },
) {
  return db.insert(passwordResets).select(
    sql`select ${reset.tokenDigest}, ${accounts.uuid}, ${reset.expiresAt}, null,
          ${accounts.username}
        from ${accounts} where ${accounts.uuid} = ${accountUuid}`,
  );
}
