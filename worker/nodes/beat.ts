/** Hears a node: its beat of every 10 s. Spec: nodes.md §1. */
import { isKind } from '../../kinds/index.ts';
import type { Json } from '../../proto/json.ts';
import { forgetOrganization } from '../access/policy.ts';
import type { PublicContext } from '../context.ts';
import { BASE_PATH } from '../public-url.ts';
import { type Arrived, replyTo } from './enrol.ts';
import { demandSigned } from './proof.ts';
import { doubt, isReachable } from './reach.ts';
import { nodeOf, statusOf } from './registered.ts';
import type { BeatBody } from './relay-shapes.ts';
import { selectNodeByUuid, updateNode } from './store.ts';

/** @throws GatewayError NODE_SIGNATURE_INVALID, NODE_RUNNING */
export async function hear(
  ctx: PublicContext,
  named: string,
  body: BeatBody,
  arrived: Arrived,
): Promise<Json> {
  const uuid = named.toLowerCase();
  const [found] = await selectNodeByUuid(ctx.db, uuid);
  const path = `${BASE_PATH}/nodes/${named}/beat`;
  const signed = { method: 'POST', path, body: arrived.bytes, header: arrived.header };
  const { row } = await demandSigned(ctx, { uuid, row: found }, signed);
  const [heard] = await updateNode(ctx.db, row.orgUuid, row.uuid, {
    version: body.version,
    kinds: body.kinds.filter(isKind),
    ...body.load,
    clockOffsetMs: body.clock_offset_ms,
    stopping: body.stopping,
    lastSeenAt: ctx.now(),
  });
  const isOther = heard && statusOf(heard, ctx.now()) !== statusOf(row, ctx.now());
  if (isOther) forgetOrganization(row.orgUuid);
  const node = nodeOf(row);
  // Also at its first beat: whether calls reach it is not known yet. A tunnel says so by itself.
  const isNew = row.lastSeenAt === null && row.url !== null;
  const isDoubtful = isNew || !isReachable(ctx, row);
  if (node && isDoubtful && !body.stopping) doubt(ctx, node, true);
  return replyTo(ctx, row);
}
