/** Asks the catalog which functions a statement reaches: by call, operator, cast, type, view, policy. */
import type { AskRows } from './ask.ts';
import { REFUSED_STABLE, type ReachedFunction } from './server-functions.ts';
import type { References } from './tree.ts';

/**
 * From the names of a statement to functions. Names without a schema are looked up in all schemas, so a
 * search path makes no difference. Objects are pairs of a letter (r relation, t type, f function)
 * and an OID. Rules, policies, virtual columns and domain checks are read both from pg_depend and
 * from their trees, because dependencies on the server's own functions are not recorded. OIDs below 16384 are the server's own.
 * $1 functions, $2 operators, $3 types, $4 relations, $5 fields, $6 whether triggers run, $7 names that are told although not VOLATILE.
 */
const REACH = `WITH RECURSIVE
named_functions AS MATERIALIZED (
  SELECT p.oid FROM pg_catalog.json_to_recordset($1::json) AS f(schema name, name name)
  JOIN pg_catalog.pg_proc p ON p.proname = f.name
  WHERE f.schema IS NULL OR p.pronamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = f.schema)
  UNION
  SELECT p.oid FROM pg_catalog.json_array_elements_text($5::json) AS f(name)
  JOIN pg_catalog.pg_proc p ON p.proname = f.name::name
  JOIN pg_catalog.pg_type a ON a.oid = p.proargtypes[0] AND a.typtype IN ('c', 'd', 'p')
  WHERE p.oid >= 16384 AND p.pronargs - p.pronargdefaults <= 1
),
reach(kind, id) AS (
  SELECT 'f', oid FROM named_functions
  UNION
  SELECT 't', t.oid FROM pg_catalog.json_to_recordset($3::json) AS f(schema name, name name)
  JOIN pg_catalog.pg_type t ON t.typname = f.name
  WHERE t.oid >= 16384 AND (f.schema IS NULL OR t.typnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = f.schema))
  UNION
  SELECT 'r', c.oid FROM pg_catalog.json_to_recordset($4::json) AS f(schema name, name name)
  JOIN pg_catalog.pg_class c ON c.relname = f.name
  WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND (f.schema IS NULL OR c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = f.schema))
  UNION
  SELECT e.kind, e.id FROM reach CROSS JOIN LATERAL (
    SELECT 't' AS kind, a.atttypid AS id FROM pg_catalog.pg_attribute a
    WHERE reach.kind = 'r' AND a.attrelid = reach.id AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= 16384
    UNION ALL
    SELECT 'r', i.inhrelid FROM pg_catalog.pg_inherits i WHERE reach.kind = 'r' AND i.inhparent = reach.id
    UNION ALL
    SELECT 'f', w.fdwhandler FROM pg_catalog.pg_foreign_table x JOIN pg_catalog.pg_foreign_server s ON s.oid = x.ftserver
    JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw WHERE reach.kind = 'r' AND x.ftrelid = reach.id
    UNION ALL
    SELECT 'f', g.tgfoid FROM pg_catalog.pg_trigger g WHERE $6::boolean AND reach.kind = 'r' AND g.tgrelid = reach.id AND NOT g.tgisinternal
    UNION ALL
    SELECT d.kind, d.id FROM (
      SELECT 'pg_catalog.pg_rewrite'::regclass AS class, w.oid, w.ev_action::text AS tree FROM pg_catalog.pg_rewrite w
      WHERE reach.kind = 'r' AND w.ev_class = reach.id AND (w.ev_type = '1' OR $6::boolean)
      UNION ALL
      SELECT 'pg_catalog.pg_policy'::regclass, p.oid, pg_catalog.concat(p.polqual::text, p.polwithcheck::text) FROM pg_catalog.pg_policy p
      WHERE reach.kind = 'r' AND p.polrelid = reach.id
      UNION ALL
      SELECT 'pg_catalog.pg_attrdef'::regclass, b.oid, b.adbin::text FROM pg_catalog.pg_attrdef b
      JOIN pg_catalog.pg_attribute a ON a.attrelid = b.adrelid AND a.attnum = b.adnum
      WHERE reach.kind = 'r' AND b.adrelid = reach.id AND (a.attgenerated = 'v' OR $6::boolean)
      UNION ALL
      SELECT 'pg_catalog.pg_constraint'::regclass, k.oid, k.conbin::text FROM pg_catalog.pg_constraint k
      WHERE reach.kind = 't' AND k.contypid = reach.id AND k.contype = 'c'
    ) x CROSS JOIN LATERAL (
      SELECT CASE m[1] WHEN 'relid' THEN 'r' ELSE 'f' END AS kind, m[2]::pg_catalog.oid AS id
      FROM pg_catalog.regexp_matches(x.tree, ':(funcid|aggfnoid|winfnoid|tsmhandler|relid) (\\d+)', 'g') m
      UNION ALL
      SELECT CASE y.refclassid WHEN 'pg_catalog.pg_class'::regclass THEN 'r' WHEN 'pg_catalog.pg_type'::regclass THEN 't' ELSE 'f' END,
        CASE y.refclassid WHEN 'pg_catalog.pg_operator'::regclass THEN (SELECT o.oprcode::pg_catalog.oid FROM pg_catalog.pg_operator o WHERE o.oid = y.refobjid) ELSE y.refobjid END
      FROM pg_catalog.pg_depend y WHERE y.classid = x.class AND y.objid = x.oid
      AND y.refclassid IN ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_type'::regclass, 'pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_operator'::regclass)
    ) d
    UNION ALL
    SELECT v.kind, v.id FROM pg_catalog.pg_type t CROSS JOIN LATERAL (VALUES
      ('t', t.typbasetype), ('t', t.typelem), ('r', t.typrelid),
      ('t', (SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid)),
      ('f', (SELECT r.rngcanonical::pg_catalog.oid FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid)),
      ('f', t.typinput::pg_catalog.oid), ('f', t.typoutput::pg_catalog.oid)
    ) AS v(kind, id) WHERE reach.kind = 't' AND t.oid = reach.id AND v.id >= 16384
    UNION ALL
    SELECT 'f', v.id FROM pg_catalog.pg_aggregate g CROSS JOIN LATERAL (VALUES
      (g.aggtransfn::pg_catalog.oid), (g.aggfinalfn::pg_catalog.oid), (g.aggcombinefn::pg_catalog.oid),
      (g.aggmtransfn::pg_catalog.oid), (g.aggminvtransfn::pg_catalog.oid), (g.aggmfinalfn::pg_catalog.oid)
    ) AS v(id) WHERE reach.kind = 'f' AND reach.id >= 16384 AND g.aggfnoid = reach.id
    UNION ALL
    SELECT 't', v.id FROM pg_catalog.pg_proc p CROSS JOIN LATERAL (
      SELECT p.prorettype UNION ALL SELECT pg_catalog.unnest(p.proargtypes::pg_catalog.oid[])
    ) AS v(id) WHERE reach.kind = 'f' AND reach.id >= 16384 AND p.oid = reach.id AND v.id >= 16384
  ) e WHERE e.id > 0
),
types AS MATERIALIZED (SELECT id FROM reach WHERE kind = 't'
  UNION SELECT c.reltype FROM pg_catalog.pg_class c JOIN reach ON reach.kind = 'r' AND reach.id = c.oid WHERE c.oid >= 16384),
functions AS (
  SELECT id FROM reach WHERE kind = 'f'
  UNION
  SELECT o.oprcode::pg_catalog.oid FROM pg_catalog.pg_operator o
  LEFT JOIN pg_catalog.json_array_elements_text($2::json) AS f(name) ON o.oprname = f.name::name
  WHERE o.oid >= 16384 AND (
    (f.name IS NOT NULL AND NOT EXISTS (SELECT FROM pg_catalog.pg_operator b WHERE b.oid < 16384 AND b.oprname = o.oprname))
    OR ((f.name IS NOT NULL OR o.oprname IN ('=', '<>', '<', '>', '<=', '>='))
      AND (o.oprleft IN (SELECT id FROM types) OR o.oprright IN (SELECT id FROM types) OR (o.oprleft < 16384 AND o.oprright < 16384))))
  UNION
  SELECT m.amproc::pg_catalog.oid FROM pg_catalog.pg_amproc m WHERE m.amproclefttype >= 16384 AND m.amproclefttype IN (SELECT id FROM types)
  UNION
  SELECT c.castfunc FROM pg_catalog.pg_cast c WHERE c.castfunc >= 16384
  AND (c.castcontext <> 'e' OR EXISTS (SELECT FROM pg_catalog.json_to_recordset($3::json) AS f(name name) JOIN pg_catalog.pg_type t ON t.typname = f.name WHERE t.oid = c.casttarget))
  AND (c.castsource IN (SELECT id FROM types) OR c.casttarget IN (SELECT id FROM types) OR (c.castsource < 16384 AND c.casttarget < 16384))
)
SELECT DISTINCT n.nspname, p.proname, p.provolatile = 'v', p.oid < 16384, x.extname,
  p.oid IN (SELECT oid FROM named_functions) AND (2275 = ANY (p.proargtypes::pg_catalog.oid[]) OR 2281 = ANY (p.proargtypes::pg_catalog.oid[]))
FROM functions f JOIN pg_catalog.pg_proc p ON p.oid = f.id JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
LEFT JOIN pg_catalog.pg_extension x ON x.oid = d.refobjid
WHERE p.oid >= 16384 OR p.provolatile = 'v' OR p.proname = ANY ($7::name[])
  OR 2275 = ANY (p.proargtypes::pg_catalog.oid[]) OR 2281 = ANY (p.proargtypes::pg_catalog.oid[])`;

/** Functions that matter of those reached: users' and extensions' own, VOLATILE ones and those refused by name. */
export async function reachedFunctions(
  references: References,
  withTriggers: boolean,
  ask: AskRows,
): Promise<ReachedFunction[]> {
  const { functions, operators, types, relations, fields } = references;
  const lists = [functions, operators, types, relations, fields];
  if (lists.every((list) => list.length === 0)) return [];
  const rows = await ask({
    text: REACH,
    values: [
      ...lists.map((list) => JSON.stringify(list)),
      String(withTriggers),
      `{${REFUSED_STABLE.join(',')}}`,
    ],
  });
  return rows.map(([schema, name, volatile, serverOwn, extension, rawInput]) => ({
    schema: schema ?? '',
    name: name ?? '',
    volatile: volatile === 't',
    serverOwn: serverOwn === 't',
    extension: extension ?? null,
    rawInput: rawInput === 't',
  }));
}
