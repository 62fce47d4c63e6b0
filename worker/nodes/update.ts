/** Drains a node, resumes it, and gives it a new secret. Spec: nodes.md §1. */
import type { Json } from '../../proto/json.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { demandOwn, type FoundNode, nodeNotFound } from './access.ts';
import { newSecret } from './secret.ts';
import { type NodeChange, updateNode } from './store.ts';

/** @throws GatewayError FORBIDDEN for the default node, NODE_NOT_FOUND when it is gone since it was looked up */
export async function drainNode(ctx: Context, found: FoundNode, draining: boolean): Promise<Json> {
  const { name } = demandOwn(found);
  await change(ctx, found, draining ? 'node.drain' : 'node.resume', { draining });
  return { message: `Node ${name} takes ${draining ? 'no new calls' : 'calls again'}` };
}

/**
 * A new secret instead of one that was not used; the keys of now serve until it is.
 * @throws GatewayError FORBIDDEN for the default node, NODE_NOT_FOUND
 */
export async function renewEnrolment(ctx: Context, found: FoundNode): Promise<Json> {
  const { secret, stored } = await newSecret(ctx.now());
  await change(ctx, found, 'node.enrolment', stored);
  return { enrolment_secret: secret, expires: isoTime(stored.enrolmentExpiresAt) };
}

async function change(ctx: Context, found: FoundNode, action: string, to: NodeChange) {
  const { uuid, name, orgUuid } = demandOwn(found);
  const [changed] = await ctx.db.batch([
    updateNode(ctx.db, orgUuid, uuid, to),
    auditStatement(ctx, { action, resource: `node:${uuid}`, details: { id: name } }),
  ]);
  if (changed.length === 0) throw nodeNotFound(uuid);
}
