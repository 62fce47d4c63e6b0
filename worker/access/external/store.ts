/** Statements about the organizations that external tokens name. */
import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '../../context.ts';
import { organizations } from '../../db/schema.ts';
import { isUuid } from '../../shapes/ids.ts';

/** At most one row: the organization of that id or UUID, unless it was deleted. */
export function selectOrganizationNamed(db: Database, named: string) {
  const isNamed = isUuid(named)
    ? eq(organizations.uuid, named.toLowerCase())
    : eq(organizations.id, named);
  return db
    .select({ uuid: organizations.uuid, id: organizations.id })
    .from(organizations)
    .where(and(isNamed, isNull(organizations.deletedAt)));
}
