/** How references name workflows. */
import { type SQL, sql } from 'drizzle-orm';
import { workflows } from './workflows.ts';

/**
 * Whether `t` is the workflow that the reference `f` names, by its id or its UUID; for joins. By a list, not by `or`, so that an
 * index finds it whichever it is.
 */
export function isNamedWorkflow(orgUuid: string): SQL {
  return sql`t.org_uuid = ${orgUuid} and t.deleted_at is null and t.uuid in (f.target,
    (select i.uuid from ${workflows} i where i.org_uuid = ${orgUuid} and i.id = f.target
      and i.deleted_at is null))`;
}
