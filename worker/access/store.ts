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
import { apiKeyDigests, apiKeys, type KeyLevel } from '../db/keys.ts';
import { accounts, endpoints, memberships, organizations, rules } from '../db/schema.ts';
import { templates } from '../db/templates.ts';
import { workflows } from '../db/workflows.ts';
import { LEVELS, type Level, reaches } from '../levels.ts';
import type { KeyStanding } from './api-keys/caller.ts';
import { type KeyIdentity, type KeyLimits, ruledSubject } from './api-keys/identity.ts';

/**
 * At most one row: none when organization, account or membership is gone; of an API key, when the
 * key, its text or its owner's membership is. A caller with an external token needs neither
 * account nor membership.
 */
export function selectMembership(db: Database, caller: Caller) {
  const { orgUuid, userUuid, userId, external, key } = caller;
  const account = key ? (key.owner ?? '') : userUuid;
  const standing = db
    .select({
      /** Tokens issued before it are void. A key is none that a login issued. */
      validFrom: key
        ? sql<number>`0`
        : sql<number>`max(coalesce(${accounts.passwordChangedAt}, 0), coalesce(${memberships.createdAt}, 0))`,
      /** Of the account whose rules count; of others as the token names them. */
      account: sql<string>`coalesce(${accounts.username}, ${userId})`,
      sealedDataKey: organizations.sealedDataKey,
      keyName: key ? sql<string | null>`${apiKeys.name}` : sql<string | null>`null`,
      key: key ? keyStanding(key) : sql<KeyStanding | null>`null`,
    })
    .from(organizations)
    .leftJoin(
      memberships,
      and(eq(memberships.orgUuid, organizations.uuid), eq(memberships.accountUuid, account)),
    )
    .leftJoin(accounts, eq(accounts.uuid, memberships.accountUuid))
    .where(
      and(
        eq(organizations.uuid, orgUuid),
        isNull(organizations.deletedAt),
        external || (key && !key.owner) ? undefined : isNotNull(accounts.uuid),
      ),
    )
    .$dynamic();
  // Keys are read for keys alone: a join on what never holds would still go through all of them.
  if (!key) return standing;
  const ofKey = standing.innerJoin(apiKeys, isKey(orgUuid, key.uuid));
  // A run goes on without the key's text.
  if (key.digest === undefined) return ofKey;
  return ofKey.innerJoin(apiKeyDigests, isDigest(orgUuid, key.uuid, key.digest));
}

function isKey(orgUuid: string, uuid: string): SQL | undefined {
  return and(eq(apiKeys.orgUuid, orgUuid), eq(apiKeys.uuid, uuid));
}

function isDigest(orgUuid: string, uuid: string, digest: string): SQL | undefined {
  return and(
    eq(apiKeyDigests.orgUuid, orgUuid),
    eq(apiKeyDigests.digest, digest),
    eq(apiKeyDigests.keyUuid, uuid),
  );
}

/** Levels on what exists: one on what is gone would still open lists. */
const keyLevels = sql`(select json_group_array(json(value)) from json_each(${apiKeys.levels})
  where case value ->> 'kind'
    when 'endpoint' then exists (select 1 from ${endpoints}
      where ${endpoints.orgUuid} = ${apiKeys.orgUuid} and ${endpoints.uuid} = value ->> 'uuid')
    when 'template' then exists (select 1 from ${templates}
      where ${templates.orgUuid} = ${apiKeys.orgUuid} and ${templates.uuid} = value ->> 'uuid')
    else exists (select 1 from ${workflows} where ${workflows.orgUuid} = ${apiKeys.orgUuid}
      and ${workflows.uuid} = value ->> 'uuid' and ${workflows.deletedAt} is null) end)`;

function keyStanding({ digest }: KeyIdentity) {
  const endsAt = digest === undefined ? sql`null` : apiKeyDigests.endsAt;
  return sql<KeyStanding | null>`json_object(
    'accessLevel', ${apiKeys.accessLevel}, 'levels', json(${keyLevels}),
    'expiresAt', ${apiKeys.expiresAt}, 'endsAt', ${endsAt},
    'addresses', json(${apiKeys.addresses}))`.mapWith(
    (text: string): KeyStanding => JSON.parse(text) as KeyStanding, // As the statement makes it.
  );
}

/** Whether a rule is for the caller, for the owner of the caller's personal key, or for a group of the caller's external token. */
function isFor(caller: Caller): SQL {
  const { external } = caller;
  if (!external) return eq(rules.subject, ruledSubject(caller));
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

/** The rights of a caller on the resources of a list. */
export interface ByDefault {
  /** The level that rules give where none on the resource says otherwise. */
  readonly level: Level;
  /** Of a personal key. */
  readonly limits?: KeyLimits | undefined;
}

/** A part of a list of resources. */
export interface ReadablePage {
  readonly byDefault: ByDefault;
  /** Id after which to begin; none for the start. */
  readonly after: string | undefined;
  /** One more than this is read, to tell whether there is more. */
  readonly limit: number;
}

/** Whether a resource is one that the caller may read. None where all are. */
export function isReadable(
  caller: Caller,
  { level, limits }: ByDefault,
  resourceUuid: SQLWrapper,
): SQL | undefined {
  const readable = LEVELS.filter((each) => reaches(each, 'Read'));
  const byRules =
    level === 'SuperAdmin'
      ? undefined
      : inArray(sql`coalesce(${levelOn(caller, resourceUuid)}, ${level})`, readable);
  return and(byRules, limits && inArray(limitIn(limits, resourceUuid), readable));
}

/** `limitOn` in a statement. */
function limitIn({ levels, accessLevel }: KeyLimits, resourceUuid: SQLWrapper): SQL {
  const own = JSON.stringify(levels.map(({ uuid, level }: KeyLevel) => [uuid, level]));
  return sql`coalesce((select value ->> 1 from json_each(${own})
    where value ->> 0 = ${resourceUuid}), ${accessLevel ?? 'SuperAdmin'})`;
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
