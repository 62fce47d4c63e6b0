/** Statements about endpoints; the organization comes first in each. */
import { and, asc, count, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { type ByDefault, isReadable, type ReadablePage } from '../access/store.ts';
import type { Caller, Database } from '../context.ts';
import { heldTo } from '../db/held.ts';
import {
  type ConnectionStatus,
  type EndpointRow,
  endpoints,
  endpointUsage,
  organizations,
  rules,
} from '../db/schema.ts';
import type { IfMatch } from '../revision.ts';
import { selectUsers } from '../workflows/store.ts';

/** How a path names an endpoint. */
export type EndpointName = { readonly uuid: string } | { readonly id: string };

/** The one endpoint of that name. */
function isEndpoint(orgUuid: string, name: EndpointName): SQL | undefined {
  const match = 'uuid' in name ? eq(endpoints.uuid, name.uuid) : eq(endpoints.id, name.id);
  return and(eq(endpoints.orgUuid, orgUuid), match);
}

/** At most one row. */
export function selectEndpoint(db: Database, orgUuid: string, name: EndpointName) {
  return db.select().from(endpoints).where(isEndpoint(orgUuid, name));
}

/** The uuid alone, for use inside other statements. */
export function selectEndpointUuid(db: Database, orgUuid: string, name: EndpointName) {
  return db.select({ uuid: endpoints.uuid }).from(endpoints).where(isEndpoint(orgUuid, name));
}

/** At most one row: the endpoint as it is now, and what was counted and last seen of it. */
export function selectEndpointWithUsage(db: Database, orgUuid: string, uuid: string) {
  return db
    .select({ row: endpoints, usage: endpointUsage })
    .from(endpoints)
    .leftJoin(
      endpointUsage,
      and(
        eq(endpointUsage.orgUuid, endpoints.orgUuid),
        eq(endpointUsage.endpointUuid, endpoints.uuid),
      ),
    )
    .where(and(eq(endpoints.orgUuid, orgUuid), eq(endpoints.uuid, uuid)));
}

/** Endpoints that the caller may read, by id. */
export function selectReadable(
  db: Database,
  caller: Caller,
  { byDefault, after, limit }: ReadablePage,
) {
  return db
    .select({ row: endpoints })
    .from(endpoints)
    .where(
      and(
        isReadableOne(caller, byDefault),
        after === undefined ? undefined : gt(endpoints.id, after),
      ),
    )
    .orderBy(asc(endpoints.id))
    .limit(limit + 1);
}

/** UUIDs of the first `limit` of the endpoints that the caller may read, by id. */
export function selectReadableUuids(
  db: Database,
  caller: Caller,
  { byDefault, limit }: Omit<ReadablePage, 'after'>,
) {
  return db
    .select({ uuid: endpoints.uuid })
    .from(endpoints)
    .where(isReadableOne(caller, byDefault))
    .orderBy(asc(endpoints.id))
    .limit(limit);
}

/** Whether an endpoint is one that the caller may read. */
function isReadableOne(caller: Caller, byDefault: ByDefault): SQL | undefined {
  return and(eq(endpoints.orgUuid, caller.orgUuid), isReadable(caller, byDefault, endpoints.uuid));
}

/** How many endpoints an organization has. One row. */
export function selectEndpointCount(db: Database, orgUuid: string) {
  return db.select({ count: count() }).from(endpoints).where(eq(endpoints.orgUuid, orgUuid));
}

/** How many endpoints an organization may have: the installation's quota, or its own lower one. */
function allowed(quota: number): SQL {
  const own = sql`json_extract(${organizations.settings}, '$.maxEndpoints')`;
  return sql`min(${quota}, coalesce(${own}, ${quota}))`;
}

function counted(orgUuid: string): SQL {
  return sql`(select count(*) from ${endpoints} where ${endpoints.orgUuid} = ${orgUuid})`;
}

/** One row: whether the id is taken, and whether the quota is used up. None when the organization is gone. */
export function selectRoom(db: Database, orgUuid: string, id: string, quota: number) {
  const taken = selectEndpointUuid(db, orgUuid, { id });
  return db
    .select({
      taken: sql<number>`exists ${taken}`.mapWith(Boolean),
      full: sql<number>`${counted(orgUuid)} >= ${allowed(quota)}`.mapWith(Boolean),
    })
    .from(organizations)
    .where(and(eq(organizations.uuid, orgUuid), isNull(organizations.deletedAt)));
}

/**
 * Stores an endpoint. No row comes back when the organization has one of that id already, or as
 * many as it may have: the statement itself counts, so that it holds under concurrency.
 */
export function insertEndpoint(db: Database, row: EndpointRow, quota: number) {
  const values = db
    .select({
      orgUuid: sql<string>`${row.orgUuid}`.as('org_uuid'),
      uuid: sql<string>`${row.uuid}`.as('uuid'),
      id: sql<string>`${row.id}`.as('id'),
      kind: sql<EndpointRow['kind']>`${row.kind}`.as('kind'),
      description: sql<string>`${row.description}`.as('description'),
      sealedConfig: sql<string>`${row.sealedConfig}`.as('sealed_config'),
      backendProfile: sql<EndpointRow['backendProfile']>`${row.backendProfile}`.as(
        'backend_profile',
      ),
      hasDevelopmentConn: sql<boolean>`${row.hasDevelopmentConn ? 1 : 0}`.as(
        'has_development_conn',
      ),
      poolLimits: sql<EndpointRow['poolLimits']>`${JSON.stringify(row.poolLimits)}`.as(
        'pool_limits',
      ),
      transports: sql<EndpointRow['transports']>`${jsonOf(row.transports)}`.as('transports'),
      vpnRoute: sql<string | null>`${row.vpnRoute}`.as('vpn_route'),
      numbersAsStrings: sql<boolean>`${row.numbersAsStrings ? 1 : 0}`.as('numbers_as_strings'),
      callerSettings: sql<EndpointRow['callerSettings']>`${jsonOf(row.callerSettings)}`.as(
        'caller_settings',
      ),
      oncePlace: sql<string | null>`${row.oncePlace}`.as('once_place'),
      revision: sql<number>`${row.revision}`.as('revision'),
      poolRevision: sql<number>`${row.poolRevision}`.as('pool_revision'),
      createdAt: sql<number>`${row.createdAt}`.as('created_at'),
      updatedAt: sql<number>`${row.updatedAt}`.as('updated_at'),
    })
    .from(organizations)
    .where(
      and(
        eq(organizations.uuid, row.orgUuid),
        isNull(organizations.deletedAt),
        sql`${counted(row.orgUuid)} < ${allowed(quota)}`,
      ),
    );
  return db.insert(endpoints).select(values).onConflictDoNothing().returning();
}

function jsonOf(value: object | null): string | null {
  return value && JSON.stringify(value);
}

/** What an update may change. */
export type EndpointChanges = Pick<
  EndpointRow,
  | 'description'
  | 'sealedConfig'
  | 'hasDevelopmentConn'
  | 'backendProfile'
  | 'poolLimits'
  | 'transports'
  | 'vpnRoute'
  | 'numbersAsStrings'
  | 'callerSettings'
  | 'oncePlace'
  | 'poolRevision'
  | 'updatedAt'
>;

/** Changes an endpoint and raises its revision; no row comes back when `row` is no longer its state. */
export function updateEndpointRow(db: Database, row: EndpointRow, changes: EndpointChanges) {
  return db
    .update(endpoints)
    .set({ ...changes, revision: row.revision + 1 })
    .where(
      and(
        eq(endpoints.orgUuid, row.orgUuid),
        eq(endpoints.uuid, row.uuid),
        eq(endpoints.revision, row.revision),
      ),
    )
    .returning();
}

/** No row comes back when it is gone already, or none that the request is held to, or workflows use it and that is not confirmed. */
export function deleteEndpointRow(
  db: Database,
  { orgUuid, uuid, id }: Pick<EndpointRow, 'orgUuid' | 'uuid' | 'id'>,
  { ifMatch, confirmed }: { readonly ifMatch: IfMatch | undefined; readonly confirmed: boolean },
) {
  return db
    .delete(endpoints)
    .where(
      and(
        eq(endpoints.orgUuid, orgUuid),
        eq(endpoints.uuid, uuid),
        heldTo(endpoints.revision, ifMatch),
        confirmed
          ? undefined
          : sql`not exists ${selectUsers(db, orgUuid, 'endpoint', { uuid, id })}`,
      ),
    )
    .returning({ uuid: endpoints.uuid });
}

/** Whether there is no such endpoint, or no longer. */
export function isGone(db: Database, orgUuid: string, uuid: string): SQL {
  return sql`not exists ${selectEndpointUuid(db, orgUuid, { uuid })}`;
}

/** Removes what was counted and seen of an endpoint that is gone. */
export function deleteUsage(db: Database, orgUuid: string, uuid: string) {
  return db
    .delete(endpointUsage)
    .where(
      and(
        eq(endpointUsage.orgUuid, orgUuid),
        eq(endpointUsage.endpointUuid, uuid),
        isGone(db, orgUuid, uuid),
      ),
    );
}

/** Removes every rule on an endpoint that is gone. */
export function deleteRules(db: Database, orgUuid: string, uuid: string) {
  return db
    .delete(rules)
    .where(
      and(eq(rules.orgUuid, orgUuid), eq(rules.resourceUuid, uuid), isGone(db, orgUuid, uuid)),
    );
}

/** What was seen of an endpoint's backend. */
interface Seen {
  readonly connectionStatus: ConnectionStatus;
  /** Unix epoch milliseconds. */
  readonly at: number;
}

/**
 * Notes whether the backend was reached; counters stay as they are. Nothing is written for an
 * endpoint that does not exist.
 */
export function noteConnection(
  db: Database,
  orgUuid: string,
  uuid: string,
  { connectionStatus, at }: Seen,
) {
  const reached = connectionStatus === 'available';
  const values = db
    .select({
      orgUuid: endpoints.orgUuid,
      endpointUuid: endpoints.uuid,
      reads: sql<number>`0`.as('reads'),
      writes: sql<number>`0`.as('writes'),
      errors: sql<number>`0`.as('errors'),
      connectionStatus: sql<ConnectionStatus>`${connectionStatus}`.as('connection_status'),
      lastConnectedAt: sql<number | null>`${reached ? at : null}`.as('last_connected_at'),
      degradedAt: sql<number | null>`null`.as('degraded_at'),
    })
    .from(endpoints)
    .where(and(eq(endpoints.orgUuid, orgUuid), eq(endpoints.uuid, uuid)));
  return db
    .insert(endpointUsage)
    .select(values)
    .onConflictDoUpdate({
      target: [endpointUsage.orgUuid, endpointUsage.endpointUuid],
      set: { connectionStatus, ...(reached ? { lastConnectedAt: at } : {}) },
    });
}
