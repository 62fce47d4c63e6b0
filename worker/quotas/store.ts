/** How much an organization stores: one sum over all that counts. Contract §5, "Quotas". */
import { eq, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { auditEntries, endpoints, organizations } from '../db/schema.ts';
import { templateReferences, templateVersions } from '../db/templates.ts';

/** Bytes of what a row holds beside its texts of free length. */
const FIXED_BYTES = { endpoint: 200, version: 200, reference: 100, entry: 260 };

/** At most one row: bytes of definitions and audit. */
export function selectStored(db: Database, orgUuid: string) {
  const bytes = (column: SQLWrapper) => sql`length(cast(${column} as blob))`;
  const sums = [
    sql`(select coalesce(sum(${bytes(endpoints.sealedConfig)} + ${bytes(endpoints.description)} + ${FIXED_BYTES.endpoint}), 0)
      from ${endpoints} where ${endpoints.orgUuid} = ${orgUuid})`,
    sql`(select coalesce(sum(${bytes(templateVersions.definition)} + ${FIXED_BYTES.version}), 0)
      from ${templateVersions} where ${templateVersions.orgUuid} = ${orgUuid})`,
    sql`(select count(*) * ${FIXED_BYTES.reference}
      from ${templateReferences} where ${templateReferences.orgUuid} = ${orgUuid})`,
    sql`(select coalesce(sum(length(${auditEntries.details}) + length(${auditEntries.actor})
        + length(${auditEntries.resource}) + ${FIXED_BYTES.entry}), 0)
      from ${auditEntries} where ${auditEntries.orgUuid} = ${orgUuid})`,
  ];
  return db
    .select({ bytes: sql<number>`${sql.join(sums, sql` + `)}` })
    .from(organizations)
    .where(eq(organizations.uuid, orgUuid));
}
