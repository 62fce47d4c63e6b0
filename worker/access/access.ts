/** Who may call a route, and what the route acts on. */
import { type ErrorCode, GatewayError } from '../../proto/errors.ts';
import type { Context } from '../context.ts';
import { effectiveLevel, type Level, reaches } from '../levels.ts';
import { visible } from '../shapes/visible.ts';
import { ruledSubject } from './api-keys/identity.ts';
import type { Demand } from './demand.ts';
import { authorLowered } from './door/door.ts';
import { ENTITY_KINDS, type Entity, explain, type Question } from './explain.ts';
import {
  forgetReplicated,
  type Policy,
  policyOf,
  policyOn,
  rememberedRights,
  widened,
} from './policy.ts';
import {
  type ByDefault,
  selectMembership,
  selectResourceRules,
  selectRules,
  selectRulesOnKind,
} from './store.ts';

/** What `Access.find` answers: the resource, and the caller's rules that apply to it. */
export interface Authorization<Resource> {
  readonly resource: Resource;
  readonly policy: Policy;
  /** What `find` has demanded beyond the route's own level. */
  readonly demands?: readonly Demand[];
}

/**
 * A route's demand. `Public` routes carry no token; `Member` ones need a valid token and nothing
 * else; the others a level, held on what `find` loads.
 */
export interface Access<Params, Resource> {
  readonly level: Level | 'Public' | 'Member';
  /** What `find` can answer, besides TOKEN_REVOKED and what a level that is too low is answered. */
  readonly errors: readonly ErrorCode[];
  /** A rule that gives the level on anything in the organization is enough. */
  readonly anything?: true;
  /**
   * Loads the resource within the caller's organization and the caller's rules, in one trip to
   * D1 or none.
   * @throws GatewayError 404 of the resource's sort
   */
  find(ctx: Context, params: Params): Promise<Authorization<Resource>>;
}

/** Access of routes that carry no token; `find` is never called. */
export const anyone: Access<unknown, undefined> = {
  level: 'Public',
  errors: [],
  find() {
    throw new Error('A public route has no caller to look up');
  },
};

/** Demands a token of a user who still is a member; no rule is needed. */
export const anyMember: Access<unknown, undefined> = {
  level: 'Member',
  errors: [],
  find: async (ctx) => ({ resource: undefined, policy: await policyOn(ctx) }),
};

/** Demands `level` on the caller's own organization. */
export function onOrganization(level: Level): Access<unknown, undefined> {
  return { level, errors: [], find: anyMember.find };
}

/**
 * Demands `level` on the caller's own organization, or a rule on anything in it that gives it.
 * Contract §4.
 */
export function onAnything(level: Level): Access<unknown, undefined> {
  return {
    level,
    errors: [],
    anything: true,
    async find(ctx) {
      const { caller } = ctx;
      const read = await rememberedRights(ctx, 'anything', async (db) => {
        const [standing, rules, onResources] = await db.batch([
          selectMembership(db, caller),
          selectRules(db, caller),
          selectResourceRules(db, caller),
        ]);
        return { standing, rules, onResources };
      });
      const policy = policyOf(ctx, read.standing, read.rules);
      return { resource: undefined, policy: widened(policy, level, read.onResources) };
    },
  };
}

/** What a list of resources needs to know of its caller. */
export interface Readable {
  readonly byDefault: ByDefault;
  readonly policy: Policy;
}

/**
 * Demands Read on the organization, or a rule on a resource of the kind that gives it: a caller who
 * has only the latter gets a list of those. Contract §4.
 */
export function onListOf(kind: 'endpoint' | 'template' | 'workflow'): Access<unknown, Readable> {
  return {
    level: 'Read',
    errors: [],
    async find(ctx) {
      const { caller } = ctx;
      const read = await rememberedRights(ctx, `${kind}s`, async (db) => {
        const [standing, rules, onKind] = await db.batch([
          selectMembership(db, caller),
          selectRules(db, caller),
          selectRulesOnKind(db, caller, kind),
        ]);
        return { standing, rules, onKind };
      });
      const policy = policyOf(ctx, read.standing, read.rules);
      const readable = { byDefault: byDefaultOf(policy), policy };
      return { resource: readable, policy: widened(policy, 'Read', read.onKind, kind) };
    },
  };
}

/** The rights of the caller of a policy on the organization to its resources. */
export function byDefaultOf({ onOrganization, limits }: Policy): ByDefault {
  return { level: effectiveLevel({ onOrganization, onResource: [] }), limits };
}

