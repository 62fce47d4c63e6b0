/** Who may call a route, and what the route acts on. */
import { GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import { effectiveLevel, type Level, reaches } from './levels.ts';
import { type Policy, policyOn } from './policy.ts';

/** What `Access.find` answers: the resource, and the rules of the caller that bear on it. */
export interface Found<Resource> {
  readonly resource: Resource;
  readonly policy: Policy;
}

/**
 * A route's demand. `Public` routes carry no token; `Member` ones need a valid token and nothing
 * else; the others a level, held on what `find` loads.
 */
export interface Access<Params, Resource> {
  readonly level: Level | 'Public' | 'Member';
  /**
   * Loads the resource within the caller's organization and the caller's rules, in one trip to
   * D1 or none.
   * @throws GatewayError 404 of the resource's sort
   */
  find(ctx: Context, params: Params): Promise<Found<Resource>>;
}

/** Access of routes that carry no token; `find` is never called. */
export const anyone: Access<unknown, undefined> = {
  level: 'Public',
  find() {
    throw new Error('A public route has no caller to look up');
  },
};

/** Demands a token of a user who still is a member; no rule is needed. */
export const anyMember: Access<unknown, undefined> = {
  level: 'Member',
  find: async (ctx) => ({ resource: undefined, policy: await policyOn(ctx) }),
};

/** Demands `level` on the caller's own organization. */
export function onOrganization(level: Level): Access<unknown, undefined> {
  return { level, find: anyMember.find };
}

/** What a route acts on, and the level in force there. */
export interface Authorized<Resource> {
  readonly resource: Resource;
  readonly held: Level;
}

/**
 * Loads what the route acts on.
 * @throws GatewayError FORBIDDEN naming the level needed, TOKEN_REVOKED, 404 of the resource's sort
 */
export async function authorize<Params, Resource>(
  ctx: Context,
  access: Access<Params, Resource>,
  params: Params,
): Promise<Authorized<Resource>> {
  const { resource, policy } = await access.find(ctx, params);
  const held = effectiveLevel(policy);
  if (access.level !== 'Member' && access.level !== 'Public') demand(held, access.level);
  return { resource, held };
}

/**
 * Refuses a level that is too low.
 * @throws GatewayError FORBIDDEN
 */
export function demand(held: Level, needed: Level): void {
  if (!reaches(held, needed)) {
    throw new GatewayError('FORBIDDEN', `This operation needs ${needed} access`);
  }
}
