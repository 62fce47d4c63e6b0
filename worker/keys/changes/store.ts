/** Statements that make, change and end keys. What may not be is part of the statement that writes. */
import { and, eq, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { keySubject } from '../../access/api-keys/identity.ts';
import type { Database } from '../../context.ts';
import { type ApiKeyRow, apiKeyDigests, apiKeys, type KeyLevel } from '../../db/keys.ts';
import { memberships, organizations, type ResourceKind, rules } from '../../db/schema.ts';
import { resourcesOf } from '../../grants/store.ts';
import type { Level } from '../../levels.ts';
import { type KeyRow, selectNamesake } from '../store.ts';

/**
 * Stores a key. No row comes back when there is one of that name, or its owner is no member any
 * longer.
 */
export function insertKey(db: Database, row: ApiKeyRow) {
  const { orgUuid, ownerUuid } = row;
  const isMember = sql`exists (select 1 from ${memberships}
    where ${memberships.orgUuid} = ${orgUuid} and ${memberships.accountUuid} = ${ownerUuid})`;
  const { addresses, levels } = row;
  return db
    .insert(apiKeys)
    .select(
      sql`select ${orgUuid}, ${row.uuid}, ${row.name}, ${ownerUuid}, ${row.description},
        ${row.accessLevel}, ${JSON.stringify(levels)},
        ${addresses === null ? null : JSON.stringify(addresses)}, ${row.expiresAt}, null,
        ${row.createdAt}, ${row.createdBy}, ${row.revision}
        where ${ownerUuid === '' ? sql`true` : isMember}`,
    )
    .onConflictDoNothing()
    .returning({ uuid: apiKeys.uuid });
}

/** A key of an organization, as it was read: what changes it holds for no other. */
type Seen = Pick<KeyRow, 'uuid' | 'ownerUuid' | 'name' | 'revision' | 'rulesRevision'> & {
  readonly orgUuid: string;
};

/** Whether a key is still there. */
export function isThere({ orgUuid, uuid }: Pick<ApiKeyRow, 'orgUuid' | 'uuid'>): SQL {
  return sql`exists (select 1 from ${apiKeys}
    where ${apiKeys.orgUuid} = ${orgUuid} and ${apiKeys.uuid} = ${uuid})`;
}

/**
 * Whether a key, and the rules that are its levels, are as they were read, and the name that it is
 * to have is free: the same for each statement of a batch before the key's own row.
 */
export function isAsSeen(db: Database, seen: Seen, name = seen.name): SQL {
  const { orgUuid, uuid, revision, ownerUuid, rulesRevision } = seen;
  const namesake = selectNamesake(db, orgUuid, { uuid, ownerUuid, name });
  // Rules give nothing to a personal key.
  const ruled =
    ownerUuid === ''
      ? sql`exists (select 1 from ${organizations} where ${organizations.uuid} = ${orgUuid}
          and ${organizations.rulesRevision} = ${rulesRevision})`
      : sql`true`;
  return sql`exists (select 1 from ${apiKeys} as "seen" where "seen"."org_uuid" = ${orgUuid}
    and "seen"."uuid" = ${uuid} and "seen"."revision" = ${revision})
    and ${ruled} and not exists ${namesake}`;
}

/** Changes a key's row, if `condition` holds: to be put after what hangs on the same condition. */
export function updateKeyRow(
  db: Database,
  { orgUuid, uuid, revision }: Seen,
  changes: Partial<ApiKeyRow>,
  condition: SQL,
) {
  return db
    .update(apiKeys)
    .set({ ...changes, revision: revision + 1 })
    .where(and(eq(apiKeys.orgUuid, orgUuid), eq(apiKeys.uuid, uuid), condition))
    .returning({ uuid: apiKeys.uuid });
}

/** A level of an organization's key: a rule. */
export interface RuleOfKey {
  readonly kind: ResourceKind;
  /** Of the resource, or the organization. */
  readonly uuid: string;
  readonly level: Level;
}

/** Whose rules are written, and by whom. */
interface RulesOfKey {
  readonly orgUuid: string;
  /** Of the key. */
  readonly uuid: string;
  readonly by: string;
  readonly at: number;
}

/** Gives a key its rules, where what they are on exists and `condition` holds. */
export function insertRules(
  db: Database,
  { orgUuid, uuid, by, at }: RulesOfKey,
  levels: readonly RuleOfKey[],
  condition: SQL,
) {
  const resource = sql`value ->> 'uuid'`;
  const there = (['endpoint', 'template', 'workflow'] as const).map((kind) => {
    const { table, exists } = resourcesOf(kind);
    return sql`(value ->> 'kind' = ${kind} and exists (select 1 from ${table}
      where ${and(eq(table.orgUuid, orgUuid), sql`${table.uuid} = ${resource}`, exists)}))`;
  });
  const isHeld = or(sql`value ->> 'kind' = 'organization'`, ...there);
  return db
    .insert(rules)
    .select(
      sql`select ${orgUuid}, value ->> 'kind', ${resource}, ${keySubject(uuid)},
        value ->> 'level', ${at}, ${by}
        from json_each(${JSON.stringify(levels)}) where ${and(isHeld, condition)}`,
    )
    .onConflictDoUpdate({
      target: [rules.orgUuid, rules.resourceUuid, rules.subject],
      set: { level: sql`excluded.level`, createdAt: at, createdBy: by },
    });
}

/** Takes the rules of a key away, but those on some, if `condition` holds. */
export function deleteRules(
  db: Database,
  { orgUuid, uuid }: Pick<RulesOfKey, 'orgUuid' | 'uuid'>,
  kept: readonly RuleOfKey[],
  condition: SQL,
) {
  const list = JSON.stringify(kept.map((each) => each.uuid));
  return db
    .delete(rules)
    .where(
      and(
        eq(rules.orgUuid, orgUuid),
        eq(rules.subject, keySubject(uuid)),
        sql`${rules.resourceUuid} not in (select value from json_each(${list}))`,
        condition,
      ),
    );
}

/** Keeps what finds a key by its text, if `condition` holds. */
export function insertDigest(
  db: Database,
  { orgUuid, uuid }: Pick<ApiKeyRow, 'orgUuid' | 'uuid'>,
  digest: string,
  condition: SQL,
) {
  return db
    .insert(apiKeyDigests)
    .select(sql`select ${orgUuid}, ${digest}, ${uuid}, null where ${condition}`);
}

/** Has the present text of a key end, if `condition` holds. @param endsAt Unix epoch milliseconds */
export function endDigest(
  db: Database,
  { orgUuid, uuid }: Pick<ApiKeyRow, 'orgUuid' | 'uuid'>,
  endsAt: number,
  condition: SQL,
) {
  return db
    .update(apiKeyDigests)
    .set({ endsAt })
    .where(
      and(
        eq(apiKeyDigests.orgUuid, orgUuid),
        eq(apiKeyDigests.keyUuid, uuid),
        isNull(apiKeyDigests.endsAt),
        condition,
      ),
    );
}

/** Forgets texts of a key that were rotated: those that have ended by then, or all; if `condition` holds. */
export function deleteRotated(
  db: Database,
  { orgUuid, uuid }: Pick<ApiKeyRow, 'orgUuid' | 'uuid'>,
  endedBy: number | 'all',
  condition: SQL,
) {
  return db
    .delete(apiKeyDigests)
    .where(
      and(
        eq(apiKeyDigests.orgUuid, orgUuid),
        eq(apiKeyDigests.keyUuid, uuid),
        endedBy === 'all' ? isNotNull(apiKeyDigests.endsAt) : lte(apiKeyDigests.endsAt, endedBy),
        condition,
      ),
    );
}

/** Ends a key; no row comes back when it is gone, or `condition` does not hold. */
export function deleteKeyRow(
  db: Database,
  { orgUuid, uuid }: Pick<ApiKeyRow, 'orgUuid' | 'uuid'>,
  condition: SQL | undefined,
) {
  return db
    .delete(apiKeys)
    .where(and(eq(apiKeys.orgUuid, orgUuid), eq(apiKeys.uuid, uuid), condition))
    .returning({ uuid: apiKeys.uuid });
}

/** Takes away all rules of a key that is gone. */
export function deleteRulesOfGone(db: Database, key: Pick<ApiKeyRow, 'orgUuid' | 'uuid'>) {
  return db
    .delete(rules)
    .where(
      and(
        eq(rules.orgUuid, key.orgUuid),
        eq(rules.subject, keySubject(key.uuid)),
        sql`not ${isThere(key)}`,
      ),
    );
}

/** Ends the personal keys of who is no member any longer. */
export function deleteKeysOfGone(db: Database, orgUuid: string, accountUuid: string) {
  return db.delete(apiKeys).where(
    and(
      eq(apiKeys.orgUuid, orgUuid),
      eq(apiKeys.ownerUuid, accountUuid),
      sql`not exists (select 1 from ${memberships} where ${memberships.orgUuid} = ${orgUuid}
        and ${memberships.accountUuid} = ${accountUuid})`,
    ),
  );
}

/** Removes what finds keys that are gone. */
export function deleteDigestsOfGone(db: Database, orgUuid: string) {
  return db.delete(apiKeyDigests).where(
    and(
      eq(apiKeyDigests.orgUuid, orgUuid),
      sql`not exists (select 1 from ${apiKeys} where ${apiKeys.orgUuid} = ${orgUuid}
        and ${apiKeys.uuid} = ${apiKeyDigests.keyUuid})`,
    ),
  );
}

/** As rows of personal keys keep levels. */
export function keptLevels(levels: readonly RuleOfKey[]): KeyLevel[] {
  return levels.flatMap(({ kind, uuid, level }) =>
    kind === 'organization' ? [] : [{ kind, uuid, level }],
  );
}
