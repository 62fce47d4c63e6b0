/** Keys in replies: one, or a page of them. Spec: keys-and-doors.md §1. */
import type { Json } from '../../proto/json.ts';
import type { Authorized } from '../access/access.ts';
import type { Context } from '../context.ts';
import { keyNotFound } from '../grants/subjects.ts';
import { reaches } from '../levels.ts';
import { Tagged } from '../outcome.ts';
import { listContext, type PageQuery, readPage } from '../shapes/cursor.ts';
import { shownLevels } from './levels.ts';
import { recordOf, tagOf } from './record.ts';
import { type Page, selectKey, selectKeys } from './store.ts';

/**
 * One key without its text. The ETag is read before the levels that it stands for.
 * @throws GatewayError KEY_NOT_FOUND when it is gone since it was looked up
 */
export async function getKey(ctx: Context, uuid: string): Promise<Tagged> {
  const [row] = await selectKey(ctx.db, ctx.caller.orgUuid, uuid);
  if (!row) throw keyNotFound(uuid);
  const now = ctx.now();
  return new Tagged(tagOf(row, now), recordOf(row, await shownLevels(ctx, [uuid]), now));
}

/**
 * A page of keys by name: to Admins all of the organization, to others their own, to a key itself.
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list
 */
export async function listKeys(
  ctx: Context,
  { held, policy: { sealedDataKey } }: Pick<Authorized<unknown>, 'held' | 'policy'>,
  page: PageQuery,
): Promise<Json> {
  const { db, caller } = ctx;
  const { orgUuid, userUuid, key } = caller;
  const own = key ? { uuid: key.uuid } : { ownerUuid: userUuid };
  const only = reaches(held, 'Admin') ? undefined : own;
  const list = listContext(ctx, sealedDataKey, `keys:${JSON.stringify(only ?? null)}`);
  const { rows, next } = await readPage(list, page, {
    select: (last) =>
      selectKeys(db, orgUuid, { only, after: afterOf(last), limit: page.limit + 1 }),
    nameOf: ({ name, uuid }) => `${name}:${uuid}`,
  });
  const levels = await shownLevels(
    ctx,
    rows.map(({ uuid }) => uuid),
  );
  return { keys: rows.map((row) => recordOf(row, levels, ctx.now())), ...next };
}

/** No name has a colon. */
function afterOf(last: string | undefined): Page['after'] {
  const [name, uuid] = last?.split(':') ?? [];
  return name === undefined || uuid === undefined ? undefined : { name, uuid };
}
