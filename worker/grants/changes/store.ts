/**
 * Statements that change rules. What may not be is part of the statement that writes: D1 has no
 * transaction in which one could look first. Rules of several subjects are bound as one JSON text.
 */
import { and, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm';
import type { EntityKind } from '../../access/explain.ts';
import type { Database } from '../../context.ts';
import { heldTo } from '../../db/held.ts';
import { apiKeys } from '../../db/keys.ts';
import { memberships, organizations, type ResourceKind, rules } from '../../db/schema.ts';
import type { Level } from '../../levels.ts';
import type { IfMatch } from '../../revision.ts';
import { selectResourceUuid, selectRulesRevision } from '../store.ts';
import { isAccount, isGroup } from '../subjects.ts';

/** A subject of rules, and the level it is to have; null to have none. */
type SubjectLevel = readonly [subject: string, level: Level | null];

/** Which rules a change is about, within one organization. */
export type Scope =
  | { readonly resourceUuid: string; readonly kind: ResourceKind }
  | { readonly kind: EntityKind }
  | 'everything';

/** A change of rules: whose, and where. */
export interface RuleChange {
  readonly orgUuid: string;
  readonly scope: Scope;
  readonly entries: readonly SubjectLevel[];
}

/** A change that gives each subject a level on one resource. */
export interface GrantingChange extends RuleChange {
  readonly scope: { readonly resourceUuid: string; readonly kind: ResourceKind };
  readonly entries: readonly (readonly [subject: string, level: Level])[];
}

/** The rules of a scope; all when it has no bounds. */
function inScope(scope: Scope): SQL | undefined {
  if (scope === 'everything') return undefined;
  return 'resourceUuid' in scope
    ? eq(rules.resourceUuid, scope.resourceUuid)
    : eq(rules.resourceKind, scope.kind);
}

/**
 * Rules of Admin and SuperAdmin that a change touches: of its subjects, in its scope or on the
 * organization. A denial on the organization touches all that its subject has.
 */
function highRules({ orgUuid, scope, entries }: RuleChange): SQL | undefined {
  const touched = inScope(scope);
  const list = JSON.stringify(entries);
  const denied = sql`${rules.subject} in
    (select value ->> 0 from json_each(${list}) where value ->> 1 = 'None')`;
  const onOrganization = eq(rules.resourceUuid, orgUuid);
  const denies = scope !== 'everything' && scope.kind === 'organization' ? denied : undefined;
  return and(
    eq(rules.orgUuid, orgUuid),
    inArray(rules.level, ['Admin', 'SuperAdmin']),
    sql`${rules.subject} in (select value ->> 0 from json_each(${list}))`,
    touched === undefined ? undefined : or(onOrganization, touched, denies),
  );
}

/** Subjects of the change that have a rule there already, which it replaces. */
export function selectSubjectsWithRules(db: Database, change: GrantingChange) {
  return db.select({ subject: rules.subject }).from(rules).where(ofSubjects(change));
}

/** One row when a change touches Admin or SuperAdmin. */
export function selectHighRules(db: Database, change: RuleChange) {
  return db.select({ level: rules.level }).from(rules).where(highRules(change)).limit(1);
}

/** Whether the organization still has a user who is SuperAdmin; groups and keys do not count. */
function keepsSuperAdmin({ orgUuid, scope, entries }: RuleChange): SQL | undefined {
  const onOrganization =
    scope === 'everything' || ('resourceUuid' in scope && scope.kind === 'organization');
  const makesOne = entries.some(([subject, level]) => level === 'SuperAdmin' && isAccount(subject));
  if (!onOrganization || makesOne) return undefined;
  const subjects = JSON.stringify(entries.map(([subject]) => subject));
  return sql`exists (select 1 from ${rules} as "kept"
    where "kept"."org_uuid" = ${orgUuid} and "kept"."resource_uuid" = ${orgUuid}
      and "kept"."level" = 'SuperAdmin' and "kept"."subject" not like '%:%'
      and "kept"."subject" not in (select value from json_each(${subjects})))`;
}

/** Whether the change may be made: by a SuperAdmin any, by others what touches no Admin. */
function isAllowed(change: RuleChange, bySuperAdmin: boolean): SQL | undefined {
  if (bySuperAdmin) return undefined;
  return sql`not exists (select 1 from ${rules} where ${highRules(change)})`;
}

/** What makes a change, and when. */
interface Author {
  readonly bySuperAdmin: boolean;
  /** Account UUID. */
  readonly by: string;
  /** Unix epoch milliseconds. */
  readonly at: number;
}

/**
 * Gives each subject its level, or none of them: no row comes back when one is no member any
 * longer, or a key is gone, the resource is gone, the change touches what its author may not, or no SuperAdmin
 * would remain.
 */
export function upsertRules(
  db: Database,
  change: GrantingChange,
  { bySuperAdmin, by, at }: Author,
) {
  const { orgUuid, scope, entries } = change;
  const subjects = entries.map(([subject]) => subject).filter((each) => !isGroup(each));
  const list = JSON.stringify(subjects);
  const members = sql`(select count(*) from ${memberships} where ${memberships.orgUuid} = ${orgUuid}
    and ${memberships.accountUuid} in (select value from json_each(${list})))`;
  const keys = sql`(select count(*) from ${apiKeys} where ${apiKeys.orgUuid} = ${orgUuid}
    and 'key:' || ${apiKeys.uuid} in (select value from json_each(${list})))`;
  const allowed = and(
    sql`${members} + ${keys} = ${subjects.length}`,
    isThere(db, orgUuid, scope),
    mayMake(change, bySuperAdmin),
  );
  return db
    .insert(rules)
    .select(
      sql`select ${orgUuid}, ${scope.kind}, ${scope.resourceUuid}, value ->> 0, value ->> 1, ${at}, ${by}
        from json_each(${JSON.stringify(entries)}) where ${allowed}`,
    )
    .onConflictDoUpdate({
      target: [rules.orgUuid, rules.resourceUuid, rules.subject],
      set: { level: sql`excluded.level`, createdAt: at, createdBy: by },
    })
    .returning({ subject: rules.subject });
}

function isThere(
  db: Database,
  orgUuid: string,
  { kind, resourceUuid }: GrantingChange['scope'],
): SQL | undefined {
  if (kind === 'organization') return undefined;
  return sql`exists ${selectResourceUuid(db, orgUuid, kind, { uuid: resourceUuid })}`;
}

/** The author's level, and the request's `If-Match`. */
interface Taking {
  readonly bySuperAdmin: boolean;
  readonly ifMatch: IfMatch | undefined;
}

/** Takes a subject's rules away; none goes when one of them may not, or the rules' ETag does not match the request's. */
export function deleteRules(db: Database, change: RuleChange, { bySuperAdmin, ifMatch }: Taking) {
  const isHeld = heldTo(selectRulesRevision(db, change.orgUuid), ifMatch);
  return db
    .delete(rules)
    .where(and(ofSubjects(change), mayMake(change, bySuperAdmin), isHeld))
    .returning({ subject: rules.subject });
}

/** Whether a change may be made: by its author, and so that one of the SuperAdmins remains. */
export function mayMake(change: RuleChange, bySuperAdmin: boolean): SQL | undefined {
  return and(isAllowed(change, bySuperAdmin), or(keepsSuperAdmin(change), isNoSuperAdmin(change)));
}

/**
 * Raises the revision of the organization's rules, if the statement before it in the batch changed
 * something: to be put after every change of rules, and of what they are told with.
 */
export function raiseRules(db: Database, orgUuid: string) {
  return db
    .update(organizations)
    .set({ rulesRevision: sql`${organizations.rulesRevision} + 1` })
    .where(and(eq(organizations.uuid, orgUuid), sql`changes() > 0`));
}

/** As `raiseRules`, in every organization that holds rules with this account's name, if `condition` holds. */
export function raiseRulesWith(db: Database, accountUuid: string, condition: SQL) {
  const told = db
    .select({ uuid: memberships.orgUuid })
    .from(memberships)
    .where(eq(memberships.accountUuid, accountUuid));
  return db
    .update(organizations)
    .set({ rulesRevision: sql`${organizations.rulesRevision} + 1` })
    .where(and(inArray(organizations.uuid, told), condition));
}

/** Takes away all rules on a resource; none when the rules' ETag does not match the request's. */
export function deleteDocument(
  db: Database,
  orgUuid: string,
  resourceUuid: string,
  ifMatch: IfMatch | undefined,
) {
  const isHeld = heldTo(selectRulesRevision(db, orgUuid), ifMatch);
  return db
    .delete(rules)
    .where(and(eq(rules.orgUuid, orgUuid), eq(rules.resourceUuid, resourceUuid), isHeld));
}

/**
 * Takes away all rules on the organization but one SuperAdmin's own; none when the caller is not one, or
 * the rules' ETag does not match the request's.
 */
export function deleteOthersRules(
  db: Database,
  orgUuid: string,
  superAdmin: string,
  ifMatch: IfMatch | undefined,
) {
  return db.delete(rules).where(
    and(
      eq(rules.orgUuid, orgUuid),
      eq(rules.resourceUuid, orgUuid),
      ne(rules.subject, superAdmin),
      heldTo(selectRulesRevision(db, orgUuid), ifMatch),
      sql`exists (select 1 from ${rules} as "own" where "own"."org_uuid" = ${orgUuid}
          and "own"."resource_uuid" = ${orgUuid} and "own"."subject" = ${superAdmin}
          and "own"."level" = 'SuperAdmin')`,
    ),
  );
}

/** One row when a subject of the change still has a rule in its scope. */
export function selectRemaining(db: Database, change: RuleChange) {
  return db.select({ level: rules.level }).from(rules).where(ofSubjects(change)).limit(1);
}

function ofSubjects({ orgUuid, scope, entries }: RuleChange): SQL | undefined {
  const subjects = JSON.stringify(entries.map(([subject]) => subject));
  return and(
    eq(rules.orgUuid, orgUuid),
    sql`${rules.subject} in (select value from json_each(${subjects}))`,
    inScope(scope),
  );
}

/** Whether none of the subjects is what must remain. */
function isNoSuperAdmin(change: RuleChange): SQL | undefined {
  if (keepsSuperAdmin(change) === undefined) return undefined;
  const subjects = JSON.stringify(change.entries.map(([subject]) => subject));
  return sql`not exists (select 1 from ${rules} as "lost"
    where "lost"."org_uuid" = ${change.orgUuid} and "lost"."resource_uuid" = ${change.orgUuid}
      and "lost"."level" = 'SuperAdmin' and "lost"."subject" not like '%:%'
      and "lost"."subject" in (select value from json_each(${subjects})))`;
}
