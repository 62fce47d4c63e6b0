/**
 * What is remembered between requests of the rights of a caller: so that a steady request makes no
 * trip to D1, and a change is in force for the next one. Contract §4, last point.
 */

import { LruMap } from '../../proto/lru-map.ts';
import type { Caller, Context, Database, Door, PublicContext } from '../context.ts';
import { readsOfReplica, takeReplicated } from '../db/replicas.ts';
import { effectiveLevel, type Level, reaches } from '../levels.ts';
import { compareKey, demandTaken } from './api-keys/caller.ts';
import { type KeyLimits, keyName, limitOn, limitOnUuid } from './api-keys/identity.ts';
import type { HeldOn } from './demand.ts';
import { authorGone } from './door/door.ts';
import type { EntityKind } from './explain.ts';
import { boundedLevel } from './external/identity.ts';
import { selectMembership, selectRules } from './store.ts';
import { tokenRevoked } from './tokens.ts';
import { weightOf } from './weight.ts';

/** The caller's rules that bear on one resource, and the organization's sealed data key. */
export interface Policy {
  readonly onOrganization: readonly Level[];
  readonly onResource: readonly Level[];
  /** The rules that these levels are of, for telling why. */
  readonly rules: readonly RuleInForce[];
  /** What the levels are held on. */
  readonly on: HeldOn;
  readonly caller: Caller;
  /** Of the author of a door: which. */
  readonly door?: Door | undefined;
  /** Of a key `key:<name>`, or `key:<owner>/<name>`. */
  readonly username: string;
  /** Whose rules these are: of a personal key its owner's username, else the same. */
  readonly account: string;
  /** Of a personal key: no rule gives more. */
  readonly limits?: KeyLimits | undefined;
  /** What these come to there. */
  readonly limit?: Level | undefined;
  readonly sealedDataKey: string;
}

interface Remembered {
  readonly value: unknown;
  readonly loadedAt: number;
  readonly orgUuid: string;
  readonly weight: number;
  refreshing: boolean;
}

/** Entries per isolate, and bytes of all together: each caller has entries of their own. */
const CAPACITY = { entries: 10_000, bytes: 32 * 1024 * 1024 };
const weights = { most: CAPACITY.bytes, of: ({ weight }: Remembered) => weight };
const known = new LruMap<string, Remembered>(CAPACITY.entries, weights);
/** Counts changes, so that what was loaded before a change is not remembered after it. */
let changes = 0;

/**
 * `load`'s answer for this caller and `key`, at most `POLICY_TTL_MS` old. In its second half an
 * entry is renewed after the reply, so that steady callers never wait.
 */
export async function remembered<Value>(
  ctx: Context,
  key: string,
  load: () => Promise<Value>,
): Promise<Value> {
  const { orgUuid } = ctx.caller;
  return rememberedAs(ctx, nameOf(ctx.caller, key), load, () => orgUuid);
}

/**
 * As `remembered`, of the caller's rights and what they are held on. With POLICY_FROM_REPLICAS a replica may answer, which is
 * a little behind; nothing else is read there.
 */
export async function rememberedRights<Value>(
  ctx: Context,
  key: string,
  load: (db: Database) => Promise<Value>,
): Promise<Value> {
  const { settings, env, db, caller } = ctx;
  // Where each request has to ask, it asks for what is in force.
  const isOn = settings.POLICY_FROM_REPLICAS === 'true' && settings.POLICY_TTL_MS > 0;
  if (!isOn) return remembered(ctx, key, () => load(db));
  return remembered(ctx, key, () => load(readsOfReplica(env, changes, nameOf(caller, key))));
}

/**
 * Forgets what a replica answered of the caller's rights, so that the primary is asked next: a replica does not have yet what
 * was made a moment ago.
 * @returns whether there was any
 */
export function forgetReplicated({ caller }: Context): boolean {
  const names = takeReplicated(nameOf(caller, ''));
  for (const name of names) known.delete(name);
  if (names.length > 0) changes += 1;
  return names.length > 0;
}

