/** Endpoints as the log reaches them: as they were when a transaction began, and as they are now. Spec: transactions.md §3. */
import type { Policy } from '../../access/policy.ts';
import { backendOf } from '../../calls/backend/choose.ts';
import { RelayBackend } from '../../calls/backend/relay.ts';
import { Shares } from '../../calls/backend/shares.ts';
import type { LogOwner } from '../../calls/transactions/object.ts';
import type { HeldShare } from '../../calls/transactions/taking-part.ts';
import { type Bindings, type Context, openContext } from '../../context.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import type { Endpoint } from '../../endpoints/access.ts';
import { selectEndpoint, selectEndpointUuid } from '../../endpoints/store.ts';
import { selectPlacedNodes, selectPlacements } from '../../nodes/store.ts';

/** A context that never was a request: of the log itself, which asks no rights. */
export function contextOfLog(
  env: Bindings,
  { orgUuid, orgId }: LogOwner,
  requestId: string,
  waitUntil: (work: Promise<unknown>) => void,
): Context {
  const open = openContext({
    signal: new AbortController().signal,
    env,
    outside: { now: Date.now, fetch: (request) => fetch(request) },
    requestId,
    address: 'log of transactions',
    waitUntil,
  });
  const now = Date.now();
  const times = { issuedAt: now, loginAt: now, expiresAt: Number.MAX_SAFE_INTEGER };
  return { ...open, caller: { userUuid: orgUuid, userId: 'gateway', orgUuid, orgId, ...times } };
}

type StoredEndpoint = Omit<Endpoint, 'policy'>;

/** The endpoint as it was, from what the log keeps. */
export function endpointWas(ctx: Context, owner: LogOwner, snapshot: string): Endpoint {
  return withPolicy(ctx, owner, JSON.parse(snapshot) as StoredEndpoint); // As it was announced.
}

/** The endpoint as it is; undefined where it was deleted. */
export async function endpointIs(
  ctx: Context,
  owner: LogOwner,
  uuid: string,
): Promise<Endpoint | undefined> {
  const { db } = ctx;
  const { orgUuid } = owner;
  const named = selectEndpointUuid(db, orgUuid, { uuid });
  const [[row], placements, nodes] = await db.batch([
    selectEndpoint(db, orgUuid, { uuid }),
    selectPlacements(db, orgUuid, named),
    selectPlacedNodes(db, orgUuid, named),
  ]);
  return row && withPolicy(ctx, owner, { row, placements, nodes });
}

function withPolicy(
  { caller }: Context,
  { sealedDataKey }: LogOwner,
  found: StoredEndpoint,
): Endpoint {
  const policy: Policy = {
    ...{ onOrganization: [], onResource: [], rules: [], caller, username: caller.userId },
    account: caller.userId,
    on: { kind: 'endpoint', uuid: found.row.uuid },
    sealedDataKey,
  };
  return { ...found, policy };
}

/** Ends what a share holds open at its node, which counts as a session there. Answers whether it was there. */
export async function closeHeld(
  ctx: Context,
  endpoint: Endpoint,
  { node, session }: HeldShare,
  deadline: Deadline,
): Promise<boolean> {
  const backend = await backendOf(ctx, endpoint, 'write', { leaseId: session, node });
  return backend instanceof RelayBackend && new Shares(backend).closeBegun(session, deadline);
}

/** Its shares; undefined where the edge itself speaks to it. @throws GatewayError NODE_UNAVAILABLE and its like */
export async function sharesOn(ctx: Context, endpoint: Endpoint): Promise<Shares | undefined> {
  const backend = await backendOf(ctx, endpoint, 'write');
  return backend instanceof RelayBackend ? new Shares(backend) : undefined;
}
