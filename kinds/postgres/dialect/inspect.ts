/** Reports tables, columns, keys and indexes from the catalog; what the role has no right on is left out. */
import type { InspectedTable, InspectedTables, InspectPage } from '../../../proto/driver.ts';
import type { AskRows } from './ask.ts';
import type { TypeRegistry } from './types.ts';

/**
 * One row per table, a page of them by namespace and name in the order of their bytes. Columns
 * carry the OID of their type, of a domain that of what it stands on, because that is what
 * results name. $1 and $2 are the last table of the page before, $3 is the page's length.
 */
const TABLES = `WITH page AS MATERIALIZED (
  SELECT c.oid, n.nspname, c.relname, c.relkind
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
    AND (n.nspname, c.relname) > ($1::name, $2::name)
    AND has_schema_privilege(n.oid, 'USAGE')
    AND (has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
      OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))
  ORDER BY n.nspname, c.relname LIMIT $3::int8
)
SELECT p.nspname, p.relname, p.relkind,
  (SELECT coalesce(json_agg(json_build_array(a.attname, base.oid::int8, NOT (a.attnotnull OR base.must)) ORDER BY a.attnum), '[]')
    FROM pg_attribute a CROSS JOIN LATERAL (
      WITH RECURSIVE down(oid, typtype, typbasetype, must) AS (
        SELECT t.oid, t.typtype, t.typbasetype, t.typnotnull FROM pg_type t WHERE t.oid = a.atttypid
        UNION ALL
        SELECT t.oid, t.typtype, t.typbasetype, d.must OR t.typnotnull
        FROM down d JOIN pg_type t ON t.oid = d.typbasetype WHERE d.typtype = 'd'
      ) SELECT d.oid, d.must FROM down d WHERE d.typtype <> 'd'
    ) base
    WHERE a.attrelid = p.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND has_column_privilege(p.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES')),
  (SELECT coalesce(json_agg(json_build_array(x.relname, i.indisunique, i.indisprimary,
      (SELECT json_agg(CASE WHEN i.indkey[k - 1] = 0 THEN pg_get_indexdef(i.indexrelid, k, false)
          ELSE (SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = p.oid AND a.attnum = i.indkey[k - 1]) END ORDER BY k)
        FROM generate_series(1, i.indnkeyatts::int4) k)) ORDER BY x.relname), '[]')
    FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    WHERE i.indrelid = p.oid AND i.indislive)
FROM page p ORDER BY p.nspname, p.relname`;

const KINDS: { readonly [relkind: string]: string } = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
};

type ColumnRow = readonly [name: string, type: number, nullable: boolean];
type IndexRow = readonly [name: string, unique: boolean, primary: boolean, columns: string[]];

/** A table before its types have names. */
interface TableRow extends Pick<InspectedTable, 'namespace' | 'name' | 'type'> {
  readonly columns: readonly ColumnRow[];
  readonly indexes: readonly IndexRow[];
}

/**
 * A page of tables, views, materialized views, partitioned and foreign tables outside the
 * system's own schemas. A page whose text is over `bytesMax` ends early.
 * @param asks `catalog` whatever the session's search path, `types` along it, as results name them
 */
export async function inspectTables(
  asks: { readonly catalog: AskRows; readonly types: AskRows },
  types: TypeRegistry,
  { after = ['', ''], limit }: InspectPage,
  bytesMax: number,
): Promise<InspectedTables> {
  const rows = await asks.catalog({ text: TABLES, values: [...after, String(limit + 1)] });
  const tables: TableRow[] = [];
  let bytes = 0;
  for (const [namespace, name, kind, columns, indexes] of rows.slice(0, limit)) {
    bytes += (columns?.length ?? 0) + (indexes?.length ?? 0);
    if (bytes > bytesMax && tables.length > 0) break;
    tables.push({
      namespace: namespace ?? '',
      name: name ?? '',
      type: KINDS[kind ?? ''] ?? 'table',
      // The statement above makes them.
      columns: JSON.parse(columns ?? '[]') as ColumnRow[],
      indexes: JSON.parse(indexes ?? '[]') as IndexRow[],
    });
  }
  const oids = new Set(tables.flatMap(({ columns }) => columns.map(([, type]) => type)));
  await types.learn([...oids], asks.types);
  return {
    tables: tables.map((table) => withTypeNames(types, table)),
    more: rows.length > tables.length,
  };
}

function withTypeNames(
  types: TypeRegistry,
  { columns, indexes, ...table }: TableRow,
): InspectedTable {
  const [primary] = indexes.filter(([, , isPrimary]) => isPrimary);
  return {
    ...table,
    columns: columns.map(([name, type, nullable]) => ({
      name,
      type: types.get(type)?.name ?? 'unknown',
      nullable,
    })),
    primary_key: primary?.[3] ?? [],
    indexes: indexes.map(([name, unique, , of]) => ({ name, columns: of, unique })),
  };
}
