/** Users in replies: one with all that is known, or a page of them. Spec: "User (IAM)". */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { ENTITY_KINDS } from '../access/explain.ts';
import type { Policy } from '../access/policy.ts';
import type { Context } from '../context.ts';
import { pluralOf } from '../grants/kinds.ts';
import { countManaged } from '../grants/store.ts';
import type { Subject } from '../grants/subjects.ts';
import { Tagged } from '../outcome.ts';
import { listContext, readPage } from '../shapes/cursor.ts';
import { visible } from '../shapes/visible.ts';
import { tagOf } from './changes/store.ts';
import type { ListQuery } from './schema.ts';
import { selectUser, selectUsers, type UserRow } from './store.ts';

/**
 * The whole record. A user manages what they are Admin of. Spec silent. The ETag is of membership,
 * account and level: neither activity nor what the user manages changes it.
 * @throws GatewayError USER_NOT_FOUND when the user is gone since the look-up
 */
export async function getUser(ctx: Context, user: Subject): Promise<Tagged> {
  const { orgUuid } = ctx.caller;
  const [row] = await selectUser(ctx.db, orgUuid, user.key);
  if (!row) throw new GatewayError('USER_NOT_FOUND', 'User not found in organization');
  const managed: [string, number][] = [];
  for (const kind of ENTITY_KINDS) {
    const [counted] = await countManaged(ctx.db, orgUuid, kind, user.key, row.rule);
    managed.push([pluralOf(kind), counted?.count ?? 0]);
  }
  return new Tagged(tagOf(row), {
    ...recordOf(row),
    managedResources: Object.fromEntries(managed),
    activity: {
      lastLogin: timestamp(row.lastLoginAt),
      loginCount: row.loginCount,
      lastOperations: (row.operations ?? []).map((each) => ({ ...each })),
    },
  });
}

/**
 * A page of the organization's users, by username. Contract §1, "Lists".
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list and its filters
 */
export async function listUsers(
  ctx: Context,
  { sealedDataKey }: Policy,
  { level, status, q, ...page }: ListQuery,
): Promise<Json> {
  const { db, caller } = ctx;
  const list = listContext(ctx, sealedDataKey, 'users');
  const { rows, next } = await readPage(list, page, {
    select: (after) => selectUsers(db, caller.orgUuid, { level, status, q, after }, page.limit + 1),
    nameOf: ({ usernameKey }) => usernameKey,
  });
  return { users: rows.map(recordOf), ...next };
}

function recordOf(row: UserRow): { [member: string]: Json } {
  const active = Math.max(row.lastLoginAt ?? 0, row.lastActiveAt ?? 0);
  return {
    userId: visible(row.username),
    uuid: row.uuid,
    description: row.description,
    accessLevel: row.level,
    status: row.status,
    created: timestamp(row.createdAt),
    createdBy: visible(row.createdBy),
    lastModified: timestamp(row.lastModifiedAt),
    lastModifiedBy: visible(row.lastModifiedBy),
    lastActive: timestamp(active === 0 ? null : active),
  };
}

function timestamp(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
