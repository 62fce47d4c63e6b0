/** A registered node as calls need it, and how it is by what is known of it. Spec: nodes.md §1, §3. */
import type { NodeRow } from '../db/nodes.ts';
import type { ConnectionStatus } from '../db/schema.ts';
import type { Node } from '../drivers/node.ts';

/** A node is taken to be gone when it was not heard for so many milliseconds. Spec: nodes.md §3 */
const UNHEARD_MAX_MS = 30_000;

/** What the runtime does with the host of a tunnel's URL is nothing. */
const TUNNEL_URL = 'http://node';

/** The node of a row; undefined until it is enrolled. */
export function nodeOf({ orgUuid, uuid, url, sealingKey }: NodeRow): Node | undefined {
  if (sealingKey === null) return undefined;
  return {
    uuid,
    url: url ?? TUNNEL_URL,
    publicKey: sealingKey,
    default: false,
    organization: orgUuid,
    tunnel: url === null,
  };
}

/** The node's own status, by its beats and by the calls to it. @param now Unix epoch milliseconds */
export function statusOf(row: NodeRow, now: number): ConnectionStatus {
  if (row.lastSeenAt === null) return 'unknown';
  if (row.unreachableAt !== null || now - row.lastSeenAt > UNHEARD_MAX_MS) return 'unavailable';
  return row.draining || row.stopping ? 'draining' : 'available';
}
