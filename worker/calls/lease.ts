/** A backend connection of a caller's own. Contract §6, "Sessions". */
import * as z from 'zod';
import { TIMEOUT_DEFAULT_MS } from '../../kinds/members.ts';
import { badRequest, GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import { startDeadline, withinDeadline } from '../drivers/deadline.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { Outcome } from '../outcome.ts';
import { type SealingContext, seal, unsealForeign } from '../secrets/seal.ts';
import { timestamp } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import type { HeldLease } from './backend/backend.ts';
import { backendOf, sessionNotFound } from './backend/choose.ts';

/** Header that names the session a request runs in. */
export const SESSION_HEADER = 'X-Session-Id';

/** What a session id holds, sealed. */
const Lease = z.strictObject({
  node: z.string(),
  /** The relay's own name for it. */
  relayId: z.string(),
  endpoint: z.string(),
  user: z.string(),
  /** The pool's; what raises it closes the connections. */
  revision: z.int(),
  /** Unix epoch milliseconds. */
  expiresAt: z.number(),
});
type Lease = z.infer<typeof Lease>;

/** What opening a session answers. */
export const OpenedSession = z
  .strictObject({
    session_id: z.string().meta({
      description: 'Send it as `X-Session-Id` on `/read` and `/write`; nobody else can use it',
      examples: [SAMPLE.session],
    }),
    expires: timestamp(
      'When it ends, used or not; without a request it ends after 30 s',
      '2026-03-10T09:35:00.000Z',
    ),
  })
  .meta({
    id: 'OpenedSession',
    description: 'A connection of your own to the backend',
    examples: [{ session_id: SAMPLE.session, expires: '2026-03-10T09:35:00.000Z' }],
  });
export type OpenedSession = z.infer<typeof OpenedSession>;

/** What closing a session answers. */
export const ClosedSession = z
  .strictObject({
    closed: z.literal(true).meta({ description: 'Always true: else it is an error' }),
  })
  .meta({
    id: 'ClosedSession',
    description: 'The session has ended; what was not committed is rolled back',
    examples: [{ closed: true }],
  });
export type ClosedSession = z.infer<typeof ClosedSession>;

/**
 * Leases a connection for the caller.
 * @throws GatewayError SESSIONS_EXHAUSTED, NOT_SUPPORTED for kinds without, and what a call may end in
 */
export async function openLease(ctx: Context, endpoint: Endpoint): Promise<Outcome> {
  const backend = await backendOf(ctx, endpoint, 'write');
  const deadline = startDeadline(ctx, TIMEOUT_DEFAULT_MS, backend.keepsTime);
  const { node, leaseId, expiresAt } = await withinDeadline(deadline, (own) => backend.lease(own));
  const lease: Lease = {
    node,
    relayId: leaseId,
    endpoint: backend.target.endpoint,
    user: ctx.caller.userUuid,
    revision: backend.target.revision,
    expiresAt,
  };
  const opened: OpenedSession = {
    session_id: await seal(sealingContext(ctx, endpoint), JSON.stringify(lease)),
    expires: new Date(expiresAt).toISOString(),
  };
  return new Outcome(opened, backend);
}

/**
 * Ends a session; what was not committed is rolled back.
 * @throws GatewayError SESSION_NOT_FOUND
 */
export async function closeLease(
  ctx: Context,
  endpoint: Endpoint,
  sessionId: string,
): Promise<Outcome> {
  const held = await findLease(ctx, endpoint, sessionId);
  const backend = await backendOf(ctx, endpoint, 'write', held);
  const deadline = startDeadline(ctx, TIMEOUT_DEFAULT_MS, backend.keepsTime);
  const found = await withinDeadline(deadline, (own) => backend.endLease(held.leaseId, own));
  if (!found) throw sessionNotFound();
  return new Outcome({ closed: true } satisfies ClosedSession, backend);
}

/** @throws GatewayError BAD_REQUEST for a request in a session, where `what` has a connection of its own */
export function refuseSession(session: string | undefined, what: string): void {
  if (session === undefined) return;
  const message = `is not for ${what}: they have a connection of their own`;
  throw badRequest(SESSION_HEADER, message);
}

/**
 * The connection that a session id stands for, of this caller on this endpoint.
 * @throws GatewayError SESSION_NOT_FOUND
 */
export async function findLease(
  ctx: Context,
  endpoint: Endpoint,
  sessionId: string,
): Promise<HeldLease> {
  const { row } = endpoint;
  const opened = await unsealForeign(sealingContext(ctx, endpoint), sessionId);
  const lease = opened === undefined ? undefined : Lease.parse(JSON.parse(opened));
  const isCallers = lease?.user === ctx.caller.userUuid;
  if (isCallers && lease.endpoint !== row.uuid) throw ofAnotherEndpoint();
  const isOpen = isCallers && lease.revision === row.poolRevision && lease.expiresAt > ctx.now();
  if (!isOpen) throw sessionNotFound();
  return { leaseId: lease.relayId, node: lease.node };
}

function ofAnotherEndpoint(): GatewayError {
  const message = 'The session was opened on another endpoint, and belongs to that one alone';
  return new GatewayError('SESSION_NOT_FOUND', message);
}

function sealingContext(ctx: Context, { policy }: Endpoint): SealingContext {
  const { settings, caller } = ctx;
  const { sealedDataKey } = policy;
  return { settings, orgUuid: caller.orgUuid, sealedDataKey, purpose: 'session' };
}
