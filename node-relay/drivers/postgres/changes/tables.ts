/** Looks up the tables that are watched: whether each is there, and what it lacks for its changes to be told. */

import { notAllowed } from '../../../../kinds/allow.ts';
import type { AllowGuard } from '../../../../kinds/postgres/dialect/allow-guard.ts';
import { textArray } from '../../../../kinds/postgres/dialect/array-text.ts';
import type { ChangesRequest, WatchedCollection } from '../../../../proto/changes.ts';
import type { Connection } from '../connection.ts';

/** A table that can be published. */
export interface WatchedTable {
  readonly oid: string;
  readonly namespace: string;
  readonly name: string;
  /** Quoted, with its schema. */
  readonly identifier: string;
}

/** A name of the request, with its table or what is wrong with it. */
export type LookedUp =
  | { readonly watched: WatchedCollection; readonly table: WatchedTable }
  | {
      readonly watched: WatchedCollection;
      readonly fault: string;
      /** `config.allow` does not open it: none of it is told, even where it is published still. */
      readonly isClosed?: true;
    };

/** What is asked for, and which tables `config.allow` opens by schema and name; undefined where all are. */
export interface OwnChangesRequest extends ChangesRequest {
  readonly allowGuard: AllowGuard | undefined;
}

/**
 * Rows: index of the name from 1, OID, schema, name, quoted identifier, kind, persistence, identity, whether the
 * identity has a key, whether the role owns it. $1 are the names, $2 the session's schemas.
 */
const TABLES = `SELECT w.nth, c.oid, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname), c.relkind, c.relpersistence,
  c.relreplident,
  CASE c.relreplident
    WHEN 'd' THEN EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indislive)
    WHEN 'i' THEN EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident AND i.indislive)
    ELSE c.relreplident = 'f' END,
  pg_has_role(c.relowner, 'USAGE'), n.nspname = 'information_schema' OR n.nspname LIKE 'pg\\_%'
FROM unnest($1::text[]) WITH ORDINALITY AS w(name, nth)
CROSS JOIN LATERAL (
  SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    AND (concat(n.nspname, '.', c.relname) = w.name OR (c.relname = w.name AND n.nspname = ANY ($2::text[])))
  ORDER BY concat(n.nspname, '.', c.relname) <> w.name, array_position($2::text[], n.nspname::text) LIMIT 1
) found
JOIN pg_class c ON c.oid = found.oid JOIN pg_namespace n ON n.oid = c.relnamespace`;

/** Looks all names of a request up, in their order. */
export async function lookUpTables(
  connection: Connection,
  { collections, allowGuard }: Pick<OwnChangesRequest, 'collections' | 'allowGuard'>,
): Promise<LookedUp[]> {
  const isOpen = await allowGuard?.openedTo((statement) => connection.rows(statement));
  const [schemas] = await connection.rows({ text: 'SELECT pg_catalog.current_schemas(false)' });
  const names = textArray(collections.map(({ name }) => name));
  const values = [names, schemas?.[0] ?? '{}'];
  const rows = await connection.catalogRows({ text: TABLES, values });
  const byNth = new Map(rows.map((row) => [Number(row[0]) - 1, row]));
  return collections.map((watched, at) => {
    const row = byNth.get(at);
    // Who may not name it does not learn whether it is there.
    if (isOpen && !isOpen(placeOf(watched.name, row))) {
      return { watched, fault: notAllowed('Table', watched.name).message, isClosed: true };
    }
    if (row === undefined) return { watched, fault: `There is no table ${watched.name}` };
    const fault = faultOf(watched, row);
    if (fault !== undefined) return { watched, fault };
    const [, oid, namespace, name, identifier] = row.map((value) => value ?? '');
    return {
      watched,
      table: {
        oid: oid ?? '',
        namespace: namespace ?? '',
        name: name ?? '',
        identifier: identifier ?? '',
      },
    };
  });
}

/** The table that was found; else what the name says, which is open or not by itself. */
function placeOf(name: string, row: readonly (string | null)[] | undefined) {
  const dot = name.indexOf('.');
  const said = { namespace: dot < 0 ? '' : name.slice(0, dot), name: name.slice(dot + 1) };
  return row === undefined ? said : { namespace: row[2] ?? '', name: row[3] ?? '' };
}

function faultOf(
  { name, operations }: WatchedCollection,
  row: readonly (string | null)[],
): string | undefined {
  const [, , , , identifier, kind, persistence, identity, hasKey, isOwned, isSystem] = row;
  if (kind !== 'r' && kind !== 'p') return `${name} is not a table: only tables tell changes`;
  if (isSystem === 't') return `${name} is a table of the server: it tells no changes`;
  if (persistence !== 'p') {
    return `${name} is not logged, and tells no changes: ALTER TABLE ${identifier} SET LOGGED;`;
  }
  if (isOwned !== 't') {
    return `The role of write_conn must own ${name} to tell its changes: grant it the role that does, or ALTER TABLE ${identifier} OWNER TO …;`;
  }
  const insertsOnly = operations.every((operation) => operation === 'insert');
  if (insertsOnly || hasKey === 't') return undefined;
  const how =
    identity === 'd' ? 'has no primary key' : 'has a replica identity that names no row of it';
  return `${name} ${how}, so that updates and deletes cannot be told: give it one, or ALTER TABLE ${identifier} REPLICA IDENTITY FULL;`;
}