function nameOf({ orgUuid, userUuid, external, key: apiKey }: Caller, key: string): string {
  return `${orgUuid}:${external?.digest ?? apiKey?.digest ?? userUuid}:${key}`;
}

/** As `remembered`, of what bears on no caller: its value reports whose it is. What is not there is not remembered. */
export async function rememberedOf<Value extends { readonly orgUuid: string }>(
  ctx: PublicContext,
  key: string,
  load: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  return rememberedAs(ctx, `:${key}`, load, (value) => value?.orgUuid);
}

/** @param ownerOf the organization of a value; undefined where it is not to be remembered */
async function rememberedAs<Value>(
  ctx: PublicContext,
  name: string,
  load: () => Promise<Value>,
  ownerOf: (value: Value) => string | undefined,
): Promise<Value> {
  const entry = known.get(name);
  const age = entry ? ctx.now() - entry.loadedAt : Number.POSITIVE_INFINITY;
  if (!entry || age >= ctx.settings.POLICY_TTL_MS || age < 0) {
    return renew(ctx, name, load, ownerOf);
  }
  if (age > ctx.settings.POLICY_TTL_MS / 2 && !entry.refreshing) {
    entry.refreshing = true;
    ctx.afterReply(renew(ctx, name, load, ownerOf).catch(() => known.delete(name)));
  }
  return entry.value as Value; // Each key has one loader.
}

/** Forgets what is remembered of one organization, and of callers in it. */
export function forgetOrganization(orgUuid: string): void {
  changes += 1;
  known.deleteWhere((entry) => entry.orgUuid === orgUuid);
}

/** Forgets everything: a change of an account bears on all its organizations. */
export function forgetAll(): void {
  changes += 1;
  known.clear();
}

/**
 * The caller's rules on the organization alone.
 * @throws GatewayError TOKEN_REVOKED
 */
export async function policyOn(ctx: Context): Promise<Policy> {
  const read = await rememberedRights(ctx, 'organization', async (db) => {
    const [standing, rules] = await db.batch([
      selectMembership(db, ctx.caller),
      selectRules(db, ctx.caller),
    ]);
    return { standing, rules };
  });
  return policyOf(ctx, read.standing, read.rules);
}

/** A row of `selectStanding`. */
export type MembershipRow = Awaited<ReturnType<typeof selectMembership>>[number];
/** A row of `selectRules`. */
export type Rule = Awaited<ReturnType<typeof selectRules>>[number];

/** A rule with the level that it gives the caller. */
interface RuleInForce extends Rule {
  /** What it would give, where the bound of the caller's issuer is lower. */
  readonly granted?: Level;
}

/**
 * The policy that rows give the caller.
 * @param on what the rules bear on besides the organization, if there is something
 * @throws GatewayError FORBIDDEN when the author of a door is no longer a member; TOKEN_REVOKED when the caller is not, or became one or changed password or username after the token was issued; when a key is gone, or used from elsewhere; TOKEN_EXPIRED of a key
 */
export function policyOf(
  { caller, door, address, now }: Context,
  [standing]: readonly MembershipRow[],
  given: readonly Rule[],
  on: HeldOn = { kind: 'organization', uuid: caller.orgUuid },
): Policy {
  if (!standing || isOld(standing, caller, door)) {
    throw door ? authorGone(door, caller.userUuid) : tokenRevoked();
  }
  const { account, keyName: name, key } = standing;
  const limits = key && caller.key?.owner !== undefined ? key : undefined;
  const shownKey = name === null ? undefined : keyName(name, limits && account);
  if (key && caller.key?.digest !== undefined) {
    demandTaken(key, address, now());
    compareKey(caller, shownKey ?? account, key);
  }
  const rules = given.map((rule) => inForce(caller, rule));
  const levels = (onOrganization: boolean) =>
    rules
      .filter((rule) => (rule.resourceUuid === caller.orgUuid) === onOrganization)
      .map((rule) => rule.level);
  return {
    onOrganization: levels(true),
    onResource: levels(false),
    rules,
    on,
    caller,
    door,
    username: shownKey ?? account,
    account: limits ? account : (shownKey ?? account),
    limits,
    limit: limitOn(limits, on),
    sealedDataKey: standing.sealedDataKey,
  };
}

