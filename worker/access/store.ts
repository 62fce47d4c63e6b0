/** Statements about a caller's standing: membership, account, and rules. */
import { and, eq, inArray, isNull, or, type SQLWrapper } from 'drizzle-orm';
import type { Caller, Database } from '../context.ts';
import { accounts, memberships, organizations, rules } from '../db/schema.ts';

/** At most one row: none when organization, account or membership is gone. */
export function selectStanding(db: Database, { orgUuid, userUuid }: Caller) {
  return db
    .select({
      passwordChangedAt: accounts.passwordChangedAt,
      username: accounts.username,
      sealedDataKey: organizations.sealedDataKey,
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.uuid, memberships.accountUuid))
    .innerJoin(
      organizations,
      and(eq(organizations.uuid, memberships.orgUuid), isNull(organizations.deletedAt)),
    )
    .where(and(eq(memberships.orgUuid, orgUuid), eq(memberships.accountUuid, userUuid)));
}

/** What is read of a rule. */
const RULE = {
  resourceKind: rules.resourceKind,
  resourceUuid: rules.resourceUuid,
  subject: rules.subject,
  level: rules.level,
};

/** The caller's rules on the organization and, when given, on the resource that `resource` selects by uuid. */
export function selectRules(db: Database, { orgUuid, userUuid }: Caller, resource?: SQLWrapper) {
  const onOrganization = eq(rules.resourceUuid, orgUuid);
  return db
    .select(RULE)
    .from(rules)
    .where(
      and(
        eq(rules.orgUuid, orgUuid),
        eq(rules.subject, userUuid),
        resource ? or(onOrganization, inArray(rules.resourceUuid, resource)) : onOrganization,
      ),
    );
}

/** All of the caller's rules on resources of one kind, for lists. */
export function selectRulesOnKind(
  db: Database,
  { orgUuid, userUuid }: Caller,
  kind: 'endpoint' | 'template' | 'workflow',
) {
  return db
    .select(RULE)
    .from(rules)
    .where(
      and(eq(rules.orgUuid, orgUuid), eq(rules.subject, userUuid), eq(rules.resourceKind, kind)),
    );
}
