/** Statements about what users did last. */
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { apiKeys } from '../../db/keys.ts';
import { type DoneOperation, memberActivity, memberships } from '../../db/schema.ts';

/** How many operations of a user are kept. Spec silent. */
export const OPERATIONS_KEPT = 10;

/**
 * Puts operations before those that are kept already; nothing is written for a caller who is no member.
 * @param operations newest first
 */
export function addOperations(
  db: Database,
  orgUuid: string,
  accountUuid: string,
  operations: readonly DoneOperation[],
) {
  const list = JSON.stringify(operations);
  const lastActiveAt = Date.parse(operations[0]?.timestamp ?? '');
  const values = db
    .select({
      orgUuid: memberships.orgUuid,
      accountUuid: memberships.accountUuid,
      lastActiveAt: sql<number>`${lastActiveAt}`.as('last_active_at'),
      operations: sql<readonly DoneOperation[]>`${list}`.as('operations'),
    })
    .from(memberships)
    .where(and(eq(memberships.orgUuid, orgUuid), eq(memberships.accountUuid, accountUuid)));
  const newest = sql`(select json_group_array(json(value)) from (
    select value from (
      select value, key, 0 as older from json_each(${list})
      union all select value, key, 1 from json_each(${memberActivity.operations})
    ) order by older, key limit ${OPERATIONS_KEPT}))`;
  return db
    .insert(memberActivity)
    .select(values)
    .onConflictDoUpdate({
      target: [memberActivity.orgUuid, memberActivity.accountUuid],
      set: {
        lastActiveAt: sql`max(${lastActiveAt}, ${memberActivity.lastActiveAt})`,
        operations: newest,
      },
    });
}

/** Notes when a key was last used. @param at Unix epoch milliseconds */
export function noteKeyUse(db: Database, orgUuid: string, keyUuid: string, at: number) {
  return db
    .update(apiKeys)
    .set({ lastUsedAt: sql`max(${at}, coalesce(${apiKeys.lastUsedAt}, 0))` })
    .where(and(eq(apiKeys.orgUuid, orgUuid), eq(apiKeys.uuid, keyUuid)));
}

/** Forgets what a former member did in an organization. */
export function deleteActivity(db: Database, orgUuid: string, accountUuid: string) {
  return db.delete(memberActivity).where(
    and(
      eq(memberActivity.orgUuid, orgUuid),
      eq(memberActivity.accountUuid, accountUuid),
      sql`not exists (select 1 from ${memberships} where ${memberships.orgUuid} = ${orgUuid}
          and ${memberships.accountUuid} = ${accountUuid})`,
    ),
  );
}
