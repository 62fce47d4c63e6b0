/** Statements about sealed data keys, of one organization and, for the change of the key that seals them, of all. */
import { and, eq, gt, ne, not, sql } from 'drizzle-orm';
import type { Database } from '../context.ts';
import { organizations } from '../db/schema.ts';

/** At most one row; its key is empty where the organization is deleted. */
export function selectSealedDataKey(db: Database, orgUuid: string) {
  return db
    .select({ sealedDataKey: organizations.sealedDataKey })
    .from(organizations)
    .where(eq(organizations.uuid, orgUuid));
}

/** Data keys that do not begin with `seal`, after the organization `after`, in their order. */
export function selectSealedOtherwise(db: Database, seal: string, after: string, limit: number) {
  return db
    .select({ orgUuid: organizations.uuid, sealedDataKey: organizations.sealedDataKey })
    .from(organizations)
    .where(and(gt(organizations.uuid, after), sealedOtherwise(seal)))
    .orderBy(organizations.uuid)
    .limit(limit);
}

/** Changes nothing where the key is another by now. */
export function updateSealedDataKey(db: Database, orgUuid: string, from: string, to: string) {
  return db
    .update(organizations)
    .set({ sealedDataKey: to })
    .where(and(eq(organizations.uuid, orgUuid), eq(organizations.sealedDataKey, from)));
}

function sealedOtherwise(seal: string) {
  const begins = sql`substr(${organizations.sealedDataKey}, 1, ${seal.length}) = ${seal}`;
  return and(ne(organizations.sealedDataKey, ''), not(begins));
}
