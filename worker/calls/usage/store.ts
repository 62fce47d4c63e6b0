/** The statement that adds up what was counted of an endpoint. */
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { type ConnectionStatus, endpoints, endpointUsage } from '../../db/schema.ts';

/** What one isolate counted of one endpoint since it last wrote. */
export interface Counted {
  readonly orgUuid: string;
  readonly endpointUuid: string;
  readonly reads: number;
  readonly writes: number;
  readonly errors: number;
  /** `undefined` when nothing was seen that says. */
  readonly status: ConnectionStatus | undefined;
  /** Unix epoch milliseconds; `undefined` when the backend was not reached. */
  readonly connectedAt: number | undefined;
}

/** Adds to an endpoint's counters; nothing is written for one that does not exist. */
export function addUsage(db: Database, counted: Counted) {
  const { orgUuid, endpointUuid, reads, writes, errors, status, connectedAt } = counted;
  const values = db
    .select({
      orgUuid: endpoints.orgUuid,
      endpointUuid: endpoints.uuid,
      reads: sql<number>`${reads}`.as('reads'),
      writes: sql<number>`${writes}`.as('writes'),
      errors: sql<number>`${errors}`.as('errors'),
      connectionStatus: sql<ConnectionStatus>`${status ?? 'unknown'}`.as('connection_status'),
      lastConnectedAt: sql<number | null>`${connectedAt ?? null}`.as('last_connected_at'),
      degradedAt: sql<number | null>`null`.as('degraded_at'),
    })
    .from(endpoints)
    .where(and(eq(endpoints.orgUuid, orgUuid), eq(endpoints.uuid, endpointUuid)));
  return db
    .insert(endpointUsage)
    .select(values)
    .onConflictDoUpdate({
      target: [endpointUsage.orgUuid, endpointUsage.endpointUuid],
      set: {
        reads: sql`${endpointUsage.reads} + ${reads}`,
        writes: sql`${endpointUsage.writes} + ${writes}`,
        errors: sql`${endpointUsage.errors} + ${errors}`,
        ...(status === undefined ? {} : { connectionStatus: status }),
        ...(connectedAt === undefined ? {} : { lastConnectedAt: connectedAt }),
      },
    });
}
