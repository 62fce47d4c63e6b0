/** How much an organization stores: one sum over all that counts. Contract §5, "Quotas". */
import { and, eq, isNull, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { endpoints, memberships, organizations, rules } from '../../db/schema.ts';
import { auditTotals, type StorageHolding, storageHoldings } from '../../db/storage.ts';
import { templateReferences, templateRuns, templateVersions } from '../../db/templates.ts';
import { workflowReferences, workflowVersions } from '../../db/workflows.ts';
import type { AuditLimits } from './audit.ts';
import type { HoldingLimits } from './share.ts';

/** Bytes of what a row holds besides its texts of free length. */
const FIXED_BYTES = {
  endpoint: 200,
  version: 200,
  reference: 100,
  run: 300,
  member: 300,
  rule: 250,
  holding: 150,
};

/** At most one row: bytes of definitions, members, rules, runs, kept replies and audit. */
export function selectStored(db: Database, orgUuid: string) {
  return db
    .select({ bytes: sql<number>`${storedBytes(orgUuid)}` })
    .from(organizations)
    .where(eq(organizations.uuid, orgUuid));
}

function storedBytes(orgUuid: string | SQLWrapper) {
  // Read from a row's head: the text itself is not.
  const bytes = (column: SQLWrapper) => sql`octet_length(${column})`;
  const sums = [
    sql`(select coalesce(sum(${bytes(endpoints.sealedConfig)} + ${bytes(endpoints.description)} + ${FIXED_BYTES.endpoint}), 0)
      from ${endpoints} where ${endpoints.orgUuid} = ${orgUuid})`,
    sql`(select coalesce(sum(${bytes(templateVersions.definition)} + ${FIXED_BYTES.version}), 0)
      from ${templateVersions} where ${templateVersions.orgUuid} = ${orgUuid})`,
    sql`(select count(*) * ${FIXED_BYTES.reference}
      from ${templateReferences} where ${templateReferences.orgUuid} = ${orgUuid})`,
    sql`(select coalesce(sum(${bytes(workflowVersions.definition)} + ${FIXED_BYTES.version}), 0)
      from ${workflowVersions} where ${workflowVersions.orgUuid} = ${orgUuid})`,
    sql`(select count(*) * ${FIXED_BYTES.reference}
      from ${workflowReferences} where ${workflowReferences.orgUuid} = ${orgUuid})`,
    auditBytes(orgUuid),
    sql`(select coalesce(sum(${bytes(memberships.description)} + ${FIXED_BYTES.member}), 0)
      from ${memberships} where ${memberships.orgUuid} = ${orgUuid})`,
    sql`(select coalesce(sum(${bytes(rules.subject)} + ${FIXED_BYTES.rule}), 0)
      from ${rules} where ${rules.orgUuid} = ${orgUuid})`,
    sql`(select count(*) * ${FIXED_BYTES.run}
      from ${templateRuns} where ${templateRuns.orgUuid} = ${orgUuid})`,
    sql`(select coalesce(sum(${storageHoldings.bytes} + ${FIXED_BYTES.holding}), 0)
      from ${storageHoldings} where ${storageHoldings.orgUuid} = ${orgUuid})`,
  ];
  return sql`(${sql.join(sums, sql` + `)})`;
}

function auditBytes(orgUuid: string | SQLWrapper) {
  return sql`coalesce((select ${auditTotals.bytes} from ${auditTotals}
    where ${auditTotals.orgUuid} = ${orgUuid}), 0)`;
}

/**
 * Whether an audit may take what `AuditLimits` leave it. Cheap while it takes no more than its own
 * part: all else that is stored stays within the organization's storage by itself.
 * @param orgUuid a value, or a column of a table that storage is not summed up from
 */
export function hasAuditRoom(orgUuid: string | SQLWrapper, { own, all }: AuditLimits) {
  return sql`(${auditBytes(orgUuid)} <= ${own} or ${storedBytes(orgUuid)} <= ${all})`;
}

/** At most one row: whether there is room, 1 or 0, and for how many days entries are kept, null by default. */
export function selectAuditRoom(db: Database, orgUuid: string, limits: AuditLimits) {
  return db
    .select({
      room: sql<number>`${hasAuditRoom(orgUuid, limits)}`,
      days: sql<number | null>`json_extract(${organizations.settings}, '$.dataRetentionDays')`,
    })
    .from(organizations)
    .where(eq(organizations.uuid, orgUuid));
}

/** Sets what an object holds for a caller; no row comes back where that is more than there is room for. */
export function holdBytes(db: Database, holding: StorageHolding, limits: HoldingLimits) {
  const { orgUuid, holder, caller, bytes } = holding;
  const own = sql`coalesce((select ${storageHoldings.bytes} from ${storageHoldings}
    where ${isHolding(holding)}), 0)`;
  const ofCaller = sql`coalesce((select sum(${storageHoldings.bytes}) from ${storageHoldings}
    where ${storageHoldings.orgUuid} = ${orgUuid} and ${storageHoldings.caller} = ${caller}), 0)`;
  const values = db
    .select({
      orgUuid: sql<string>`${orgUuid}`.as('org_uuid'),
      holder: sql<string>`${holder}`.as('holder'),
      caller: sql<string>`${caller}`.as('caller'),
      bytes: sql<number>`${bytes}`.as('bytes'),
    })
    .from(organizations)
    .where(
      and(
        eq(organizations.uuid, orgUuid),
        isNull(organizations.deletedAt),
        sql`${ofCaller} - ${own} + ${bytes} <= ${limits.caller}`,
        sql`${storedBytes(orgUuid)} - ${own} + ${bytes} <= ${limits.organization}`,
      ),
    );
  return db
    .insert(storageHoldings)
    .select(values)
    .onConflictDoUpdate({
      target: [storageHoldings.orgUuid, storageHoldings.caller, storageHoldings.holder],
      set: { bytes },
    })
    .returning({ bytes: storageHoldings.bytes });
}

/** Lowers what an object holds for a caller; with nothing left the row goes. */
export function giveBack(db: Database, holding: StorageHolding) {
  if (holding.bytes === 0) return db.delete(storageHoldings).where(isHolding(holding));
  return db.update(storageHoldings).set({ bytes: holding.bytes }).where(isHolding(holding));
}

function isHolding({ orgUuid, holder, caller }: StorageHolding) {
  return and(
    eq(storageHoldings.orgUuid, orgUuid),
    eq(storageHoldings.caller, caller),
    eq(storageHoldings.holder, holder),
  );
}
