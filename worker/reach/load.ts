/** Loads all that a run will reach, and the rights there: in one trip before it begins, one more for the author of each door. */
import { GatewayError } from '../../proto/errors.ts';
import { authorContext } from '../access/door/door.ts';
import { type MembershipRow, type Rule, remembered } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import type { Context } from '../context.ts';
import type { TemplateRow } from '../db/templates.ts';
import { selectPlacedNodes, selectPlacements } from '../nodes/store.ts';
import { Rights } from './doors/rights.ts';
import type { Step } from './doors/walk.ts';
import { type Holders, Reach, type ReachRows, type Root } from './reach.ts';
import {
  type Pins,
  REACHED_MAX,
  type ReachedVersion,
  type Roots,
  selectReached,
  selectReachedEndpoints,
  selectReachedEndpointUuids,
  selectReachedUuids,
  selectReferences,
} from './store.ts';

/** Everything that one account's reach is made of. */
interface Rows extends Omit<ReachRows, 'doors' | 'stale'> {
  readonly standing: readonly MembershipRow[];
  readonly rules: readonly Rule[];
  /** Of each template, versions that may count. */
  readonly versions: ReadonlyMap<string, readonly ReachedVersion[]>;
  /** Of nested templates, as `Found` has them. */
  readonly nestedDoors: ReachRows['doors'];
  readonly nestedStale: ReachRows['stale'];
}

/** Where a run begins. */
interface StartVersion {
  readonly uuid: string;
  readonly version: string;
  /** A run of a workflow was pinned to the version: what that says counts, if it is in force or no door. */
  readonly isPinned?: boolean | undefined;
}

/**
 * What a stored version of a template reaches. Steady requests make no trip to D1.
 * @param pins versions of what it nests that count instead of those in force
 * @throws GatewayError TEMPLATE_FAILED when it reaches too many templates
 */
export async function loadReach(ctx: Context, from: StartVersion, pins?: Pins): Promise<Reach> {
  const of = pins === undefined ? '' : `:${JSON.stringify(pins)}`;
  const key = `reach:${from.uuid}:${from.version}${of}`;
  const roots = { versions: [from], templates: [], endpoints: [], pins };
  const rows = await remembered(ctx, key, () => load(ctx, roots));
  return reachOf(ctx, rows, { from, key, roots, code: 'TEMPLATE_FAILED' });
}

type References = readonly Pick<Step, 'kind' | 'id'>[];

/**
 * What a definition reaches that is not stored yet; none of it is remembered.
 * @throws GatewayError BAD_REQUEST when it reaches too many templates
 */
export async function loadReachOf(ctx: Context, references: References): Promise<Reach> {
  const roots = rootsOf(references);
  return reachOf(ctx, await load(ctx, roots), { roots, code: 'BAD_REQUEST' });
}

/** The same of what is stored; undefined where that has come to reach too many templates. */
export async function loadReachLeft(
  ctx: Context,
  references: References,
): Promise<Reach | undefined> {
  const roots = rootsOf(references);
  const rows = await load(ctx, roots);
  return isCut(rows) ? undefined : reachOf(ctx, rows, { roots, code: 'BAD_REQUEST' });
}

function rootsOf(references: References): Roots {
  const idsOf = (sort: Step['kind']) =>
    references.filter(({ kind }) => kind === sort).map(({ id }) => id);
  return { versions: [], templates: idsOf('template'), endpoints: idsOf('endpoint') };
}

function isCut({ templates }: Rows): boolean {
  return templates.length > REACHED_MAX;
}

/** What was asked for. */
interface ReachQuery {
  readonly from?: StartVersion;
  readonly roots: Roots;
  /** By which it is remembered; left out it is not. */
  readonly key?: string;
  /** Of what is wrong with it. */
  readonly code: 'TEMPLATE_FAILED' | 'BAD_REQUEST';
}

async function reachOf(ctx: Context, rows: Rows, asked: ReachQuery): Promise<Reach> {
  const { from, code } = asked;
  if (isCut(rows)) {
    throw new GatewayError(code, `It nests more than ${REACHED_MAX} templates`);
  }
  const own = new Rights(ctx, rows.standing, rows.rules);
  const { root, author } = from ? rootOf(rows, from) : NO_ROOT;
  const doors =
    author === undefined || !from
      ? rows.nestedDoors
      : new Map(rows.nestedDoors).set(from.uuid, author);
  const isTold = rows.endpoints.some(({ callerSettings }) => callerSettings !== null);
  const calledBy =
    isTold && ctx.door
      ? await rightsIn({ ...ctx, caller: ctx.door.calledBy, door: undefined }, asked)
      : undefined;
  const authors = doors.size === 0 ? NO_AUTHORS : await authorsOf(ctx, rows, doors, asked);
  const isStale = from?.isPinned === true && isStaleAt(rows.versions, from, inForceOf(rows, from));
  const stale = isStale ? new Set(rows.nestedStale).add(from.uuid) : rows.nestedStale;
  return new Reach({ ...rows, doors, stale }, { own, authors, calledBy }, root);
}

