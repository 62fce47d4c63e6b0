/** Lists an organization's audit. */
import type { Json } from '../../proto/json.ts';
import { policyOn } from '../access/policy.ts';
import type { Context } from '../context.ts';
import { listContext, readCursor, writeCursor } from '../shapes/cursor.ts';
import { selectHead, selectNotKept, selectPage } from './store.ts';
import { type AuditQuery, entryOnWire, headOnWire } from './wire.ts';

/**
 * A page of entries, newest first. `removed` is the signed head of the last entry that retention
 * removed: the chain goes on after it. `not_kept` counts what there was no room for, until an entry reports it.
 * @throws GatewayError BAD_REQUEST for a cursor of another list or of other filters
 */
export async function listAudit(ctx: Context, query: AuditQuery): Promise<Json> {
  const { db, caller } = ctx;
  const { limit, cursor, ...filter } = query;
  const { sealedDataKey } = await policyOn(ctx);
  const list = listContext(ctx, sealedDataKey, 'audit');
  const last = await readCursor(list, cursor);
  const before = last === undefined ? undefined : Number(last);
  const [rows, [removed], [total]] = await db.batch([
    selectPage(db, caller.orgUuid, filter, { limit, before }),
    selectHead(db, caller.orgUuid, 'removed'),
    selectNotKept(db, caller.orgUuid),
  ]);
  const shown = rows.slice(0, limit);
  const end = shown.at(-1);
  return {
    entries: shown.map(({ row }) => {
      const entry = entryOnWire(row);
      return { ...entry, details: { ...entry.details } as Json };
    }),
    ...(total?.notKept ? { not_kept: total.notKept } : {}),
    ...(removed ? { removed: { ...headOnWire(removed) } } : {}),
    ...(rows.length > limit && end
      ? { next_cursor: await writeCursor(list, String(end.position)) }
      : {}),
  };
}
