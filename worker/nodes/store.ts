/** Statements about nodes, and about placements: which node serves which endpoint, and how. */
import {
  and,
  asc,
  count,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Database } from '../context.ts';
import { type NodeRow, nodes } from '../db/nodes.ts';
import { endpoints, type PlacementRow, placements } from '../db/schema.ts';
import { isGone } from '../endpoints/store.ts';

/** Milliseconds beyond which a time that lies ahead is of a wrong clock: other isolates write theirs meanwhile. */
const CLOCK_AHEAD_MS = 60_000;

/** All placements of the endpoints that `endpoint` selects by uuid. */
export function selectPlacements(db: Database, orgUuid: string, endpoint: SQLWrapper) {
  return db
    .select()
    .from(placements)
    .where(and(eq(placements.orgUuid, orgUuid), inArray(placements.endpointUuid, endpoint)))
    .orderBy(placements.priority, placements.nodeUuid);
}

/** The nodes that these endpoints are placed on. */
export function selectPlacedNodes(db: Database, orgUuid: string, endpoint: SQLWrapper) {
  const placed = db
    .select({ uuid: placements.nodeUuid })
    .from(placements)
    .where(and(eq(placements.orgUuid, orgUuid), inArray(placements.endpointUuid, endpoint)));
  return db
    .select()
    .from(nodes)
    .where(and(eq(nodes.orgUuid, orgUuid), inArray(nodes.uuid, placed)));
}

/** Stores a placement; it replaces the one that this endpoint has on this node. */
export function upsertPlacement(db: Database, orgUuid: string, row: Omit<PlacementRow, 'orgUuid'>) {
  const { endpointUuid, nodeUuid, ...members } = row;
  return db
    .insert(placements)
    .values({ ...row, orgUuid })
    .onConflictDoUpdate({
      target: [placements.orgUuid, placements.endpointUuid, placements.nodeUuid],
      set: members,
    })
    .returning();
}

/** One placement. */
export function selectPlacement(db: Database, orgUuid: string, placement: OfPlacement) {
  return db.select().from(placements).where(isPlacement(orgUuid, placement));
}

/** Which placement. */
type OfPlacement = Pick<PlacementRow, 'endpointUuid' | 'nodeUuid'>;

function isPlacement(orgUuid: string, { endpointUuid, nodeUuid }: OfPlacement) {
  return and(
    eq(placements.orgUuid, orgUuid),
    eq(placements.endpointUuid, endpointUuid),
    eq(placements.nodeUuid, nodeUuid),
  );
}

/** Removes one placement; not the last one, unless that is confirmed. */
export function deletePlacement(
  db: Database,
  orgUuid: string,
  placement: OfPlacement,
  confirmed: boolean,
) {
  const { endpointUuid, nodeUuid } = placement;
  const others = sql`exists (select 1 from ${placements} as "other" where "other"."org_uuid" = ${orgUuid}
    and "other"."endpoint_uuid" = ${endpointUuid} and "other"."node_uuid" <> ${nodeUuid})`;
  return db
    .delete(placements)
    .where(and(isPlacement(orgUuid, placement), confirmed ? undefined : others))
    .returning({ nodeUuid: placements.nodeUuid });
}

/** Removes all placements of an endpoint that is gone. */
export function deletePlacements(db: Database, orgUuid: string, endpointUuid: string) {
  return db
    .delete(placements)
    .where(
      and(
        eq(placements.orgUuid, orgUuid),
        eq(placements.endpointUuid, endpointUuid),
        isGone(db, orgUuid, endpointUuid),
      ),
    );
}

/** One node. */
export function selectNode(db: Database, orgUuid: string, uuid: string) {
  return db.select().from(nodes).where(isNode({ orgUuid, uuid }));
}

/** Nodes by name. @param after a name */
export function selectNodes(
  db: Database,
  orgUuid: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
) {
  return db
    .select()
    .from(nodes)
    .where(and(eq(nodes.orgUuid, orgUuid), after === undefined ? undefined : gt(nodes.name, after)))
    .orderBy(asc(nodes.name))
    .limit(limit);
}

/** How many nodes there are. */
export function countNodes(db: Database, orgUuid: string) {
  return db.select({ nodes: count() }).from(nodes).where(eq(nodes.orgUuid, orgUuid));
}

/** UUIDs of the first `limit` nodes, by name. */
export function selectNodeUuids(db: Database, orgUuid: string, limit: number) {
  return db
    .select({ uuid: nodes.uuid })
    .from(nodes)
    .where(eq(nodes.orgUuid, orgUuid))
    .orderBy(asc(nodes.name))
    .limit(limit);
}

/** Stores a node; nothing where its name or key is taken. */
export function insertNode(db: Database, orgUuid: string, row: Omit<NodeRow, 'orgUuid'>) {
  return db
    .insert(nodes)
    .values({ ...row, orgUuid })
    .onConflictDoNothing()
    .returning({ uuid: nodes.uuid });
}

