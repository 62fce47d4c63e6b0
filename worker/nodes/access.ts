/** What operations on nodes act on: one of the organization's, never the default one. */
import { GatewayError } from '../../proto/errors.ts';
import type { Access } from '../access/access.ts';
import { policyOf } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { Level } from '../levels.ts';
import { isUuid } from '../shapes/ids.ts';
import { defaultNode } from './default-node.ts';
import type { OwnNodePath } from './shapes.ts';
import { selectNode } from './store.ts';

/** A node of the organization; undefined for the default one. */
export type FoundNode = NodeRow | undefined;

/**
 * Demands `level` on the organization, for the node that the path names.
 * @throws GatewayError NODE_NOT_FOUND for another organization's node too
 */
export function onNode(level: Level): Access<OwnNodePath, FoundNode> {
  return {
    level,
    errors: ['NODE_NOT_FOUND'],
    async find(ctx, { node: named }) {
      const { db, caller, settings } = ctx;
      const uuid = named.toLowerCase();
      const [standing, rules, [row]] = await db.batch([
        selectMembership(db, caller),
        selectRules(db, caller),
        selectNode(db, caller.orgUuid, uuid),
      ]);
      const policy = policyOf(ctx, standing, rules);
      if (!row && uuid !== (await defaultNode(settings)).uuid) throw nodeNotFound(named);
      return { resource: row, policy };
    },
  };
}

/** The same for another organization's node as for one that does not exist. */
export function nodeNotFound(named: string): GatewayError {
  const hint = isUuid(named) ? '' : ': name it by its UUID, which GET /nodes tells';
  return new GatewayError('NODE_NOT_FOUND', `Node ${named} does not exist${hint}`);
}

/** @throws GatewayError FORBIDDEN for the default node. Spec: nodes.md §1 */
export function demandOwn(found: FoundNode): NodeRow {
  if (found) return found;
  throw new GatewayError(
    'FORBIDDEN',
    "The default node is the installation's, not the organization's",
    {
      details: [{ rule: 'default node' }],
    },
  );
}
