/** Statements about keys; the organization comes first in each. */
import { and, asc, eq, gt, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { EntityKind } from '../access/explain.ts';
import type { Database } from '../context.ts';
import { type ApiKeyRow, apiKeys } from '../db/keys.ts';
import { accounts, organizations, rules } from '../db/schema.ts';
import { resourcesOf } from '../grants/store.ts';
import type { Level } from '../levels.ts';

const creators = alias(accounts, 'creators');
const ownersRules = alias(rules, 'owners_rules');
/** `keySubject` of a row. */
const subject = sql<string>`'key:' || ${apiKeys.uuid}`;

/** Keys with what lists show, except levels on resources. */
function selectKeysWhere(db: Database, orgUuid: string, condition: SQL | undefined) {
  const onOrganization = (of: typeof rules | typeof ownersRules, whose: SQL) =>
    and(eq(of.orgUuid, orgUuid), eq(of.resourceUuid, orgUuid), sql`${of.subject} = ${whose}`);
  return db
    .select({
      uuid: apiKeys.uuid,
      name: apiKeys.name,
      ownerUuid: apiKeys.ownerUuid,
      owner: accounts.username,
      description: apiKeys.description,
      /** As it is stored: of a personal key, null where it follows its owner. */
      ownLevel: apiKeys.accessLevel,
      levels: apiKeys.levels,
      /** Of an organization's key its rule; of a personal one its own level, else its owner's. */
      accessLevel: sql<Level | null>`case when ${apiKeys.ownerUuid} = '' then ${rules.level}
        else coalesce(${apiKeys.accessLevel}, ${ownersRules.level}, 'None') end`,
      addresses: apiKeys.addresses,
      expiresAt: apiKeys.expiresAt,
      lastUsedAt: apiKeys.lastUsedAt,
      createdAt: apiKeys.createdAt,
      createdBy: sql<string>`coalesce(${creators.username}, ${apiKeys.createdBy})`,
      revision: apiKeys.revision,
      rulesRevision: organizations.rulesRevision,
    })
    .from(apiKeys)
    .innerJoin(organizations, eq(organizations.uuid, apiKeys.orgUuid))
    .leftJoin(accounts, eq(accounts.uuid, apiKeys.ownerUuid))
    .leftJoin(creators, eq(creators.uuid, apiKeys.createdBy))
    .leftJoin(rules, onOrganization(rules, subject))
    .leftJoin(ownersRules, onOrganization(ownersRules, sql`${apiKeys.ownerUuid}`))
    .where(and(eq(apiKeys.orgUuid, orgUuid), condition));
}

/** At most one row. */
export function selectKey(db: Database, orgUuid: string, uuid: string) {
  return selectKeysWhere(db, orgUuid, eq(apiKeys.uuid, uuid));
}

/** A row of `selectKey` and `selectKeys`. */
export type KeyRow = Awaited<ReturnType<typeof selectKey>>[number];

/** Which keys are listed. */
export interface Page {
  /** Those of one owner, or one key; none for all. */
  readonly only: { readonly ownerUuid: string } | { readonly uuid: string } | undefined;
  /** After which to begin. */
  readonly after: { readonly name: string; readonly uuid: string } | undefined;
  readonly limit: number;
}

/** Keys by name and UUID, at most `limit`. */
export function selectKeys(db: Database, orgUuid: string, { only, after, limit }: Page) {
  const chosen =
    only && ('uuid' in only ? eq(apiKeys.uuid, only.uuid) : eq(apiKeys.ownerUuid, only.ownerUuid));
  const beyond =
    after &&
    or(
      gt(apiKeys.name, after.name),
      and(eq(apiKeys.name, after.name), gt(apiKeys.uuid, after.uuid)),
    );
  return selectKeysWhere(db, orgUuid, and(chosen, beyond))
    .orderBy(asc(apiKeys.name), asc(apiKeys.uuid))
    .limit(limit);
}

/** Levels of keys on what exists of a kind: by rules, or of personal keys their own. */
export function selectLevels(
  db: Database,
  orgUuid: string,
  kind: EntityKind,
  uuids: readonly string[],
) {
  const { table, exists } = resourcesOf(kind);
  const list = JSON.stringify(uuids);
  const given = sql`(
    select substr(${rules.subject}, 5) as "key_uuid", ${rules.resourceUuid} as "resource_uuid",
        ${rules.level} as "level"
      from ${rules} where ${rules.orgUuid} = ${orgUuid} and ${rules.resourceKind} = ${kind}
        and ${rules.subject} in (select 'key:' || value from json_each(${list}))
    union all
    select ${apiKeys.uuid}, "own".value ->> 'uuid', "own".value ->> 'level'
      from ${apiKeys}, json_each(${apiKeys.levels}) as "own"
      where ${apiKeys.orgUuid} = ${orgUuid} and ${apiKeys.ownerUuid} <> ''
        and ${apiKeys.uuid} in (select value from json_each(${list}))) as "given"`;
  return db
    .select({
      key: sql<string>`"given"."key_uuid"`.as('key_uuid'),
      uuid: table.uuid,
      id: table.id,
      level: sql<Level>`"given"."level"`.as('given_level'),
    })
    .from(table)
    .innerJoin(given, sql`"given"."resource_uuid" = ${table.uuid}`)
    .where(and(eq(table.orgUuid, orgUuid), exists))
    .orderBy(asc(table.id));
}

/** One row when the organization, or the owner, has another key of that name. */
export function selectNamesake(
  db: Database,
  orgUuid: string,
  { uuid, ownerUuid, name }: Pick<ApiKeyRow, 'uuid' | 'ownerUuid' | 'name'>,
) {
  return db
    .select({ uuid: apiKeys.uuid })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.orgUuid, orgUuid),
        eq(apiKeys.ownerUuid, ownerUuid),
        eq(apiKeys.name, name),
        sql`${apiKeys.uuid} <> ${uuid}`,
      ),
    );
}
