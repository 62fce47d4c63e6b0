/** Statements that change members and their accounts, and a user's ETag. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { afterTokens } from '../../auth/store.ts';
import { usernameKey } from '../../auth/username.ts';
import type { Database } from '../../context.ts';
import { heldTo } from '../../db/held.ts';
import { accounts, memberships, organizations, rules } from '../../db/schema.ts';
import { mayMake, type RuleChange } from '../../grants/changes/store.ts';
import type { IfMatch } from '../../revision.ts';
import { level, type NewMember, ownRule, type UserRow } from '../store.ts';

/** `tagOf` in a statement. */
const tag = sql<string>`${memberships.revision} || '.' || ${accounts.revision} || '.' || ${level}`;

/** A user's ETag: of membership and account, with the level, which is a rule's. */
export function tagOf({
  membershipRevision,
  accountRevision,
  level,
}: Pick<UserRow, 'membershipRevision' | 'accountRevision' | 'level'>): string {
  return `${membershipRevision}.${accountRevision}.${level}`;
}

/** Whether a member is one that the request is held to. None when it is held to nothing. */
export function isHeldMember(
  db: Database,
  { orgUuid, accountUuid }: Pick<NewMember, 'orgUuid' | 'accountUuid'>,
  ifMatch: IfMatch | undefined,
): SQL | undefined {
  const own = db
    .select({ tag })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.uuid, memberships.accountUuid))
    .leftJoin(rules, ownRule)
    .where(and(eq(memberships.orgUuid, orgUuid), eq(memberships.accountUuid, accountUuid)));
  return heldTo(own, ifMatch);
}

/** Whether an account is of this revision. */
export function isRevision(accountUuid: string, revision: number): SQL {
  return sql`exists (select 1 from ${accounts}
    where ${accounts.uuid} = ${accountUuid} and ${accounts.revision} = ${revision})`;
}

/** What a user changes of their own account. */
export interface AccountChanges {
  readonly username: string | undefined;
  /** Whether it differs from the present one. */
  readonly renames: boolean;
  /** The hash that was verified, and the one that takes its place. */
  readonly password: { readonly old: string; readonly hash: string } | undefined;
  /** The one that is changed; the next one takes its place. */
  readonly revision: number;
}

/**
 * No row comes back when another account has the username, the account was changed meanwhile, or
 * `condition` does not hold. A change of password or username makes every token void that was
 * issued before. A changed username is not proven to be the user's, and the
 * organization that made the account did not give it.
 */
export function updateAccount(
  db: Database,
  accountUuid: string,
  { username, renames, password, revision }: AccountChanges,
  { now, condition }: { readonly now: number; readonly condition: SQL | undefined },
) {
  const key = username === undefined ? undefined : usernameKey(username);
  const isFree = sql`not exists (select 1 from ${accounts} as "other"
    where "other"."username_key" = ${key} and "other"."uuid" <> ${accountUuid})`;
  return db
    .update(accounts)
    .set({
      revision: revision + 1,
      ...(username === undefined || key === undefined ? {} : { username, usernameKey: key }),
      ...(renames ? { verifiedAt: null, createdByOrg: '' } : {}),
      ...(password && { passwordHash: password.hash }),
      ...(renames || password ? { passwordChangedAt: afterTokens(accountUuid, now) } : {}),
    })
    .where(
      and(
        eq(accounts.uuid, accountUuid),
        eq(accounts.revision, revision),
        condition,
        key === undefined ? undefined : isFree,
        password && eq(accounts.passwordHash, password.old),
      ),
    )
    .returning({ uuid: accounts.uuid });
}

/** Changes what a membership says; no row comes back when it is gone, or `condition` does not hold. */
export function updateMembership(
  db: Database,
  { orgUuid, accountUuid, description, by, now }: NewMember,
  condition: SQL | undefined,
) {
  return db
    .update(memberships)
    .set({
      description,
      lastModifiedAt: now,
      lastModifiedBy: by,
      revision: sql`${memberships.revision} + 1`,
    })
    .where(
      and(eq(memberships.orgUuid, orgUuid), eq(memberships.accountUuid, accountUuid), condition),
    )
    .returning({ uuid: memberships.accountUuid });
}

/** Stores the last author of a member's account; its ETag has the account's own revision. */
export function noteChange(
  db: Database,
  { orgUuid, accountUuid, by, now }: Omit<NewMember, 'description'>,
  condition: SQL,
) {
  return db
    .update(memberships)
    .set({ lastModifiedAt: now, lastModifiedBy: by })
    .where(
      and(eq(memberships.orgUuid, orgUuid), eq(memberships.accountUuid, accountUuid), condition),
    );
}

/** How a membership ends. */
interface MembershipEnd {
  readonly bySuperAdmin: boolean;
  readonly ifMatch: IfMatch | undefined;
}

/**
 * Ends a membership; no row comes back when it may not end, see `mayMake`, or its ETag does not match the
 * request's.
 */
export function deleteMembership(
  db: Database,
  accountUuid: string,
  change: RuleChange,
  { bySuperAdmin, ifMatch }: MembershipEnd,
) {
  const { orgUuid } = change;
  return db
    .delete(memberships)
    .where(
      and(
        eq(memberships.orgUuid, orgUuid),
        eq(memberships.accountUuid, accountUuid),
        mayMake(change, bySuperAdmin),
        isHeldMember(db, { orgUuid, accountUuid }, ifMatch),
      ),
    )
    .returning({ accountUuid: memberships.accountUuid });
}

/**
 * Remembers that a membership ended, if the statement before it in the batch changed something.
 * The time lies after every token that was issued for it, also where a clock stands still: such a
 * token is no younger than the clock, the membership and the last change of the account.
 */
export function noteEnded(
  db: Database,
  { orgUuid, accountUuid, now }: Pick<NewMember, 'orgUuid' | 'accountUuid' | 'now'>,
) {
  const changedAt = sql`(select ${accounts.passwordChangedAt} from ${accounts}
    where ${accounts.uuid} = ${accountUuid})`;
  return db
    .update(organizations)
    .set({
      membersEndedAt: sql`max(${now}, ${organizations.membersEndedAt}, coalesce(${changedAt}, 0)) + 1`,
    })
    .where(and(eq(organizations.uuid, orgUuid), sql`changes() > 0`));
}

/** Takes away all rules of former members. */
export function deleteRulesOfGone(db: Database, orgUuid: string, accountUuid: string) {
  return db.delete(rules).where(
    and(
      eq(rules.orgUuid, orgUuid),
      eq(rules.subject, accountUuid),
      sql`not exists (select 1 from ${memberships} where ${memberships.orgUuid} = ${orgUuid}
          and ${memberships.accountUuid} = ${accountUuid})`,
    ),
  );
}
