/** Who may store, change and remove doors, and what doors nest. Spec: keys-and-doors.md §2. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Demand } from '../../access/demand.ts';
import {
  demandAccount,
  demandKeeper,
  demandOnOrganization,
  keepsAllDoors,
} from '../../access/door/author.ts';
import type { Policy } from '../../access/policy.ts';
import type { Context } from '../../context.ts';
import type { Guard } from '../../db/guard.ts';
import { loadReachLeft, loadReachOf } from '../load.ts';
import type { Reach } from '../reach.ts';
import { guardOf, type Nested, selectDoorsAbove, selectNamedUnder } from './store.ts';

/** A template or workflow that is to be stored. */
interface Storing extends Nested {
  /** Whether the new version runs with its author's rights, and whether the one in force does. */
  readonly isDoor: boolean;
  readonly wasDoor: boolean;
  /** Workflows that the new version names, by ids or UUIDs. */
  readonly workflows?: readonly string[];
}

/**
 * Demands what granting needs, of who stores a door, changes one, or changes what one nests: that runs with the
 * author's rights as well, so that a change of it is a change of the door.
 * @param reach of the new version
 * @param demands gets what is demanded of the caller
 * @throws GatewayError FORBIDDEN
 */
export async function demandDoors(
  ctx: Context,
  storing: Storing,
  reach: Reach,
  demands: Demand[],
): Promise<Guard> {
  const { isDoor, wasDoor } = storing;
  if (isDoor) demandAccount(ctx);
  const versions = isDoor ? reach.templates : [];
  const policy = reach.onOrganization;
  if (keepsAllDoors(policy)) {
    if (isDoor || wasDoor) demands.push(demandOnOrganization(policy));
    return isDoor ? guardOf(storing, undefined, versions) : undefined;
  }
  const above = await selectDoorsAbove(ctx.db, ctx.caller.orgUuid, storing);
  if (isDoor || above.length > 0) demands.push(...(await demandNew(ctx, storing, reach)));
  for (const door of doorsChanged(storing, above)) {
    demands.push(...unnamed(demandOn, await reachOf(ctx, door)));
  }
  return guardOf(
    storing,
    above.map((each) => each.uuid),
    versions,
  );
}

/** On what the new version reaches: a door's author knows what that names. */
async function demandNew(
  ctx: Context,
  { isDoor, workflows = [] }: Storing,
  reach: Reach,
): Promise<Demand[]> {
  const own = isDoor ? demandOn(reach) : unnamed(demandOn, reach);
  if (workflows.length === 0) return own;
  return [...own, ...unnamed(demandOn, await reachUnder(ctx, workflows))];
}

type StoredDoor = Pick<Nested, 'kind'> & { readonly uuid: string };

/** Doors that are another once it is stored. */
function doorsChanged({ kind, uuid, wasDoor }: Storing, above: readonly StoredDoor[]) {
  return wasDoor && uuid !== undefined ? [...above, { kind, uuid }] : above;
}

/**
 * What is demanded, the same, of who removes a door, or switches it on or off. What doors nest may go: they fail then, and
 * what takes its name is a change of what they nest.
 * @param policy of the caller
 * @param reach of its version in force; left out where that is too much to be looked at
 * @throws GatewayError FORBIDDEN
 */
export function demandRemoval(policy: Policy, reach: Reach | undefined): Demand[] {
  if (!reach || keepsAllDoors(policy)) return [demandOnOrganization(policy)];
  return unnamed(demandOn, reach);
}

/** What a stored template or workflow reaches, in its version in force. */
function reachOf(ctx: Context, { kind, uuid }: StoredDoor) {
  return kind === 'workflow' ? reachUnder(ctx, [uuid]) : loadReachOf(ctx, [{ kind, id: uuid }]);
}

/** What workflows reach in their versions in force, through others too. @param workflows ids, or UUIDs */
async function reachUnder(ctx: Context, workflows: readonly string[]): Promise<Reach> {
  return loadReachOf(ctx, await selectNamedUnder(ctx.db, ctx.caller.orgUuid, workflows));
}

/** The same of what may be too much to be looked at: it is undefined then. @param workflows ids, or UUIDs */
export async function reachLeftUnder(
  ctx: Context,
  workflows: readonly string[],
): Promise<Reach | undefined> {
  return loadReachLeft(ctx, await selectNamedUnder(ctx.db, ctx.caller.orgUuid, workflows));
}

function demandOn(reach: Reach): Demand[] {
  const { endpoints } = reach;
  return demandKeeper(endpoints.map(({ id }) => ({ id, policy: reach.endpoint(id).policy })));
}

/** Names neither doors nor endpoints that the caller may not know. @throws GatewayError FORBIDDEN */
function unnamed<Given extends unknown[]>(
  work: (...given: Given) => Demand[],
  ...given: Given
): Demand[] {
  try {
    return work(...given);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== 'FORBIDDEN') throw thrown;
    const message =
      'It is, or is nested in, what runs with the rights of its author: a change needs Admin access on each endpoint that is reached so, or on the organization';
    throw new GatewayError('FORBIDDEN', message, {
      details: [{ rule: 'run_as', needed: 'Admin' }],
      cause: thrown,
    });
  }
}
