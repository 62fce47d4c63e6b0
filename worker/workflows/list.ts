/** Workflows as a page of a list. */
import type { Json } from '../../proto/json.ts';
import type { Readable } from '../access/access.ts';
import type { Context } from '../context.ts';
import { type ListContext, type PageQuery, readCursor, writeCursor } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { selectReadable } from './store.ts';

/**
 * A page of the workflows that the caller may read, by id. Contract §1, "Lists".
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list
 */
export async function listWorkflows(
  ctx: Context,
  { byDefault, policy }: Readable,
  { limit, cursor }: PageQuery,
): Promise<Json> {
  const context: ListContext = {
    settings: ctx.settings,
    orgUuid: ctx.caller.orgUuid,
    sealedDataKey: policy.sealedDataKey,
    list: 'workflows',
  };
  const after = await readCursor(context, cursor);
  const rows = await selectReadable(ctx.db, ctx.caller, { byDefault, after, limit });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    workflows: page.map(({ id, name, version, status, createdAt, updatedAt }) => ({
      id,
      name,
      version,
      status,
      created: isoTime(createdAt),
      lastModified: isoTime(updatedAt),
    })),
    ...(last === undefined ? {} : { next_cursor: await writeCursor(context, last.id) }),
  };
}
