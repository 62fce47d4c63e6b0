/** Statements about placements: which node serves which endpoint, and how. */
import { and, eq, inArray, type SQLWrapper } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { type PlacementRow, placements } from '../db/schema.ts';
import { isGone } from '../endpoints/store.ts';

/** All placements of the endpoint that `endpoint` selects by uuid. */
export function selectPlacements(db: Database, orgUuid: string, endpoint: SQLWrapper) {
  return db
    .select()
    .from(placements)
    .where(and(eq(placements.orgUuid, orgUuid), inArray(placements.endpointUuid, endpoint)))
    .orderBy(placements.priority, placements.nodeUuid);
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
