/** What operations on endpoints act on, and the caller's level there. */
import { GatewayError } from '../../proto/errors.ts';
import { type Access, authorize } from '../access/access.ts';
import { type Policy, policyOf, rememberedRights } from '../access/policy.ts';
import { selectMembership, selectRules } from '../access/store.ts';
import type { Caller, Context } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import type { EndpointRow, PlacementRow } from '../db/schema.ts';
import type { Level } from '../levels.ts';
import { selectPlacedNodes, selectPlacements } from '../nodes/store.ts';
import { isUuid } from '../shapes/ids.ts';
import { type EndpointName, selectEndpoint, selectEndpointUuid } from './store.ts';

/** An endpoint as one request sees it; the row is at most `POLICY_TTL_MS` old. */
export interface Endpoint {
  readonly row: EndpointRow;
  readonly placements: readonly PlacementRow[];
  /** The registered ones that it is placed on. */
  readonly nodes: readonly NodeRow[];
  /** The caller's rules there, and the organization's sealed data key. */
  readonly policy: Policy;
  /** Who called, where the rights are of the author of a door; of endpoints that are told of who calls. */
  readonly calledBy?: CalledBy | undefined;
}

/** Somebody who called, and their rights there. */
export interface CalledBy {
  readonly caller: Caller;
  readonly policy: Policy;
}

/** Parameters of a path below `/endpoints/{endpoint}`. */
interface EndpointParams {
  /** An id, or a UUID. */
  readonly endpoint: string;
}

/**
 * Demands `level` on the endpoint that the path names. Steady requests make no trip to D1.
 * @throws GatewayError ENDPOINT_NOT_FOUND for another organization's endpoint too
 */
export function onEndpoint<Params extends EndpointParams = EndpointParams>(
  level: Level,
): Access<Params, Endpoint> {
  const errors = ['ENDPOINT_NOT_FOUND'] as const;
  return { level, errors, find: (ctx, { endpoint }) => findEndpoint(ctx, endpoint) };
}

async function findEndpoint(ctx: Context, named: string) {
  const found = await lookUp(ctx, named);
  if (ctx.door === undefined || found.resource.row.callerSettings === null) return found;
  const caller = ctx.door.calledBy;
  const { policy } = await lookUp({ ...ctx, caller, door: undefined }, named);
  return { ...found, resource: { ...found.resource, calledBy: { caller, policy } } };
}

async function lookUp(ctx: Context, named: string) {
  const { caller } = ctx;
  const name = endpointName(named);
  const read = await rememberedRights(ctx, `endpoint:${named}`, async (db) => {
    const uuid = selectEndpointUuid(db, caller.orgUuid, name);
    const [standing, rows, rules, placements, nodes] = await db.batch([
      selectMembership(db, caller),
      selectEndpoint(db, caller.orgUuid, name),
      selectRules(db, caller, uuid),
      selectPlacements(db, caller.orgUuid, uuid),
      selectPlacedNodes(db, caller.orgUuid, uuid),
    ]);
    return { standing, rows, rules, placements, nodes };
  });
  const [row] = read.rows;
  const on = row && ({ kind: 'endpoint', uuid: row.uuid } as const);
  const policy = policyOf(ctx, read.standing, read.rules, on);
  if (!row) throw endpointNotFound(named);
  const { placements, nodes } = read;
  return { resource: { row, placements, nodes, policy }, policy };
}

/**
 * Demands the level anew, of the endpoint as it is by then: whatever has its id now, refusals name the id that it had.
 * @throws GatewayError ENDPOINT_NOT_FOUND, FORBIDDEN, TOKEN_REVOKED
 */
export async function endpointStill(
  ctx: Context,
  { uuid, id }: EndpointRow,
  level: Level,
): Promise<Endpoint> {
  const { errors } = onEndpoint(level);
  const find = (asked: Context) => findEndpoint(asked, uuid);
  try {
    return (await authorize(ctx, { level, errors, find }, { endpoint: id })).resource;
  } catch (thrown) {
    const isGone = thrown instanceof GatewayError && thrown.code === 'ENDPOINT_NOT_FOUND';
    throw isGone ? endpointNotFound(id) : thrown;
  }
}

/** A value that parses as a UUID is one, in any letter case. Contract §1, "Ids in paths". */
export function endpointName(named: string): EndpointName {
  return isUuid(named) ? { uuid: named.toLowerCase() } : { id: named };
}

/** The same for another organization's endpoint as for one that does not exist. */
export function endpointNotFound(named: string): GatewayError {
  return new GatewayError('ENDPOINT_NOT_FOUND', `Endpoint ${named} does not exist`);
}