function inForceOf({ templates }: Rows, { uuid }: StartVersion): string | undefined {
  return templates.find((each) => each.uuid === uuid)?.version;
}

/** Whether a version is not the one in force, and one of the two is a door. */
function isStaleAt(
  versions: Rows['versions'],
  { uuid, version }: Pick<StartVersion, 'uuid' | 'version'>,
  inForce: string | undefined,
): boolean {
  if (version === inForce) return false;
  const counted = (versions.get(uuid) ?? []).filter((each) =>
    [version, inForce].includes(each.version),
  );
  return counted.some(({ runAs }) => runAs === 'author');
}

const NO_ROOT = { root: undefined, author: undefined };
const NO_AUTHORS: Holders['authors'] = new Map();

/** The root, and who is its author where it has an author's rights: the account that stored the version that runs. */
function rootOf(rows: Rows, { uuid, version, isPinned = false }: StartVersion) {
  const versions = rows.versions.get(uuid) ?? [];
  const isDoor = (named: string | undefined) =>
    versions.some((each) => each.version === named && each.runAs === 'author');
  const isDoorInForce = isDoor(inForceOf(rows, { uuid, version }));
  const root: Root = { uuid, version, isDoorInForce };
  if (!(isPinned ? isDoor(version) : isDoorInForce)) return { root, author: undefined };
  const ran = versions.find((each) => each.version === version);
  return { root, author: ran?.author ?? null };
}

async function authorsOf(
  ctx: Context,
  { templates }: Rows,
  doors: ReachRows['doors'],
  asked: ReachQuery,
): Promise<Holders['authors']> {
  const authors = new Map<string, Rights>();
  for (const [uuid, author] of doors) {
    const id = templates.find((each) => each.uuid === uuid)?.id ?? uuid;
    // A door without an author is refused where it is asked.
    if (author === null) continue;
    const own = authorContext(ctx, { kind: 'template', id }, author);
    authors.set(uuid, await rightsIn(own, asked));
  }
  return authors;
}

/** How another account than the one whose reach it is has on the same. */
async function rightsIn(ctx: Context, { key, roots }: ReachQuery): Promise<Rights> {
  const { db, caller } = ctx;
  const read = async () => {
    const [standing, rules] = await db.batch([
      selectMembership(db, caller),
      selectRules(db, caller, selectReachedUuids(db, caller.orgUuid, roots)),
    ]);
    return { standing, rules };
  };
  const { standing, rules } = await (key === undefined
    ? read()
    : remembered(ctx, `rights:${key}`, read));
  return new Rights(ctx, standing, rules);
}

async function load(ctx: Context, roots: Roots): Promise<Rows> {
  const { db, caller } = ctx;
  const { orgUuid } = caller;
  const reached = () => selectReachedEndpointUuids(db, orgUuid, roots);
  const [standing, found, references, endpoints, placements, nodes, rules] = await db.batch([
    selectMembership(db, caller),
    selectReached(db, orgUuid, roots),
    selectReferences(db, orgUuid, roots),
    selectReachedEndpoints(db, orgUuid, roots),
    selectPlacements(db, orgUuid, reached()),
    selectPlacedNodes(db, orgUuid, reached()),
    selectRules(db, caller, selectReachedUuids(db, orgUuid, roots)),
  ]);
  const { pins = {} } = roots;
  const versions = new Map(found.map(({ uuid, reachedVersions }) => [uuid, reachedVersions]));
  const templates = found.map(({ reachedVersions: _, ...row }): TemplateRow => {
    return { ...row, version: pins[row.uuid] ?? row.version };
  });
  const steps = new Map<string, Step[]>();
  for (const { templateUuid, target, kind, level } of references) {
    const known = steps.get(templateUuid);
    const step = { kind, id: target, level };
    if (known) known.push(step);
    else steps.set(templateUuid, [step]);
  }
  const nestedDoors = doorsIn(templates, versions, roots);
  const pinned = found.flatMap(({ uuid, version: inForce }) => {
    const version = pins[uuid];
    return version !== undefined && isStaleAt(versions, { uuid, version }, inForce) ? [uuid] : [];
  });
  const nestedStale = new Set(pinned);
  const rest = { standing, references, endpoints, placements, nodes, rules };
  return { ...rest, templates, versions, steps, nestedDoors, nestedStale };
}

/** Doors among the templates that are not where reaching begins. */
function doorsIn(templates: readonly TemplateRow[], versions: Rows['versions'], roots: Roots) {
  const doors = new Map<string, string | null>();
  for (const { uuid, version } of templates) {
    if (roots.versions.some((each) => each.uuid === uuid)) continue;
    const own = versions.get(uuid)?.find((each) => each.version === version);
    if (own?.runAs === 'author') doors.set(uuid, own.author);
  }
  return doors;
}