/** The level in force, and what says why it is. */
export interface HeldLevel {
  readonly held: Level;
  readonly policy: Policy;
  /** As a path has them: `{endpoint: 'orders'}` names what is acted on. */
  readonly params: unknown;
}

/** A caller's level, and the demands on it so far; a later demand is added. */
export interface Rights extends HeldLevel {
  readonly demands: Demand[];
}

/** What a route acts on, and the caller's rights there. */
export interface Authorized<Resource> extends Omit<Rights, 'params'> {
  readonly resource: Resource;
}

/**
 * Loads what the route acts on. Nobody is refused by what a replica of D1 does not have yet.
 * @throws GatewayError FORBIDDEN naming the level needed, TOKEN_REVOKED, 404 of the resource's sort
 */
export async function authorize<Params, Resource>(
  ctx: Context,
  access: Access<Params, Resource>,
  params: Params,
): Promise<Authorized<Resource>> {
  try {
    return await decide(ctx, access, params);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || !forgetReplicated(ctx)) throw thrown;
    return decide(ctx, access, params);
  }
}

async function decide<Params, Resource>(
  ctx: Context,
  access: Access<Params, Resource>,
  params: Params,
): Promise<Authorized<Resource>> {
  const { resource, policy, demands = [] } = await access.find(ctx, params);
  const held = effectiveLevel(policy);
  const all = [...demands];
  if (access.level !== 'Member' && access.level !== 'Public') {
    const own = demand({ held, policy, params }, access.level);
    // Demanded again by its UUID: by then the path may name another.
    if (policy.on.kind !== 'organization') all.push(own);
  }
  return { resource, held, policy, demands: all };
}

/**
 * Refuses a level that is too low, and says why it is no higher. The one way to demand a right
 * beyond a route's own: the caller adds what it returns to the demands of the call, which are
 * looked at again before its reply is told again.
 * @throws GatewayError FORBIDDEN with an `Explanation` as its one detail; of the author of a door, naming them
 */
export function demand(standing: HeldLevel, needed: Level): Demand {
  const { held, policy, params } = standing;
  const { door, username } = policy;
  const by = door && { kind: door.kind, id: door.id, uuid: policy.caller.userUuid, username };
  if (reaches(held, needed)) {
    return { on: policy.on, named: textsOf(params), level: needed, ...(by && { by }) };
  }
  if (door) {
    throw authorLowered(door, {
      author: visible(username),
      held,
      needed,
      place: placeOf(standing),
    });
  }
  const message = `This operation needs ${needed} access on ${placeOf(standing)}`;
  throw new GatewayError('FORBIDDEN', message, {
    details: [{ ...explain(questionOf(standing, needed)) }],
  });
}

/** What the level is missing on, by the name that the caller gave it. */
function placeOf({ policy, params }: HeldLevel): string {
  const entity = entityIn(params);
  return policy.on.kind === 'organization' || entity === undefined
    ? 'the organization'
    : `${entity.kind} ${visible(entity.id)}`;
}

/** A caller's own rules, as the caller may see them. */
export function questionOf({ policy, params }: Omit<HeldLevel, 'held'>, needed: Level): Question {
  const { caller, limit } = policy;
  const own = ruledSubject(caller);
  const account = visible(policy.account);
  const rules = policy.rules.map(({ resourceKind, subject, level, granted }) => ({
    ...(resourceKind === 'organization' ? {} : { kind: resourceKind }),
    subject: subject === own ? account : visible(subject),
    level,
    ...(granted === undefined ? {} : { granted }),
  }));
  const subjects = grantable(policy, needed);
  const bound =
    limit === undefined ? {} : { limit: { level: limit, key: visible(policy.username) } };
  return { rules, needed, subjects, entity: entityIn(params), ...bound };
}

/** Who may be given `needed`: the user, or groups of an external user whose issuer may give it. */
function grantable({ caller: { external }, account }: Policy, needed: Level): readonly string[] {
  if (!external) return [visible(account)];
  return reaches(external.maxLevel, needed) ? external.groups : [];
}

function entityIn(params: unknown): Entity | undefined {
  const named = textsOf(params);
  for (const kind of ENTITY_KINDS) {
    const id = named[kind];
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}

function textsOf(params: unknown): Readonly<Record<string, string>> {
  if (typeof params !== 'object' || params === null) return {};
  return Object.fromEntries(
    Object.entries(params).filter((each): each is [string, string] => typeof each[1] === 'string'),
  );
}
