/** Statements on an endpoint and the triggers that watch it; the organization comes first in each. */
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import type { NodeRow } from '../db/nodes.ts';
import {
  type ConnectionStatus,
  type EndpointRow,
  endpoints,
  endpointUsage,
  organizations,
  type PlacementRow,
} from '../db/schema.ts';
import { workflowTriggers } from '../db/workflows.ts';
import { selectEndpoint } from '../endpoints/store.ts';
import { selectPlacedNodes, selectPlacements } from '../nodes/store.ts';
import type { ChangeDetail } from '../workflows/triggers/rows.ts';
import { selectTriggers } from '../workflows/triggers/store.ts';
import type { ChangesOwner } from './object.ts';

/** An endpoint as it is kept where it may be gone from D1: its configuration sealed. */
export interface KeptEndpoint {
  readonly row: EndpointRow;
  readonly placements: readonly PlacementRow[];
  readonly nodes: readonly NodeRow[];
}

/** A trigger that watches the endpoint, of a version in force. */
export interface WatchingTrigger extends ChangeDetail {
  /** UUID of its workflow. */
  readonly workflow: string;
  readonly workflowId: string;
  readonly version: string;
  readonly index: number;
  /** False of a paused workflow: its changes are read and dropped. */
  readonly isActive: boolean;
}

/** Why a trigger starts nothing whose endpoint is gone. */
export const GONE = {
  code: 'ENDPOINT_NOT_FOUND',
  message: 'The endpoint is gone: nothing starts until a new version names one that is there',
};

/** What there is to follow. */
export interface Watch {
  /** Undefined once it is gone, or its organization. */
  readonly endpoint: KeptEndpoint | undefined;
  readonly triggers: readonly WatchingTrigger[];
  /** Those that watch an endpoint that is gone, of an organization that is there. */
  readonly orphans: readonly WatchingTrigger[];
  /** As the organization has it now; undefined once it is gone. */
  readonly sealedDataKey: string | undefined;
}

/** Reads all of it in one trip. */
export async function readWatch(
  db: Database,
  { orgUuid, endpoint: uuid }: Pick<ChangesOwner, 'orgUuid' | 'endpoint'>,
): Promise<Watch> {
  const named = sql`(select ${uuid})`;
  const [rows, placements, nodes, triggers, keys] = await db.batch([
    selectEndpoint(db, orgUuid, { uuid }),
    selectPlacements(db, orgUuid, named),
    selectPlacedNodes(db, orgUuid, named),
    selectTriggers(db, orgUuid, 'dataChange', uuid),
    db
      .select({ sealedDataKey: organizations.sealedDataKey })
      .from(organizations)
      .where(and(eq(organizations.uuid, orgUuid), isNull(organizations.deletedAt))),
  ]);
  const [row] = rows;
  const [key] = keys;
  const endpoint = row && key && { row, placements, nodes };
  const watching = triggers.map(
    ({ workflowUuid, workflowId, version, status, index, detail }): WatchingTrigger => ({
      ...(JSON.parse(detail) as ChangeDetail), // As rows.ts of the triggers wrote it.
      ...{ workflow: workflowUuid, workflowId, version, index, isActive: status === 'active' },
    }),
  );
  return {
    endpoint,
    triggers: endpoint ? watching : [],
    orphans: key && !endpoint ? watching : [],
    sealedDataKey: key?.sealedDataKey,
  };
}

/** The data change triggers of a workflow, each with the UUID of the endpoint that it watches. */
export function selectWatchedBy(db: Database, orgUuid: string, workflow: string) {
  return db
    .select({
      index: workflowTriggers.index,
      endpoint: sql<string>`${workflowTriggers.endpointUuid}`,
      isThere: sql<number>`${endpoints.uuid} is not null`.mapWith(Boolean),
    })
    .from(workflowTriggers)
    .leftJoin(
      endpoints,
      and(eq(endpoints.orgUuid, orgUuid), eq(endpoints.uuid, workflowTriggers.endpointUuid)),
    )
    .where(
      and(
        eq(workflowTriggers.orgUuid, orgUuid),
        eq(workflowTriggers.workflowUuid, workflow),
        eq(workflowTriggers.type, 'dataChange'),
        sql`${workflowTriggers.endpointUuid} is not null`,
      ),
    );
}

/** Endpoints that workflows watch, of all organizations, by UUID: for the clock. @param after the last one of the page before */
export function selectWatched(db: Database, after: string, limit: number) {
  return db
    .selectDistinct({ orgUuid: workflowTriggers.orgUuid, endpoint: endpoints.uuid })
    .from(workflowTriggers)
    .innerJoin(
      endpoints,
      and(
        eq(endpoints.orgUuid, workflowTriggers.orgUuid),
        eq(endpoints.uuid, workflowTriggers.endpointUuid),
      ),
    )
    .where(and(eq(workflowTriggers.type, 'dataChange'), gt(endpoints.uuid, after)))
    .orderBy(asc(endpoints.uuid))
    .limit(limit);
}

/**
 * Notes since when a backend keeps too much of its log for the endpoint's changes, null once it no longer
 * does; nothing is written for an endpoint that does not exist.
 */
export function noteDegraded(db: Database, orgUuid: string, uuid: string, at: number | null) {
  const values = db
    .select({
      orgUuid: endpoints.orgUuid,
      endpointUuid: endpoints.uuid,
      reads: sql<number>`0`.as('reads'),
      writes: sql<number>`0`.as('writes'),
      errors: sql<number>`0`.as('errors'),
      connectionStatus: sql<ConnectionStatus>`'unknown'`.as('connection_status'),
      lastConnectedAt: sql<number | null>`null`.as('last_connected_at'),
      degradedAt: sql<number | null>`${at}`.as('degraded_at'),
    })
    .from(endpoints)
    .where(and(eq(endpoints.orgUuid, orgUuid), eq(endpoints.uuid, uuid)));
  return db
    .insert(endpointUsage)
    .select(values)
    .onConflictDoUpdate({
      target: [endpointUsage.orgUuid, endpointUsage.endpointUuid],
      set: { degradedAt: at },
    });
}
