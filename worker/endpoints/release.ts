/** Has relays, and this isolate, forget what they know of an endpoint. */
import type { PublicContext } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { EndpointRow } from '../db/schema.ts';
import { startDeadline } from '../drivers/deadline.ts';
import { forgetEdgeClients } from '../drivers/edge/clients.ts';
import type { Node } from '../drivers/node.ts';
import { callRelay } from '../drivers/relay.ts';
import { defaultNode } from '../nodes/default-node.ts';
import { nodeOf } from '../nodes/registered.ts';

/** Milliseconds that a relay has to answer. */
const RELEASE_TIMEOUT_MS = 10_000;

/**
 * Closes an endpoint's connections on its nodes; those of `keepRevision` stay, 0 closes all. For
 * `afterReply`: it goes on when the client has gone.
 * @throws GatewayError NODE_UNAVAILABLE, TIMED_OUT: a relay that is gone has none to close
 */
export async function releaseEndpoint(
  ctx: PublicContext,
  { row, nodes = [] }: { readonly row: Released; readonly nodes?: readonly NodeRow[] },
  keepRevision = 0,
): Promise<void> {
  forgetEdgeClients(row.uuid, keepRevision);
  if (!mayBeAtRelay(row)) return;
  const own = nodes.flatMap((each) => nodeOf(each) ?? []);
  // What a node of the organization does not hear, it closes by itself when it is idle.
  await Promise.allSettled(own.map((node) => releaseOn(ctx, node, row, keepRevision)));
  await releaseOn(ctx, await defaultNode(ctx.settings), row, keepRevision);
}

async function releaseOn(ctx: PublicContext, node: Node, row: Released, keepRevision: number) {
  const detached = { ...ctx, signal: new AbortController().signal };
  const deadline = startDeadline(detached, RELEASE_TIMEOUT_MS);
  const subject = { organization: row.orgUuid, endpoint: row.uuid };
  const nodes = [node];
  const plan = { nodes, subject, writes: false, deadline, timing: {}, connection: noConnection };
  const request = { endpoint: row.uuid, keepRevision: BigInt(keepRevision) };
  try {
    await callRelay(detached, plan, ({ relay, options }) => relay.release(request, options));
  } finally {
    deadline.end();
  }
}

/** An endpoint; without `transports` it is unknown what reached its backend. */
type Released = Pick<EndpointRow, 'uuid' | 'orgUuid'> & Partial<Pick<EndpointRow, 'transports'>>;

/** Whether a relay was ever asked for one of its connections. */
function mayBeAtRelay({ transports }: Released): boolean {
  return !transports || Object.values(transports).some((chosen) => chosen !== 'edge');
}

function noConnection(): Promise<never> {
  return Promise.reject(new Error('To close connections none is needed'));
}
