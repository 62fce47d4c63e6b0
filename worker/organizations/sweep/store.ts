/** Statements that remove what a deleted organization had, some rows at a time. */
import { and, asc, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { deleteHeads } from '../../audit/store.ts';
import type { Database } from '../../context.ts';
import { apiKeyDigests, apiKeys } from '../../db/keys.ts';
import { nodes } from '../../db/nodes.ts';
import {
  endpoints,
  endpointUsage,
  memberActivity,
  memberships,
  organizations,
  passwordResets,
  placements,
  rules,
} from '../../db/schema.ts';
import { auditTotals, storageHoldings } from '../../db/storage.ts';
import { workflowTasks } from '../../db/tasks.ts';
import {
  templateReferences,
  templateRuns,
  templates,
  templateUsage,
  templateVersions,
} from '../../db/templates.ts';
import {
  workflowDeadLetters,
  workflowHooks,
  workflowReferences,
  workflowRuns,
  workflows,
  workflowTotals,
  workflowTriggerNews,
  workflowTriggers,
  workflowVersions,
} from '../../db/workflows.ts';

/** An organization that is marked as deleted. */
export interface DeletedOrganization {
  readonly uuid: string;
  /** Unix epoch milliseconds. */
  readonly deletedAt: number;
}

/** Organizations that are marked, the oldest first. */
export function selectMarked(db: Database, limit: number) {
  return db
    .select({ uuid: organizations.uuid, deletedAt: sql<number>`${organizations.deletedAt}` })
    .from(organizations)
    .where(isNotNull(organizations.deletedAt))
    .orderBy(asc(organizations.deletedAt))
    .limit(limit);
}

/** UUIDs of some of the organization's endpoints. */
export function selectSomeEndpoints(db: Database, orgUuid: string, limit: number) {
  return db
    .select({ uuid: endpoints.uuid })
    .from(endpoints)
    .where(eq(endpoints.orgUuid, orgUuid))
    .limit(limit);
}

/** Removes endpoints by UUID. */
export function deleteEndpoints(db: Database, orgUuid: string, uuids: readonly string[]) {
  return db
    .delete(endpoints)
    .where(
      and(
        eq(endpoints.orgUuid, orgUuid),
        sql`${endpoints.uuid} in (select value from json_each(${JSON.stringify(uuids)}))`,
      ),
    );
}

/**
 * For one batch: removes at most `limit` rows of each table, except endpoints, whose deletion relays are
 * told, and the audit. Accounts stay; of those that are members nowhere else, started
 * resets go.
 */
export function deleteSome(db: Database, orgUuid: string, limit: number) {
  return [
    deleteResets(db, orgUuid, limit),
    deleteRows(db, memberships, orgUuid, limit),
    deleteRows(db, memberActivity, orgUuid, limit),
    deleteRows(db, rules, orgUuid, limit),
    deleteRows(db, apiKeys, orgUuid, limit),
    deleteRows(db, apiKeyDigests, orgUuid, limit),
    deleteRows(db, placements, orgUuid, limit),
    deleteRows(db, nodes, orgUuid, limit),
    deleteRows(db, endpointUsage, orgUuid, limit),
    deleteRows(db, templates, orgUuid, limit),
    deleteRows(db, templateVersions, orgUuid, limit),
    deleteRows(db, templateReferences, orgUuid, limit),
    deleteRows(db, templateUsage, orgUuid, limit),
    deleteRows(db, templateRuns, orgUuid, limit),
    deleteRows(db, workflows, orgUuid, limit),
    deleteRows(db, workflowVersions, orgUuid, limit),
    deleteRows(db, workflowReferences, orgUuid, limit),
    deleteRows(db, workflowHooks, orgUuid, limit),
    deleteRows(db, workflowTriggers, orgUuid, limit),
    deleteRows(db, workflowTriggerNews, orgUuid, limit),
    deleteRows(db, workflowRuns, orgUuid, limit),
    deleteRows(db, workflowTasks, orgUuid, limit),
    deleteRows(db, workflowDeadLetters, orgUuid, limit),
    deleteRows(db, workflowTotals, orgUuid, limit),
    deleteRows(db, storageHoldings, orgUuid, limit),
    deleteRows(db, auditTotals, orgUuid, limit),
    deleteHeads(db, orgUuid),
  ] as const;
}

/** The first rows of an organization: the same for every statement of a batch. */
function firstOf(table: SQLiteTable, orgUuid: string, limit: number): SQL {
  return sql`(select "rowid" from ${table} where "org_uuid" = ${orgUuid} order by "rowid" limit ${limit})`;
}

function deleteRows(db: Database, table: SQLiteTable, orgUuid: string, limit: number) {
  return db.delete(table).where(sql`"rowid" in ${firstOf(table, orgUuid, limit)}`);
}

/** Of the accounts whose memberships the same batch removes next. */
function deleteResets(db: Database, orgUuid: string, limit: number) {
  const accountsOfStep = sql`(select "own"."account_uuid" from ${memberships} as "own"
    where "own"."rowid" in ${firstOf(memberships, orgUuid, limit)}
      and not exists (select 1 from ${memberships} as "other"
        where "other"."account_uuid" = "own"."account_uuid" and "other"."org_uuid" <> ${orgUuid}))`;
  return db.delete(passwordResets).where(sql`${passwordResets.accountUuid} in ${accountsOfStep}`);
}

/** Removes what is left of the organization itself. */
export function deleteMarked(db: Database, orgUuid: string) {
  return db
    .delete(organizations)
    .where(and(eq(organizations.uuid, orgUuid), isNotNull(organizations.deletedAt)));
}
