/** Levels of keys: read from bodies, shown, and what giving them demands. Spec: keys-and-doors.md §1; contract §4. */
import { badRequest } from '../../proto/errors.ts';
import { demand, type Rights } from '../access/access.ts';
import { keySubject } from '../access/api-keys/identity.ts';
import { ENTITY_KINDS, type EntityKind } from '../access/explain.ts';
import type { Context } from '../context.ts';
import type { KeyLevel } from '../db/keys.ts';
import { demandGranting, grantedOn } from '../grants/grant.ts';
import { pluralOf, resourceNotFound } from '../grants/kinds.ts';
import { selectResourcesNamed } from '../grants/store.ts';
import { type Level, reaches } from '../levels.ts';
import { isUuid } from '../shapes/ids.ts';
import { visible } from '../shapes/visible.ts';
import type { RuleOfKey } from './changes/store.ts';
import { selectLevels } from './store.ts';

/** The three objects of a body: levels by id or UUID. */
type NamedLevels = {
  readonly [member in `${EntityKind}s`]?: Readonly<Record<string, Level>> | undefined;
};

/** Levels of a key on resources. */
type LevelsOnResources = Readonly<Record<EntityKind, readonly RuleOfKey[]>>;

/**
 * The levels that a body gives; of a kind that it does not name, those `before`.
 * @throws GatewayError 404 of the resource's sort, BAD_REQUEST for a resource that is named twice
 */
export async function levelsNamed(
  ctx: Context,
  body: NamedLevels,
  before: LevelsOnResources,
): Promise<LevelsOnResources> {
  const read = { ...before };
  for (const kind of ENTITY_KINDS) {
    const named = body[pluralOf(kind)];
    if (named !== undefined) read[kind] = await resolved(ctx, kind, named);
  }
  return read;
}

async function resolved(
  { db, caller }: Context,
  kind: EntityKind,
  named: Readonly<Record<string, Level>>,
): Promise<RuleOfKey[]> {
  const names = Object.keys(named);
  if (names.length === 0) return [];
  const keys = names.map((name) => (isUuid(name) ? name.toLowerCase() : name));
  const rows = await selectResourcesNamed(db, caller.orgUuid, kind, keys);
  const found = new Map(
    rows.flatMap(({ id, uuid }) => [[id, uuid] as const, [uuid, uuid] as const]),
  );
  const levels = Object.entries(named).map(([name, level], at): RuleOfKey => {
    const uuid = found.get(keys[at] ?? '');
    if (uuid === undefined) throw resourceNotFound(kind, visible(name));
    return { kind, uuid, level };
  });
  if (new Set(levels.map(({ uuid }) => uuid)).size < levels.length) {
    throw badRequest(pluralOf(kind), `names one ${kind} twice`);
  }
  return levels;
}

/** Before any body: no level on any resource. */
export const NO_LEVELS: LevelsOnResources = { endpoint: [], template: [], workflow: [] };

/** Levels on resources by id, of the keys of a page. */
export async function shownLevels(ctx: Context, uuids: readonly string[]) {
  const { db, caller } = ctx;
  const [endpoint, template, workflow] = await db.batch([
    selectLevels(db, caller.orgUuid, 'endpoint', uuids),
    selectLevels(db, caller.orgUuid, 'template', uuids),
    selectLevels(db, caller.orgUuid, 'workflow', uuids),
  ]);
  return { endpoint, template, workflow };
}

/** What a key has on resources now. */
export async function levelsNow(ctx: Context, uuid: string): Promise<LevelsOnResources> {
  const shown = await shownLevels(ctx, [uuid]);
  const of = (kind: EntityKind) =>
    shown[kind].map((each): RuleOfKey => ({ kind, uuid: each.uuid, level: each.level }));
  return { endpoint: of('endpoint'), template: of('template'), workflow: of('workflow') };
}

/** Levels as the audit gives them: `endpoints.<uuid>.Read`. */
export function toldLevels(
  own: { readonly accessLevel: Level | null; readonly levels?: readonly KeyLevel[] },
  rules: readonly RuleOfKey[],
): string[] {
  const { accessLevel, levels = [] } = own;
  const onResources = [...rules, ...levels].flatMap(({ kind, uuid, level }) =>
    kind === 'organization' ? [] : [`${pluralOf(kind)}.${uuid}.${level}`],
  );
  const onOrganization = rules.find(({ kind }) => kind === 'organization')?.level ?? accessLevel;
  return [...(onOrganization === null ? [] : [`access_level.${onOrganization}`]), ...onResources];
}

/** All levels of an organization's key as rules. */
export function rulesOf(
  { orgUuid }: Context['caller'],
  accessLevel: Level | null,
  levels: LevelsOnResources,
): RuleOfKey[] {
  const own: RuleOfKey[] =
    accessLevel === null ? [] : [{ kind: 'organization', uuid: orgUuid, level: accessLevel }];
  return [...own, ...ENTITY_KINDS.flatMap((kind) => levels[kind])];
}

/**
 * Demands what giving an organization's key these rules in the place of those needs: the same as
 * granting each one, those that stay and those that go included.
 * @throws GatewayError FORBIDDEN
 */
export async function demandGrantingAll(
  ctx: Context,
  rights: Rights,
  uuid: string,
  {
    before,
    after,
  }: { readonly before: readonly RuleOfKey[]; readonly after: readonly RuleOfKey[] },
): Promise<void> {
  // A SuperAdmin of the organization may grant anything in it.
  if (rights.held === 'SuperAdmin') {
    const isHigh = [...before, ...after].some(({ level }) => reaches(level, 'Admin'));
    rights.demands.push(demand({ ...rights, params: {} }, isHigh ? 'SuperAdmin' : 'Admin'));
    return;
  }
  const given = new Map(after.map((each) => [each.uuid, each.level]));
  const touched = new Map([...before, ...after].map((each) => [each.uuid, each.kind]));
  for (const [on, kind] of touched) {
    const isOrganization = kind === 'organization';
    const granted = await grantedOn(ctx, kind, isOrganization ? undefined : on);
    const change = {
      orgUuid: ctx.caller.orgUuid,
      scope: { kind, resourceUuid: on },
      entries: [[keySubject(uuid), given.get(on) ?? 'None']] as const,
    };
    rights.demands.push(await demandGranting(ctx, granted, change));
  }
}
