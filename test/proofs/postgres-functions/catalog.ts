/** What a server's catalogs say of its functions and types, after every extension that it has been made. */
import type pg from 'pg';

/** A type, as values of it are made. */
export interface ServerType {
  readonly oid: number;
  /** As `format_type` writes it, with its schema where it needs one. */
  readonly name: string;
  readonly typname: string;
  /** As in pg_type: b, c, d, e, p, r, m. */
  readonly typtype: string;
  readonly element: number;
  readonly array: number;
  readonly base: number;
  /** Of an enum. */
  readonly label: string | null;
}

/** A function, procedure, aggregate or window function. */
export interface ServerFunction {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** As in pg_proc: f, p, a, w. */
  readonly kind: string;
  readonly volatility: 'i' | 's' | 'v';
  readonly returnsSet: boolean;
  readonly returns: number;
  /** Without OUT arguments. */
  readonly args: readonly number[];
  /** Of the arguments above; empty where one has none. */
  readonly names: readonly string[];
  readonly defaults: number;
  /** The last argument is VARIADIC. */
  readonly variadic: boolean;
  /** There are OUT arguments, so that a record needs no column list. */
  readonly hasOut: boolean;
  /** Of an aggregate: n, o, h; and how many arguments are direct. */
  readonly aggregate: string | null;
  readonly direct: number;
  readonly extension: string | null;
}

/** Everything that can be named. */
export interface Catalog {
  readonly functions: readonly ServerFunction[];
  readonly types: ReadonlyMap<number, ServerType>;
  /** Pairs `source>target` between which there is a cast. */
  readonly casts: ReadonlySet<string>;
  /** Types with a default operator class for B-trees. */
  readonly sortable: ReadonlySet<number>;
  readonly extensions: readonly string[];
}

/** Makes every extension that the server has files of and that works there. */
async function createExtensions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM pg_available_extensions ORDER BY name',
  );
  for (const { name } of rows) {
    // Some need programs that the machine lacks, such as a Python of another version.
    await client.query(`CREATE EXTENSION IF NOT EXISTS "${name}" CASCADE`).catch(() => {});
  }
  const made = await client.query<{ extname: string }>(
    'SELECT extname FROM pg_extension ORDER BY 1',
  );
  return made.rows.map(({ extname }) => extname);
}

const FUNCTIONS = `SELECT p.oid::int, n.nspname AS schema, p.proname AS name, p.prokind AS kind,
  p.provolatile AS volatility, p.proretset AS "returnsSet", p.prorettype::int AS returns,
  string_to_array(p.proargtypes::text, ' ')::int[] AS args,
  coalesce((SELECT array_agg(coalesce(p.proargnames[i], '') ORDER BY i)
    FROM generate_subscripts(coalesce(p.proargmodes, array_fill('i'::"char", ARRAY[p.pronargs::int])), 1) i
    WHERE coalesce(p.proargmodes[i], 'i') IN ('i', 'b', 'v')), '{}') AS names,
  p.pronargdefaults::int AS defaults, p.provariadic <> 0 AS variadic, p.proallargtypes IS NOT NULL AS "hasOut",
  a.aggkind AS aggregate, coalesce(a.aggnumdirectargs, 0)::int AS direct, x.extname AS extension
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
LEFT JOIN pg_extension x ON x.oid = d.refobjid
ORDER BY n.nspname, p.proname, p.oid`;

const TYPES = `SELECT t.oid::int, format_type(t.oid, NULL) AS name, t.typname, t.typtype,
  CASE WHEN t.typsubscript::text = 'array_subscript_handler' THEN t.typelem::int ELSE 0 END AS element,
  t.typarray::int AS array, t.typbasetype::int AS base,
  (SELECT min(enumlabel) FROM pg_enum e WHERE e.enumtypid = t.oid) AS label
FROM pg_type t`;

/** Reads them, extensions made. */
export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const extensions = await createExtensions(client);
  // So that names from elsewhere carry their schema.
  await client.query('BEGIN; SET LOCAL search_path = pg_catalog');
  const functions = await client.query<ServerFunction>(FUNCTIONS);
  const types = await client.query<ServerType>(TYPES);
  const casts = await client.query<{ pair: string }>(
    "SELECT castsource::int || '>' || casttarget::int AS pair FROM pg_cast",
  );
  const sortable = await client.query<{ oid: number }>(
    "SELECT opcintype::int AS oid FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod WHERE m.amname = 'btree' AND c.opcdefault",
  );
  await client.query('COMMIT');
  return {
    functions: functions.rows,
    types: new Map(types.rows.map((type) => [type.oid, type])),
    casts: new Set(casts.rows.map(({ pair }) => pair)),
    sortable: new Set(sortable.rows.map(({ oid }) => oid)),
    extensions,
  };
}
