/** Statements about a caller's standing: membership, account, and rules. */
import {
  and,
  eq,
  inArray,
  isNotNull,
  isNull,
  ne,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Caller, Database } from '../context.ts';
import { accounts, memberships, organizations, rules } from '../db/schema.ts';
import { LEVELS, type Level } from '../levels.ts';

/**
 * At most one row: none when organization, account or membership is gone. A caller with an
 * external token needs neither account nor membership.
 */
export function selectMembership(db: Database, { orgUuid, userUuid, userId, external }: Caller) {
  return db
    .select({
      /** Tokens issued before it are void. */
      validFrom: sql<number>`max(coalesce(${accounts.passwordChangedAt}, 0), coalesce(${memberships.createdAt}, 0))`,
      username: sql<string>`coalesce(${accounts.username}, ${userId})`,
      sealedDataKey: organizations.sealedDataKey,
    })
    .from(organizations)
    .leftJoin(
      memberships,
      and(eq(memberships.orgUuid, organizations.uuid), eq(memberships.accountUuid, userUuid)),
    )
    .leftJoin(accounts, eq(accounts.uuid, memberships.accountUuid))
    .where(
      and(
        eq(organizations.uuid, orgUuid),
        isNull(organizations.deletedAt),
        external ? undefined : isNotNull(accounts.uuid),
      ),
    );
}

/** Whether a rule is for the caller, or for a group of the caller's external token. */
function isFor({ userUuid, external }: Caller): SQL {
  if (!external) return eq(rules.subject, userUuid);
  return sql`${rules.subject} in (select value from json_each(${JSON.stringify(external.groups)}))`;
}

/** The caller's level by the most restrictive of their rules on one resource; null without any. */
export function levelOn(caller: Caller, resourceUuid: SQLWrapper): SQL<Level | null> {
  const own = and(
    eq(rules.orgUuid, caller.orgUuid),
    eq(rules.resourceUuid, resourceUuid),
    isFor(caller),
  );
  const rank = sql`instr(${LEVELS.join(' ')}, ${rules.level})`;
  return sql<Level | null>`(select ${rules.level} from ${rules} where ${own} order by ${rank} limit 1)`;
}

/** What is read of a rule. */
const RULE = {
  resourceKind: rules.resourceKind,
  resourceUuid: rules.resourceUuid,
  subject: rules.subject,
  level: rules.level,
};

/** The caller's rules on the organization and, when given, on the resource that `resource` selects by uuid. */
export function selectRules(db: Database, caller: Caller, resource?: SQLWrapper) {
  const { orgUuid } = caller;
  const onOrganization = eq(rules.resourceUuid, orgUuid);
  return db
    .select(RULE)
    .from(rules)
    .where(
      and(
        eq(rules.orgUuid, orgUuid),
        isFor(caller),
        resource ? or(onOrganization, inArray(rules.resourceUuid, resource)) : onOrganization,
      ),
    );
}

/** All of the caller's rules on resources of any kind. */
export function selectResourceRules(db: Database, caller: Caller) {
  const isOnResource = ne(rules.resourceKind, 'organization');
  return db
    .select(RULE)
    .from(rules)
    .where(and(eq(rules.orgUuid, caller.orgUuid), isFor(caller), isOnResource));
}

/** All of the caller's rules on resources of one kind, for lists. */
export function selectRulesOnKind(
  db: Database,
  caller: Caller,
  kind: 'endpoint' | 'template' | 'workflow',
) {
  return db
    .select(RULE)
    .from(rules)
    .where(and(eq(rules.orgUuid, caller.orgUuid), isFor(caller), eq(rules.resourceKind, kind)));
}
