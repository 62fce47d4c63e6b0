/** Holds statements to the revision that a client has seen. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { IfMatch } from '../revision.ts';

/** What holds for no row. */
export const NEVER = sql`false`;

/**
 * A condition for the statement that writes, so that no change can come between: the row's tag is
 * one of those that `If-Match` names. None when the request is held to nothing.
 */
export function heldTo(tag: SQLWrapper, ifMatch: IfMatch | undefined): SQL | undefined {
  if (ifMatch === undefined || ifMatch === 'any') return undefined;
  return sql`cast(${tag} as text) in (select value from json_each(${JSON.stringify(ifMatch)}))`;
}