/** Whether the caller's token is void. The author of a door acts without one. */
function isOld({ validFrom }: MembershipRow, { issuedAt }: Caller, door: Door | undefined) {
  return door === undefined && validFrom > issuedAt;
}

/** The caller's level on each resource that a rule of theirs, or a level in their personal key, is on; on others they have that on the organization. */
export function levelsByRules(policy: Policy, onKind: readonly Rule[]): ReadonlyMap<string, Level> {
  const { onOrganization, limits } = policy;
  return new Map(
    resourcesWith(policy, onKind).map(({ uuid, rules }) => {
      const onResource = rules.map(({ level }) => level);
      const limit = limitOnUuid(limits, uuid);
      return [uuid, effectiveLevel({ onOrganization, onResource, limit })];
    }),
  );
}

/** Resources that the caller's rules are on; a personal key may have more on one without a rule than on the organization. */
function resourcesWith({ caller, limits }: Policy, onKind: readonly Rule[], kind?: EntityKind) {
  const byResource = Map.groupBy(
    onKind.map((rule) => inForce(caller, rule)),
    (rule) => rule.resourceUuid,
  );
  const named = (limits?.levels ?? []).filter((each) => kind === undefined || each.kind === kind);
  const uuids = new Set([...byResource.keys(), ...named.map(({ uuid }) => uuid)]);
  return [...uuids].map((uuid) => ({ uuid, rules: byResource.get(uuid) ?? [] }));
}

/**
 * The policy of a caller who does not have that level on the organization, but a rule on one of its resources
 * that gives it: enough for what acts on those only.
 */
export function widened(
  policy: Policy,
  needed: Level,
  onKind: readonly Rule[],
  kind?: EntityKind,
): Policy {
  if (reaches(effectiveLevel(policy), needed)) return policy;
  const { onOrganization, limits } = policy;
  for (const { uuid, rules } of resourcesWith(policy, onKind, kind)) {
    const onResource = rules.map(({ level }) => level);
    const limit = limitOnUuid(limits, uuid);
    if (reaches(effectiveLevel({ onOrganization, onResource, limit }), needed)) {
      return { ...policy, onResource, limit, rules: [...policy.rules, ...rules] };
    }
  }
  return policy;
}

/**
 * The rights of a caller on the rules of a resource: they are changed by Admins of the organization, and by
 * Admins of the resource. A rule on the resource gives there, but takes nothing away. Contract §4.
 */
export function administering(policy: Policy): Policy {
  const alone = onOrganizationAlone(policy);
  return reaches(effectiveLevel(policy), effectiveLevel(alone)) ? policy : alone;
}

/** The caller's policy on the organization, without rules on its resources. */
export function onOrganizationAlone(policy: Policy): Policy {
  const rules = policy.rules.filter(({ resourceKind }) => resourceKind === 'organization');
  return { ...policy, onResource: [], rules };
}

function inForce(caller: Caller, rule: Rule): RuleInForce {
  const level = boundedLevel(caller, rule.level);
  return level === rule.level ? rule : { ...rule, level, granted: rule.level };
}

async function renew<Value>(
  ctx: PublicContext,
  name: string,
  load: () => Promise<Value>,
  ownerOf: (value: Value) => string | undefined,
): Promise<Value> {
  const before = changes;
  const loadedAt = ctx.now();
  const value = await load();
  const orgUuid = ownerOf(value);
  if (orgUuid === undefined) known.delete(name);
  else if (before === changes) {
    known.set(name, { value, loadedAt, orgUuid, weight: weightOf(value), refreshing: false });
  }
  return value;
}
