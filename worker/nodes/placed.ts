/** The nodes that an endpoint is placed on, each as it is now. Spec: nodes.md §2. */
import type { Context, PublicContext } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { ConnectionStatus, PlacementRow } from '../db/schema.ts';
import type { Node } from '../drivers/node.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { DEFAULT_NODE_NAME, defaultNode } from './default-node.ts';
import { effective } from './health.ts';
import { isReachable, lastAnswer } from './reach.ts';
import { nodeOf, statusOf } from './registered.ts';

/** A placement, and what is known of its node. */
export interface Placed {
  readonly placement: PlacementRow;
  /** Undefined of a node that was deleted, or is not enrolled. */
  readonly node: Node | undefined;
  readonly row: NodeRow | undefined;
  /** Null of a node that was deleted. */
  readonly name: string | null;
  /** The worst of what is set and of what is seen. */
  readonly status: ConnectionStatus;
  /** What is seen. */
  readonly seen: ConnectionStatus;
  /** Whether the node serves the endpoint's kind. */
  readonly serves: boolean;
}

/** Of each placement of the endpoint, in the order of `endpoint.placements`. */
export async function placedOf(ctx: Context, endpoint: Endpoint): Promise<readonly Placed[]> {
  const own = await defaultNode(ctx.settings);
  return endpoint.placements.map((placement) => {
    const { nodeUuid, connectionStatus: set } = placement;
    if (nodeUuid === own.uuid) {
      const isHere = isReachable(ctx, { uuid: nodeUuid, unreachableAt: null });
      const seen = isHere ? 'available' : 'unavailable';
      const status = effective(set, seen);
      const kept = { node: own, row: undefined, name: DEFAULT_NODE_NAME, serves: true };
      return { placement, ...kept, status, seen };
    }
    const row = endpoint.nodes.find(({ uuid }) => uuid === nodeUuid);
    if (!row) {
      const gone = { node: undefined, row: undefined, name: null, serves: false } as const;
      return { placement, ...gone, status: 'unavailable', seen: 'unavailable' };
    }
    const seen = seenStatus(ctx, row);
    const status = effective(set, seen);
    const serves = row.kinds === null || row.kinds.includes(endpoint.row.kind);
    return { placement, node: nodeOf(row), row, name: row.name, status, seen, serves };
  });
}

/** How a registered node is, by its beats, by what others wrote of it and by what this isolate sees. */
export function seenStatus(ctx: PublicContext, row: NodeRow): ConnectionStatus {
  const { lastSeenAt: beat } = row;
  // What answered a call is heard, too.
  const lastSeenAt = beat === null ? null : Math.max(beat, lastAnswer(ctx, row));
  const status = statusOf({ ...row, lastSeenAt, unreachableAt: null }, ctx.now());
  if (status === 'unknown' || isReachable(ctx, row)) return status;
  return 'unavailable';
}
