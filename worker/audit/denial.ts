/** Entries of refusals: whose, of what, why. Written after the reply. */
import { errors } from 'jose';
import { ERRORS, type GatewayError } from '../../proto/errors.ts';
import type { Demand } from '../access/demand.ts';
import type { Context, PublicContext } from '../context.ts';
import { isForeign } from '../drivers/foreign-failures.ts';
import type { AnyRoute } from '../route.ts';
import { isUuid } from '../shapes/ids.ts';
import { actionOf } from './action.ts';
import { type Actor, actorOf, recordAfterReply } from './record.ts';

/** A call that was refused, and what was demanded before. */
interface RefusedCall {
  readonly result: GatewayError;
  readonly demands: readonly Demand[];
}

/**
 * Records a refusal with 403, and with 401 where the token says the organization: one that has
 * expired or was revoked. A refused login is recorded where it is refused; what an organization's own node says is no refusal of ours.
 * @param ctx without a caller where none was found
 */
export function recordDenial(
  ctx: PublicContext | Context,
  route: AnyRoute,
  params: Readonly<Record<string, string>>,
  { result: refusal, demands }: RefusedCall,
): void {
  if (route.access.level === 'Public' || isForeign(refusal)) return;
  const { status } = ERRORS[refusal.code];
  if (status === 401 || status === 403)
    ctx.afterReply(record(ctx, route, params, { result: refusal, demands }));
}

async function record(
  ctx: PublicContext | Context,
  route: AnyRoute,
  params: Readonly<Record<string, string>>,
  { result: refusal, demands }: RefusedCall,
): Promise<void> {
  const actor = 'caller' in ctx ? actorOf(ctx.caller) : expiredActor(refusal);
  if (actor === undefined) return;
  const isNamed = refusal.code === 'FORBIDDEN' || refusal.code === 'QUOTA_EXCEEDED';
  const resource = isNamed && 'caller' in ctx ? await resourceOf(ctx, route, params) : undefined;
  recordAfterReply(ctx, actor, {
    action: actionOf(route),
    resource: resource ?? `organization:${actor.orgUuid}`,
    outcome: 'denied',
    details: { code: refusal.code, author: authorIn(refusal, demands) },
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

/** The resource by its UUID, as it was found a moment ago; else as the caller named it. */
async function resourceOf(
  ctx: Context,
  route: AnyRoute,
  params: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const [name, named] = Object.entries(params)[0] ?? [];
  if (name === undefined || named === undefined) return undefined;
  try {
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

/** The author whose rights the call had, or did not have enough of. */
function authorIn({ details }: GatewayError, demands: readonly Demand[]): string | undefined {
  const refused = details.find((each) => 'rule' in each && each.rule === 'run_as');
  if (refused && 'author' in refused && typeof refused.author === 'string') return refused.author;
  return demands.findLast(({ by }) => by !== undefined)?.by?.username;
}
