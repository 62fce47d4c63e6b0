/** Warns of roles of `config.session` that a credential cannot take, and says what gives them. keys-and-doors.md §3, §5. */
import type { ConnectionUse, Warning } from '../../../proto/driver.ts';
import type { AskRows } from './ask.ts';
import { MEMBERS } from './warnings.ts';

/** Most roles that a message names. */
const NAMES_MAX = 10;

/**
 * SET ROLE asks the role that logged in. Since 16 a membership may be without the right to it,
 * which has to be named to be given. To be run with `search_path` on pg_catalog.
 */
const REFUSED = `SELECT named.role, quote_ident(named.role), quote_ident(session_user),
    CASE WHEN r.oid IS NULL THEN '' WHEN pg_has_role(session_user, r.oid, 'MEMBER') THEN ' WITH SET TRUE' END,
    count(*) OVER ()
  FROM json_array_elements_text($1) named(role) LEFT JOIN pg_roles r ON r.rolname = named.role
  WHERE r.oid IS NULL OR NOT pg_has_role(session_user, r.oid,
    CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
  LIMIT ${NAMES_MAX}`;

/**
 * Nothing where all of them can be taken.
 * @param ask looks up in the catalog, with `search_path` on pg_catalog
 * @param roles that the endpoint's configuration names
 */
export async function roleWarnings(
  ask: AskRows,
  roles: readonly string[],
  use: ConnectionUse,
): Promise<Warning[]> {
  if (roles.length === 0) return [];
  const rows = await ask({ text: REFUSED, values: [JSON.stringify(roles)] });
  if (rows.length === 0) return [];
  const names = rows.map(([role]) => role).join(', ');
  const others = Number(rows[0]?.[4]) - rows.length;
  const all = others > 0 ? `${names} and ${others} more` : names;
  const mends = rows.flatMap(([, role, own, form]) => [
    // Of a role that is not there.
    ...(form === '' ? [`CREATE ROLE ${role} NOLOGIN;`] : []),
    `GRANT ${role} TO ${own}${form ?? ''};`,
  ]);
  const message =
    `config.session names roles that the credential of ${MEMBERS[use]} cannot take: ${all}. Requests that run as one of them fail. ` +
    `Name other roles, or run as an administrator of the database: ${mends.join(' ')}`;
  return [{ code: 'SESSION_ROLE_REFUSED', message }];
}
