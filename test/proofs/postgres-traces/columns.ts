/** Every column of the system catalogs by which a function may be run. */
import type pg from 'pg';

/** A column; `kind` says how it refers to functions. */
export interface Column {
  /** `pg_index.indpred`. */
  readonly name: string;
  readonly kind: 'tree' | 'function';
}

const COLUMNS = `SELECT c.relname || '.' || a.attname AS name,
  CASE WHEN a.atttypid = 'pg_node_tree'::regtype THEN 'tree' ELSE 'function' END AS kind
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
AND (a.atttypid IN ('regproc'::regtype, 'regprocedure'::regtype, 'pg_node_tree'::regtype)
  OR EXISTS (SELECT FROM pg_get_catalog_foreign_keys() k
    WHERE k.fktable = c.oid AND k.pktable = 'pg_proc'::regclass AND a.attname::text = ANY (k.fkcols)))
ORDER BY 1`;

/** As the server's own catalogs tell of them. */
export async function functionColumns(client: pg.Client): Promise<Column[]> {
  return (await client.query<Column>(COLUMNS)).rows;
}

/** Whether a function is in a column by now. */
export async function standsIn(
  client: pg.Client,
  { name, kind }: Column,
  tracer: string,
): Promise<boolean> {
  const [table = '', column = ''] = name.split('.');
  const is =
    kind === 'tree'
      ? `c.${column}::text ~ format(':(funcid|opfuncid) %s\\M', p.oid)`
      : `c.${column}::oid = p.oid`;
  const { rows } = await client.query(
    `SELECT FROM pg_proc p WHERE p.proname = $1 AND EXISTS (SELECT FROM pg_catalog.${table} c WHERE ${is})`,
    [tracer],
  );
  return rows.length > 0;
}

/** What keeps a column from being tried, as its functions are told by the catalogs. */
interface Reason {
  readonly why: string;
  /** Holds for each function of the server that is in the column, of `p`; checked on each run. */
  readonly holds: string;
}

const IN_C = (what: string): Reason => ({
  why: `takes or answers ${what}, of which only C has values`,
  holds: `EXISTS (SELECT FROM unnest(p.proargtypes::oid[] || p.prorettype) t WHERE t IN ('internal'::regtype, 'cstring'::regtype) OR t::regtype::text ~ '_handler$')`,
});
const INTERNAL = IN_C('internal');

/** Columns for which no object can be made without C. */
export const REASONS: Readonly<Record<string, Reason>> = {
  'pg_aggregate.aggfnoid': {
    why: 'names the aggregate itself, whose code the columns beside it name',
    holds: "p.prokind = 'a'",
  },
  'pg_aggregate.aggserialfn': INTERNAL,
  'pg_aggregate.aggdeserialfn': INTERNAL,
  'pg_am.amhandler': INTERNAL,
  'pg_class.relpartbound': {
    why: 'holds constants: what bounds call runs when the table is made',
    holds: 'true',
  },
  'pg_conversion.conproc': INTERNAL,
  'pg_foreign_data_wrapper.fdwhandler': IN_C('a handler'),
  'pg_language.lanplcallfoid': IN_C('a handler'),
  'pg_language.laninline': INTERNAL,
  'pg_operator.oprjoin': INTERNAL,
  'pg_operator.oprrest': INTERNAL,
  'pg_proc.prosupport': INTERNAL,
  'pg_publication_rel.prqual': {
    why: 'takes no functions of users, and none of the server that are not IMMUTABLE',
    holds: 'true',
  },
  'pg_transform.trffromsql': INTERNAL,
  'pg_transform.trftosql': INTERNAL,
  'pg_ts_parser.prsstart': INTERNAL,
  'pg_ts_parser.prstoken': INTERNAL,
  'pg_ts_parser.prsend': INTERNAL,
  'pg_ts_parser.prsheadline': INTERNAL,
  'pg_ts_parser.prslextype': INTERNAL,
  'pg_ts_template.tmplinit': INTERNAL,
  'pg_ts_template.tmpllexize': INTERNAL,
  'pg_type.typinput': IN_C('cstring'),
  'pg_type.typoutput': IN_C('cstring'),
  'pg_type.typmodout': IN_C('cstring'),
  'pg_type.typreceive': INTERNAL,
  'pg_type.typanalyze': INTERNAL,
  'pg_type.typsubscript': INTERNAL,
};

/** Whether the reason stands for all that the server itself has in the column. */
export async function stillHolds(
  client: pg.Client,
  { name, kind }: Column,
  { holds }: Reason,
): Promise<boolean> {
  if (kind === 'tree') return true;
  const [table = '', column = ''] = name.split('.');
  const { rows } = await client.query(
    `SELECT p.oid::regprocedure FROM pg_catalog.${table} c JOIN pg_proc p ON p.oid = c.${column}::oid WHERE NOT (${holds}) LIMIT 1`,
  );
  return rows.length === 0;
}
