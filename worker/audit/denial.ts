/** Entries of refusals: whom, what, why. Written after the reply. */
import { errors } from 'jose';
import { ERRORS, GatewayError } from '../../proto/errors.ts';
import { authenticate } from '../access/authenticate.ts';
import type { Context, PublicContext } from '../context.ts';
import { isUuid } from '../http/ids.ts';
import type { AnyRoute } from '../http/route.ts';
import { actionOf } from './action.ts';
import { type Actor, actorOf, recordAfterReply } from './record.ts';

/**
 * Records a reply of 403, and of 401 where the token tells the organization: one that has
 * expired or was revoked. A refused login is recorded where it is refused.
 */
export function recordDenial(
  open: PublicContext,
  route: AnyRoute,
  params: Readonly<Record<string, string>>,
  thrown: unknown,
): void {
  if (!(thrown instanceof GatewayError) || route.access.level === 'Public') return;
  const { status } = ERRORS[thrown.code];
  if (status === 401 || status === 403) open.afterReply(record(open, route, params, thrown));
}

async function record(
  open: PublicContext,
  route: AnyRoute,
  params: Readonly<Record<string, string>>,
  refusal: GatewayError,
): Promise<void> {
  const actor = expiredActor(refusal) ?? (await authenticatedActor(open, refusal));
  if (actor === undefined) return;
  const resource =
    refusal.code === 'FORBIDDEN' || refusal.code === 'QUOTA_EXCEEDED'
      ? await resourceOf(open, route, params)
      : undefined;
  recordAfterReply(open, actor, {
    action: actionOf(route),
    resource: resource ?? `organization:${actor.orgUuid}`,
    outcome: 'denied',
    details: { code: refusal.code },
  });
}

/** Of a token that was ours and has expired: its signature was verified before its time was. */
function expiredActor({ code, cause }: GatewayError): Actor | undefined {
  if (code !== 'TOKEN_EXPIRED' || !(cause instanceof errors.JWTExpired)) return undefined;
  const { org_uuid, user_id, user_uuid } = cause.payload;
  if (typeof org_uuid !== 'string' || typeof user_id !== 'string') return undefined;
  return {
    orgUuid: org_uuid,
    username: user_id,
    ...(typeof user_uuid === 'string' ? { uuid: user_uuid } : {}),
  };
}

async function authenticatedActor(
  open: PublicContext,
  { code }: GatewayError,
): Promise<Actor | undefined> {
  // Verifying such a token again would end the same way, and may ask its issuer for keys.
  if (code === 'TOKEN_INVALID' || code === 'TOKEN_REQUIRED') return undefined;
  try {
    return actorOf(await authenticate(open, open.request.headers.get('Authorization')));
  } catch {
    return undefined; // No token that tells an organization.
  }
}

/** The resource by its UUID, as it was found a moment ago; else as the caller named it. */
async function resourceOf(
  open: PublicContext,
  route: AnyRoute,
  params: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const [name, named] = Object.entries(params)[0] ?? [];
  if (name === undefined || named === undefined) return undefined;
  try {
    const caller = await authenticate(open, open.request.headers.get('Authorization'));
    const ctx: Context = { ...open, caller };
    const parsed: unknown = route.params.parse(params);
    const { resource } = await route.access.find(ctx, parsed);
    return `${name}:${uuidOf(resource) ?? named}`;
  } catch {
    return `${name}:${named}`;
  }
}

function uuidOf(resource: unknown): string | undefined {
  if (typeof resource !== 'object' || resource === null) return undefined;
  if ('uuid' in resource && typeof resource.uuid === 'string' && isUuid(resource.uuid)) {
    return resource.uuid;
  }
  return 'row' in resource ? uuidOf(resource.row) : undefined;
}
