/** Statements that find a key by the text that was sent, before its organization is known. */
import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { apiKeyDigests, apiKeys } from '../../db/keys.ts';
import { accounts, memberships, organizations } from '../../db/schema.ts';

/** At most one row: of a key whose organization, and whose owner's membership, exist. */
export function selectKeyOfDigest(db: Database, digest: string) {
  return db
    .select({
      orgUuid: organizations.uuid,
      orgId: organizations.id,
      uuid: apiKeys.uuid,
      name: apiKeys.name,
      ownerUuid: apiKeys.ownerUuid,
      owner: accounts.username,
      createdAt: apiKeys.createdAt,
      expiresAt: apiKeys.expiresAt,
      endsAt: apiKeyDigests.endsAt,
    })
    .from(apiKeyDigests)
    .innerJoin(
      apiKeys,
      and(eq(apiKeys.orgUuid, apiKeyDigests.orgUuid), eq(apiKeys.uuid, apiKeyDigests.keyUuid)),
    )
    .innerJoin(organizations, eq(organizations.uuid, apiKeys.orgUuid))
    .leftJoin(
      memberships,
      and(eq(memberships.orgUuid, apiKeys.orgUuid), eq(memberships.accountUuid, apiKeys.ownerUuid)),
    )
    .leftJoin(accounts, eq(accounts.uuid, memberships.accountUuid))
    .where(
      and(
        eq(apiKeyDigests.digest, digest),
        isNull(organizations.deletedAt),
        sql`(${apiKeys.ownerUuid} = '' or ${accounts.uuid} is not null)`,
      ),
    );
}

/** At most one row: the personal key of that name, of a member. */
export function selectPersonalKey(
  db: Database,
  orgUuid: string,
  { ownerKey, name }: { readonly ownerKey: string; readonly name: string },
) {
  return db
    .select({ uuid: apiKeys.uuid, ownerUuid: apiKeys.ownerUuid, owner: accounts.username })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.uuid, apiKeys.ownerUuid))
    .where(
      and(
        eq(apiKeys.orgUuid, orgUuid),
        ne(apiKeys.ownerUuid, ''),
        eq(apiKeys.name, name),
        eq(accounts.usernameKey, ownerKey),
      ),
    );
}