/** What may be changed of a node. */
export type NodeChange = Partial<Omit<NodeRow, 'orgUuid' | 'uuid' | 'createdAt' | 'createdBy'>>;

/** Changes a node. */
export function updateNode(db: Database, orgUuid: string, uuid: string, change: NodeChange) {
  return db.update(nodes).set(change).where(isNode({ orgUuid, uuid })).returning();
}

/** Ids of endpoints whose placements are all on this node. */
export function selectOnlyOn(db: Database, orgUuid: string, uuid: string, limit: number) {
  return db
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(eq(endpoints.orgUuid, orgUuid), isOnlyOn(orgUuid, uuid)))
    .orderBy(asc(endpoints.id))
    .limit(limit);
}

function isOnlyOn(orgUuid: string, uuid: string) {
  const here = sql`${endpoints.uuid} in (select "endpoint_uuid" from ${placements}
    where "org_uuid" = ${orgUuid} and "node_uuid" = ${uuid})`;
  const elsewhere = sql`${endpoints.uuid} not in (select "endpoint_uuid" from ${placements}
    where "org_uuid" = ${orgUuid} and "node_uuid" <> ${uuid})`;
  return and(here, elsewhere);
}

/** Removes a node; not one that all placements of an endpoint are on, unless that is confirmed. */
export function deleteNodeRow(db: Database, orgUuid: string, uuid: string, confirmed: boolean) {
  const isNeeded = sql`exists (select 1 from ${endpoints} where ${endpoints.orgUuid} = ${orgUuid}
    and ${isOnlyOn(orgUuid, uuid)})`;
  return db
    .delete(nodes)
    .where(and(isNode({ orgUuid, uuid }), confirmed ? undefined : sql`not ${isNeeded}`))
    .returning({ uuid: nodes.uuid });
}

/** Whose node has that UUID: a relay that asks has not said its organization. */
export function selectNodeByUuid(db: Database, uuid: string) {
  return db.select().from(nodes).where(eq(nodes.uuid, uuid));
}

/**
 * Nodes with that signing key, those first that a relay has shown its private half for; at most two.
 * @param keyId its thumbprint
 * @param orgUuid the only one that counts; undefined: all organizations
 */
export function selectNodesByKey(db: Database, keyId: string, orgUuid: string | undefined) {
  const isOf = orgUuid === undefined ? undefined : eq(nodes.orgUuid, orgUuid);
  return db
    .select()
    .from(nodes)
    .where(and(eq(nodes.signingKeyId, keyId), isOf))
    .orderBy(isNull(nodes.lastSeenAt))
    .limit(2);
}

/** Whose node has that secret, used or not within its time. @param now Unix epoch milliseconds */
export function selectNodeBySecret(db: Database, digest: string, now: number) {
  return db
    .select()
    .from(nodes)
    .where(and(eq(nodes.enrolmentDigest, digest), gt(nodes.enrolmentExpiresAt, now)));
}

/** Gives a node its keys, and uses up its secret: of two at once one does. */
export function enrolNode(
  db: Database,
  { orgUuid, uuid }: NodeRow,
  digest: string,
  change: NodeChange,
) {
  return db
    .update(nodes)
    .set({ ...change, enrolmentDigest: null, enrolmentExpiresAt: null })
    .where(and(isNode({ orgUuid, uuid }), eq(nodes.enrolmentDigest, digest)))
    .returning();
}

/** Notes that calls do not reach a node; of several who see it the first counts. */
export function markUnreachable(db: Database, { orgUuid, uuid }: OfNode, at: number) {
  return db
    .update(nodes)
    .set({ unreachableAt: at })
    .where(and(isNode({ orgUuid, uuid }), isNull(nodes.unreachableAt)))
    .returning({ uuid: nodes.uuid });
}

/**
 * Notes that calls reach a node again.
 * @param before what was seen later than this stays
 * @param now what was seen more than a minute after it is of a clock that was ahead, and does not
 */
export function markReachable(
  db: Database,
  { orgUuid, uuid }: OfNode,
  { before, now }: { readonly before: number; readonly now: number },
) {
  return db
    .update(nodes)
    .set({ unreachableAt: null })
    .where(
      and(
        isNode({ orgUuid, uuid }),
        isNotNull(nodes.unreachableAt),
        or(lte(nodes.unreachableAt, before), gt(nodes.unreachableAt, now + CLOCK_AHEAD_MS)),
      ),
    )
    .returning({ uuid: nodes.uuid });
}

/** Which node. */
type OfNode = Pick<NodeRow, 'orgUuid' | 'uuid'>;

function isNode({ orgUuid, uuid }: OfNode) {
  return and(eq(nodes.orgUuid, orgUuid), eq(nodes.uuid, uuid));
}
