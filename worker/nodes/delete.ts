/** Removes a node; placements on it stay, and are unavailable. Spec: nodes.md §1, §2. */
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { auditStatement } from '../audit/record.ts';
import type { Context } from '../context.ts';
import { demandOwn, type FoundNode, nodeNotFound } from './access.ts';
import { nodeObject } from './node-object.ts';
import { deleteNodeRow, selectNode, selectOnlyOn } from './store.ts';

/** Endpoints that a refusal names. */
const NAMED_MAX = 100;

/** @throws GatewayError FORBIDDEN for the default node, NODE_IN_USE, NODE_NOT_FOUND when it is gone already */
export async function deleteNode(
  ctx: Context,
  found: FoundNode,
  confirmed: boolean,
): Promise<Json> {
  const { uuid, name, orgUuid } = demandOwn(found);
  const { db } = ctx;
  const [needing, deleted] = await db.batch([
    selectOnlyOn(db, orgUuid, uuid, NAMED_MAX),
    deleteNodeRow(db, orgUuid, uuid, confirmed),
    auditStatement(ctx, { action: 'node.delete', resource: `node:${uuid}`, details: { id: name } }),
  ]);
  if (deleted.length === 0) {
    const [row] = await selectNode(db, orgUuid, uuid);
    if (!row) throw nodeNotFound(uuid);
    throw new GatewayError(
      'NODE_IN_USE',
      `Node ${name} is the only one of some endpoints: delete it with ?confirm=true`,
      { details: [{ rule: 'in use', endpoints: needing.map(({ id }) => id) }] },
    );
  }
  ctx.afterReply(nodeObject(ctx.env, { orgUuid, uuid }).forget());
  return { message: `Node ${name} deleted` };
}
