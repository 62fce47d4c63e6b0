/** Statements that read what rules are about: resources, members, and the rules themselves. */
import { and, asc, count, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { EntityKind } from '../access/explain.ts';
import { levelOn } from '../access/store.ts';
import type { Caller, Database } from '../context.ts';
import { apiKeys } from '../db/keys.ts';
import { accounts, endpoints, memberships, organizations, rules } from '../db/schema.ts';
import { templates } from '../db/templates.ts';
import { workflows } from '../db/workflows.ts';
import type { Level } from '../levels.ts';

/** Where resources are. */
const TABLES: Readonly<Record<EntityKind, typeof endpoints | typeof templates | typeof workflows>> =
  {
    endpoint: endpoints,
    template: templates,
    workflow: workflows,
  };

/** How a path or a body names a resource. */
export type ResourceName = { readonly uuid: string } | { readonly id: string };

/** The table of a kind, and what holds of its rows alone that are there: of a deleted workflow runs may be left. */
export function resourcesOf(kind: EntityKind) {
  const exists = kind === 'workflow' ? isNull(workflows.deletedAt) : undefined;
  return { table: TABLES[kind], exists };
}

function isResource(orgUuid: string, kind: EntityKind, name: ResourceName): SQL | undefined {
  const { table, exists } = resourcesOf(kind);
  const match = 'uuid' in name ? eq(table.uuid, name.uuid) : eq(table.id, name.id);
  return and(eq(table.orgUuid, orgUuid), match, exists);
}

/** At most one row: the resource of that name. */
export function selectResource(
  db: Database,
  orgUuid: string,
  kind: EntityKind,
  name: ResourceName,
) {
  const { table } = resourcesOf(kind);
  return db
    .select({ uuid: table.uuid, id: table.id })
    .from(table)
    .where(isResource(orgUuid, kind, name));
}

/** Those of some names that are there; a name is an id, or a UUID in lower case. */
export function selectResourcesNamed(
  db: Database,
  orgUuid: string,
  kind: EntityKind,
  names: readonly string[],
) {
  const { table, exists } = resourcesOf(kind);
  const named = sql`(select value from json_each(${JSON.stringify(names)}))`;
  return db
    .select({ uuid: table.uuid, id: table.id })
    .from(table)
    .where(
      and(
        eq(table.orgUuid, orgUuid),
        or(sql`${table.id} in ${named}`, sql`${table.uuid} in ${named}`),
        exists,
      ),
    );
}

/** The uuid alone, for use inside other statements. */
export function selectResourceUuid(
  db: Database,
  orgUuid: string,
  kind: EntityKind,
  name: ResourceName,
) {
  const { table } = resourcesOf(kind);
  return db
    .select({ uuid: table.uuid })
    .from(table)
    .where(isResource(orgUuid, kind, name));
}

/**
 * Members of the organization by `usernameKey` or account UUID, and its keys by `key:<name>`, each
 * as rules name it.
 */
export function selectMembers(db: Database, orgUuid: string, keysAndUuids: readonly string[]) {
  const named = sql`(select value from json_each(${JSON.stringify(keysAndUuids)}))`;
  const members = db
    .select({ uuid: accounts.uuid, username: accounts.username, usernameKey: accounts.usernameKey })
    .from(accounts)
    .innerJoin(
      memberships,
      and(eq(memberships.orgUuid, orgUuid), eq(memberships.accountUuid, accounts.uuid)),
    )
    .where(or(sql`${accounts.usernameKey} in ${named}`, sql`${accounts.uuid} in ${named}`));
  const name = sql<string>`'key:' || ${apiKeys.name}`;
  return members.unionAll(
    db
      .select({ uuid: keySubjectOf, username: name, usernameKey: name })
      .from(apiKeys)
      .where(
        and(eq(apiKeys.orgUuid, orgUuid), eq(apiKeys.ownerUuid, ''), sql`${name} in ${named}`),
      ),
  );
}

/** `keySubject` of a key's row. */
const keySubjectOf = sql<string>`'key:' || ${apiKeys.uuid}`;

/** Rules on one resource, or on the organization, with the names of the users and keys they are for. */
export function selectDocument(db: Database, orgUuid: string, resourceUuid: string) {
  return db
    .select({
      subject: rules.subject,
      username: sql<string | null>`coalesce(${accounts.username}, 'key:' || ${apiKeys.name})`,
      level: rules.level,
    })
    .from(rules)
    .leftJoin(accounts, eq(accounts.uuid, rules.subject))
    .leftJoin(apiKeys, and(eq(apiKeys.orgUuid, orgUuid), eq(keySubjectOf, rules.subject)))
    .where(and(eq(rules.orgUuid, orgUuid), eq(rules.resourceUuid, resourceUuid)))
    .orderBy(asc(rules.subject));
}

/** At most one row: the revision that all of the organization's rules have together. */
export function selectRulesRevision(db: Database, orgUuid: string) {
  return db
    .select({ revision: organizations.rulesRevision })
    .from(organizations)
    .where(eq(organizations.uuid, orgUuid));
}

/** At most one row: a subject's level on the organization. */
export function selectOrganizationRule(db: Database, orgUuid: string, subject: string) {
  return db
    .select({ level: rules.level })
    .from(rules)
    .where(
      and(eq(rules.orgUuid, orgUuid), eq(rules.resourceUuid, orgUuid), eq(rules.subject, subject)),
    );
}

/** A subject's rules on resources of a kind, by the resources' ids. */
export function selectRulesOfSubject(
  db: Database,
  orgUuid: string,
  kind: EntityKind,
  subject: string,
) {
  const { table, exists } = resourcesOf(kind);
  return db
    .select({ id: table.id, level: rules.level })
    .from(rules)
    .innerJoin(table, and(eq(table.orgUuid, orgUuid), eq(table.uuid, rules.resourceUuid)))
    .where(and(eq(rules.orgUuid, orgUuid), eq(rules.subject, subject), exists))
    .orderBy(asc(table.id));
}

/** All resources of a kind by id, each with the caller's level by rules on it, if there are any. */
export function selectWithOwnRule(db: Database, caller: Caller, kind: EntityKind) {
  const { table, exists } = resourcesOf(kind);
  return db
    .select({ uuid: table.uuid, id: table.id, level: levelOn(caller, table.uuid) })
    .from(table)
    .where(and(eq(table.orgUuid, caller.orgUuid), exists))
    .orderBy(asc(table.id));
}

/** One row: of how many resources of a kind a user is Admin or SuperAdmin. */
export function countManaged(
  db: Database,
  orgUuid: string,
  kind: EntityKind,
  subject: string,
  onOrganization: Level | null,
) {
  const { table, exists } = resourcesOf(kind);
  const own = and(
    eq(rules.orgUuid, orgUuid),
    eq(rules.resourceUuid, table.uuid),
    eq(rules.subject, subject),
  );
  const isFinal = onOrganization === 'None' || onOrganization === 'SuperAdmin';
  const level = isFinal ? sql`${onOrganization}` : sql`coalesce(${rules.level}, ${onOrganization})`;
  return db
    .select({ count: count() })
    .from(table)
    .leftJoin(rules, own)
    .where(and(eq(table.orgUuid, orgUuid), exists, inArray(level, ['Admin', 'SuperAdmin'])));
}
