/** Templates as a page of a list. */

import type { Json } from '../../proto/json.ts';
import type { Readable } from '../access/access.ts';
import type { Context } from '../context.ts';
import { listContext, type PageQuery, readPage } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { selectReadable } from './store.ts';

/**
 * A page of the templates that the caller may read, by id. Contract §1, "Lists".
 * @throws GatewayError BAD_REQUEST for a cursor that is not of this list
 */
export async function listTemplates(
  ctx: Context,
  { byDefault, policy }: Readable,
  page: PageQuery,
): Promise<Json> {
  const list = listContext(ctx, policy.sealedDataKey, 'templates');
  const { rows, next } = await readPage(list, page, {
    select: (after) => selectReadable(ctx.db, ctx.caller, { byDefault, after, limit: page.limit }),
    nameOf: ({ id }) => id,
  });
  return {
    templates: rows.map(({ id, name, version, createdAt, updatedAt }) => ({
      id,
      name,
      version,
      created: isoTime(createdAt),
      lastModified: isoTime(updatedAt),
    })),
    ...next,
  };
}
