/** The organization's nodes, the default one first. Spec: nodes.md §1. */
import type { Json } from '../../proto/json.ts';
import type { Policy } from '../access/policy.ts';
import type { Context } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import { listContext, type PageQuery, readCursor, writeCursor } from '../shapes/cursor.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { DEFAULT_NODE_NAME, defaultNode } from './default-node.ts';
import { checkHealth } from './health.ts';
import { seenStatus } from './placed.ts';
import { selectNodes } from './store.ts';

/** @throws GatewayError BAD_REQUEST for a cursor that is not of this list */
export async function listOwnNodes(
  ctx: Context,
  { sealedDataKey }: Policy,
  { limit, cursor }: PageQuery,
): Promise<Json> {
  const { caller, db } = ctx;
  const list = listContext(ctx, sealedDataKey, 'nodes');
  const last = await readCursor(list, cursor);
  const own = limit - (last === undefined ? 1 : 0);
  const rows = await selectNodes(db, caller.orgUuid, { after: last || undefined, limit: own + 1 });
  const page = rows.slice(0, own);
  const shown = page.map((row) => recordOf(ctx, row));
  return {
    nodes: last === undefined ? [await defaultRecord(ctx), ...shown] : shown,
    ...(rows.length > own ? { next_cursor: await writeCursor(list, page.at(-1)?.name ?? '') } : {}),
  };
}

async function defaultRecord(ctx: Context) {
  const node = await defaultNode(ctx.settings);
  const { status } = await checkHealth(ctx, node);
  return { uuid: node.uuid, name: DEFAULT_NODE_NAME, default: true, transport: 'direct', status };
}

function recordOf(ctx: Context, row: NodeRow) {
  const { lastSeenAt, calls, connections } = row;
  return {
    uuid: row.uuid,
    name: row.name,
    default: false,
    transport: row.url === null ? 'tunnel' : 'direct',
    status: seenStatus(ctx, row),
    version: row.version,
    kinds: [...(row.kinds ?? [])],
    load: { calls, connections },
    clock_offset_ms: row.clockOffsetMs,
    last_seen: lastSeenAt === null ? null : isoTime(lastSeenAt),
    created_at: isoTime(row.createdAt),
  };
}
