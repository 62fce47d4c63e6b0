/**
 * The query that follows the catalogs from what a statement names to all functions that can run
 * with it. Nodes are a kind (r relation that is read, w relation that is written, t type, v values
 * of a type, i text form of a type, d the same inside another type, f function, o operator, c operator class), an OID
 * and whether it surely runs; what does not, such as an index's expression while a query is
 * planned, counts for traces only. OIDs below 16384 are the server's own. It is to be run
 * with `search_path` on pg_catalog.
 */

const OWN = 16384;

/** The server's types that users gave an order or a hash, and arrays of them: the server finds that where it has none of its own. */
const ORDERED = `ordered(id) AS MATERIALIZED (SELECT u.id FROM pg_opclass o JOIN pg_type t ON t.oid = o.opcintype
  CROSS JOIN LATERAL (VALUES (t.oid), (t.typarray)) AS u(id)
  WHERE o.oid >= ${OWN} AND o.opcintype < ${OWN} AND o.opcdefault AND o.opcmethod IN (403, 405) AND u.id > 0)`;

/** A type of whose values the server may find something of users. */
const HELD = (id: string) => `(${id} >= ${OWN} OR ${id} IN (SELECT ordered.id FROM ordered))`;

/** Names in a node tree that are before an OID or a list of them. */
const NAMED =
  ':(\\w*(?:funcid|fnoid|Func|handler|opno|opnos|eqop|sortop|neop|[tT]ypes?|typid|typeid|typeId|relid|seqid|opclass)) (?:\\(o ([\\d ]+)\\)|(\\d+))';

/**
 * Types that an expression only hands on: none of them runs but what the server itself looks up
 * while it compares values, sorts them or makes JSON of them.
 */
const HANDED_ON =
  '^(?:vartype|casetype|coalescetype|minmaxtype|aggtype|wintype|refrestype|refcontainertype|refelemtype|aggargtypes|ctecoltypes|colTypes)$';

/** What takes rows, arrays, ranges or anything; but count() looks at no value. */
const ANYTHING = `ARRAY[2249, 2276, 2277, 2283, 2287, 2776, 3831, 4537, 4538, 5077, 5078, 5079, 5080]::oid[]`;

/** Whether what a node tree calls may look into values of a type that it was not made for. */
const COMPARES = `(n.tree ~ '{(?:MINMAX|JSON|ROWCOMPARE|CTESEARCH|CTECYCLE)' OR EXISTS (
    SELECT FROM regexp_matches(n.tree, ':(?:\\w*(?:funcid|fnoid|Func)) (\\d+)', 'g') AS m JOIN pg_proc p ON p.oid = m[1]::oid
    WHERE p.proargtypes::oid[] && ${ANYTHING} AND p.oid <> 2147
  ) OR EXISTS (
    SELECT FROM regexp_matches(n.tree, ':(?:\\w*(?:eqop|sortop|neop)) (\\d+)', 'g') AS m JOIN pg_operator o ON o.oid = m[1]::oid
    WHERE o.oprleft = ANY (${ANYTHING})
  ))`;

/**
 * Objects that a node tree names, as (kind, id, runs).
 * @param from gives `tree`, `runs` and `relation`, the kind of relations named in it
 */
export function namedIn(from: string): string {
  return `SELECT n.kind, n.id, n.runs AND (n.kind <> 'v' OR ${COMPARES}) AS runs FROM (${from}) x CROSS JOIN LATERAL (
    SELECT CASE WHEN m[1] ~ '${HANDED_ON}' OR (m[1] = 'coltypes' AND x.tree !~ 'TABLEFUNC') THEN 'v'
      WHEN m[1] ~ '(?:[tT]ypes?|typid|typeid|typeId)$' THEN 't' WHEN m[1] ~ '(?:op|opno|opnos)$' THEN 'o'
      WHEN m[1] ~ '(?:relid|seqid)$' THEN x.relation WHEN m[1] ~ 'opclass$' THEN 'c' ELSE 'f' END AS kind,
      u.id::oid AS id, x.runs, x.tree
    FROM regexp_matches(x.tree, '${NAMED}', 'g') m
    CROSS JOIN LATERAL unnest(string_to_array(coalesce(m[2], m[3]), ' ')) AS u(id)
  ) n WHERE CASE WHEN n.kind IN ('t', 'v') THEN ${HELD('n.id')} ELSE n.id >= 16 END`;
}

/** A relation that users made. */
const RELATION = `reach.kind IN ('r', 'w') AND reach.id >= ${OWN}`;
const WRITTEN = `reach.kind = 'w' AND reach.id >= ${OWN}`;
const TYPE = `reach.kind = 't' AND reach.id >= ${OWN}`;
const TEXT = `reach.kind IN ('i', 'd') AND reach.id >= ${OWN}`;
const FUNCTION = `reach.kind = 'f' AND reach.id >= ${OWN}`;

/** Expressions that hang on an object, with whether they surely run. */
const TREES = `
  SELECT concat(w.ev_qual::text, w.ev_action::text) AS tree, reach.runs AS runs, reach.kind AS relation
  FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class
  WHERE reach.kind IN ('r', 'w') AND w.ev_class = reach.id AND ((w.ev_type = '1' AND c.relkind = 'v') OR (w.ev_type <> '1' AND reach.kind = 'w'))
  UNION ALL
  SELECT concat(p.polqual::text, p.polwithcheck::text), reach.runs, 'r' FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
  WHERE ${RELATION} AND p.polrelid = reach.id AND c.relrowsecurity
  UNION ALL
  SELECT b.adbin::text, reach.runs, 'r' FROM pg_attrdef b JOIN pg_attribute a ON a.attrelid = b.adrelid AND a.attnum = b.adnum
  WHERE ${RELATION} AND b.adrelid = reach.id AND (a.attgenerated = 'v' OR reach.kind = 'w')
  UNION ALL
  SELECT k.conbin::text, reach.kind = 'w', 'r' FROM pg_constraint k WHERE ${RELATION} AND k.conrelid = reach.id AND k.conbin IS NOT NULL
  UNION ALL
  SELECT concat(i.indexprs::text, i.indpred::text), false, 'r' FROM pg_index i WHERE ${RELATION} AND i.indrelid = reach.id
  UNION ALL
  SELECT to_jsonb(s) ->> 'stxexprs', false, 'r' FROM pg_statistic_ext s WHERE ${RELATION} AND s.stxrelid = reach.id
  UNION ALL
  SELECT p.partexprs::text, false, 'r' FROM pg_partitioned_table p WHERE ${RELATION} AND p.partrelid = reach.id
  UNION ALL
  SELECT c.relpartbound::text, false, 'r' FROM pg_class c WHERE ${RELATION} AND c.oid = reach.id AND c.relpartbound IS NOT NULL
  UNION ALL
  SELECT g.tgqual::text, true, 'r' FROM pg_trigger g WHERE ${WRITTEN} AND g.tgrelid = reach.id AND g.tgqual IS NOT NULL
  UNION ALL
  SELECT k.conbin::text, reach.runs, 'r' FROM pg_constraint k
  WHERE reach.kind IN ('t', 'd') AND reach.id >= ${OWN} AND k.contypid = reach.id AND k.conbin IS NOT NULL
  UNION ALL
  SELECT t.typdefaultbin::text, false, 'r' FROM pg_type t WHERE ${TYPE} AND t.oid = reach.id AND t.typdefaultbin IS NOT NULL
  UNION ALL
  SELECT p.proargdefaults::text, reach.runs, 'r' FROM pg_proc p WHERE ${FUNCTION} AND p.oid = reach.id AND p.proargdefaults IS NOT NULL`;

const RELATIONS = `
  SELECT 't' AS kind, a.atttypid AS id, false AS runs FROM pg_attribute a
  WHERE ${RELATION} AND a.attrelid = reach.id AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= ${OWN}
  UNION ALL
  SELECT reach.kind, i.inhrelid, reach.runs FROM pg_inherits i WHERE ${RELATION} AND i.inhparent = reach.id
  UNION ALL
  SELECT 'r', i.inhparent, false FROM pg_inherits i WHERE ${WRITTEN} AND i.inhrelid = reach.id
  UNION ALL
  SELECT 'f', w.fdwhandler, reach.runs FROM pg_foreign_table x JOIN pg_foreign_server s ON s.oid = x.ftserver
  JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw WHERE ${RELATION} AND x.ftrelid = reach.id
  UNION ALL
  SELECT 'f', 'nextval(regclass)'::regprocedure::oid, true FROM pg_attribute a WHERE ${WRITTEN} AND a.attrelid = reach.id AND a.attidentity <> ''
  UNION ALL
  SELECT 'f', g.tgfoid, true FROM pg_trigger g WHERE ${WRITTEN} AND g.tgrelid = reach.id AND NOT g.tgisinternal
  UNION ALL
  SELECT 'f', m.amhandler::oid, false FROM pg_class c JOIN pg_am m ON m.oid = c.relam WHERE ${RELATION} AND m.oid >= ${OWN}
  AND (c.oid = reach.id OR c.oid IN (SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = reach.id))
  UNION ALL
  SELECT 'c', u.id, reach.runs FROM pg_index i CROSS JOIN LATERAL unnest(i.indclass::oid[]) AS u(id)
  WHERE ${RELATION} AND i.indrelid = reach.id AND u.id >= ${OWN}
  UNION ALL
  SELECT 'c', u.id, reach.runs FROM pg_partitioned_table p CROSS JOIN LATERAL unnest(p.partclass::oid[]) AS u(id)
  WHERE ${RELATION} AND p.partrelid = reach.id AND u.id >= ${OWN}
  UNION ALL
  SELECT v.kind, v.id, true FROM pg_constraint k CROSS JOIN LATERAL (
    SELECT 'r' AS kind, k.confrelid AS id WHERE k.conrelid = reach.id
    UNION ALL SELECT CASE WHEN k.confupdtype IN ('c', 'n', 'd') OR k.confdeltype IN ('c', 'n', 'd') THEN 'w' ELSE 'r' END, k.conrelid WHERE k.confrelid = reach.id
    UNION ALL SELECT 'o', unnest(k.conpfeqop || k.conppeqop || k.conffeqop)
  ) v WHERE ${WRITTEN} AND k.contype = 'f' AND (k.conrelid = reach.id OR k.confrelid = reach.id) AND v.id > 0
  UNION ALL
  SELECT 'o', unnest(k.conexclop), true FROM pg_constraint k WHERE ${WRITTEN} AND k.conrelid = reach.id AND k.conexclop IS NOT NULL`;

/** $LOOSE: whether the statement's own casts are not known, so that any of a type's may run. */
const TYPES = `
  SELECT v.kind, v.id, v.runs FROM pg_type t LEFT JOIN pg_range r ON r.rngtypid = t.oid CROSS JOIN LATERAL (VALUES
    ('t', t.typbasetype, reach.runs), ('t', t.typelem, reach.runs), ('t', r.rngsubtype, reach.runs),
    ('c', r.rngsubopc, reach.runs), ('f', r.rngcanonical::oid, reach.runs), ('f', r.rngsubdiff::oid, false),
    ('f', t.typinput::oid, reach.runs), ('f', t.typoutput::oid, reach.runs), ('f', t.typreceive::oid, false), ('f', t.typsend::oid, false),
    ('f', t.typmodin::oid, reach.runs), ('f', t.typmodout::oid, false), ('f', t.typanalyze::oid, false),
    ('f', (to_jsonb(t) ->> 'typsubscript')::regproc::oid, false)
  ) AS v(kind, id, runs) WHERE ${TYPE} AND t.oid = reach.id AND v.id >= ${OWN}
  UNION ALL
  SELECT 't', r.rngtypid, reach.runs FROM pg_range r WHERE ${TYPE} AND (to_jsonb(r) ->> 'rngmultitypid')::oid = reach.id
  UNION ALL
  SELECT 't', a.atttypid, reach.runs FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
  WHERE ${TYPE} AND t.oid = reach.id AND t.typrelid > 0 AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= ${OWN}
  UNION ALL
  SELECT 'f', c.castfunc, reach.runs AND ($LOOSE OR c.casttarget IN (114, 3802)) FROM pg_cast c
  WHERE ${TYPE} AND (c.castsource = reach.id OR c.casttarget = reach.id) AND c.castfunc > 0
  UNION ALL
  SELECT 'c', o.oid, reach.runs FROM pg_opclass o WHERE ${TYPE} AND o.opcintype = reach.id
  UNION ALL
  SELECT v.kind, v.id, true FROM pg_type t LEFT JOIN pg_range r ON r.rngtypid = t.oid CROSS JOIN LATERAL (VALUES
    (reach.kind, t.typbasetype), ('d', t.typelem), ('d', r.rngsubtype), ('c', r.rngsubopc), ('f', r.rngcanonical::oid), ('f', t.typinput::oid), ('f', t.typmodin::oid)
  ) AS v(kind, id) WHERE ${TEXT} AND t.oid = reach.id AND v.id >= ${OWN}
  UNION ALL
  SELECT 'd', r.rngtypid, true FROM pg_range r WHERE ${TEXT} AND (to_jsonb(r) ->> 'rngmultitypid')::oid = reach.id
  UNION ALL
  SELECT 'd', a.atttypid, true FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
  WHERE ${TEXT} AND t.oid = reach.id AND t.typrelid > 0 AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= ${OWN}`;

/**
 * What the server looks up by the type of a value: orders and hashes of rows, arrays and ranges, casts to JSON. The types
 * of what statistics hold, and of rows that a users' function makes up, are not told: all there is counts.
 */
const VALUES = `
  SELECT 't', reach.id, false WHERE reach.kind = 'v' AND reach.id >= ${OWN}
  UNION ALL
  SELECT v.kind, v.id, reach.runs FROM pg_type t LEFT JOIN pg_range r ON r.rngtypid = t.oid CROSS JOIN LATERAL (VALUES
    ('v', t.typbasetype), ('v', t.typelem), ('v', r.rngsubtype), ('c', r.rngsubopc), ('f', r.rngcanonical::oid)
  ) AS v(kind, id) WHERE reach.kind IN ('t', 'v') AND t.oid = reach.id AND CASE v.kind WHEN 'v' THEN ${HELD('v.id')} ELSE v.id >= ${OWN} END
  UNION ALL
  SELECT 'v', r.rngtypid, reach.runs FROM pg_range r WHERE reach.kind = 'v' AND reach.id >= ${OWN} AND (to_jsonb(r) ->> 'rngmultitypid')::oid = reach.id
  UNION ALL
  SELECT 'v', a.atttypid, reach.runs FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
  WHERE reach.kind IN ('t', 'v') AND reach.id >= ${OWN} AND t.oid = reach.id AND t.typrelid > 0 AND a.attnum > 0 AND NOT a.attisdropped AND ${HELD('a.atttypid')}
  UNION ALL
  SELECT 'v', a.atttypid, reach.runs FROM pg_attribute a
  WHERE reach.kind IN ('r', 'w') AND a.attrelid = reach.id AND a.atttypid IN (SELECT ordered.id FROM ordered)
  UNION ALL
  SELECT CASE c.castmethod WHEN 'b' THEN 'v' ELSE 'f' END, CASE c.castmethod WHEN 'b' THEN c.casttarget ELSE c.castfunc END, reach.runs FROM pg_cast c
  WHERE reach.kind IN ('t', 'v') AND c.oid >= ${OWN} AND c.castsource = reach.id
  AND CASE c.castmethod WHEN 'b' THEN ${HELD('c.casttarget')} ELSE c.casttarget IN (114, 3802) END
  UNION ALL
  SELECT 'c', o.oid, reach.runs FROM pg_opclass o
  WHERE reach.kind IN ('t', 'v') AND o.opcintype = reach.id AND o.oid >= ${OWN} AND o.opcmethod IN (403, 405)
  UNION ALL
  SELECT 'v', v.id, reach.runs FROM pg_proc p CROSS JOIN LATERAL (SELECT p.prorettype UNION SELECT unnest(p.proallargtypes)) AS v(id)
  WHERE reach.kind = 'f' AND p.oid = reach.id AND ${HELD('v.id')}
  UNION ALL
  SELECT v.kind, v.id, reach.runs FROM (
    SELECT 'c' AS kind, o.oid AS id FROM pg_opclass o WHERE o.oid >= ${OWN} AND o.opcdefault AND o.opcmethod IN (403, 405)
    UNION ALL SELECT 'f', c.castfunc FROM pg_cast c WHERE c.castfunc >= ${OWN} AND c.casttarget IN (114, 3802)
  ) v WHERE (reach.kind = 'r' AND reach.id IN (2619, 3429)) OR (reach.kind = 'f' AND reach.id >= ${OWN} AND EXISTS (
    SELECT FROM pg_proc p WHERE p.oid = reach.id AND p.prorettype IN (2249, 2287) AND p.proallargtypes IS NULL))`;

const FUNCTIONS = `
  SELECT v.kind, v.id, v.runs FROM pg_operator o CROSS JOIN LATERAL (VALUES
    ('f', o.oprcode::oid, reach.runs), ('f', o.oprrest::oid, false), ('f', o.oprjoin::oid, false),
    ('f', (SELECT b.oprcode::oid FROM pg_operator b WHERE b.oid = o.oprcom), false),
    ('f', (SELECT b.oprcode::oid FROM pg_operator b WHERE b.oid = o.oprnegate), false)
  ) AS v(kind, id, runs) WHERE reach.kind = 'o' AND o.oid = reach.id AND v.id > 0
  UNION ALL
  SELECT 'f', p.amproc::oid, reach.runs AND reach.id >= ${OWN} FROM pg_amop a JOIN pg_amproc p ON p.amprocfamily = a.amopfamily
  WHERE reach.kind = 'o' AND a.amopopr = reach.id AND p.oid >= ${OWN}
  UNION ALL
  SELECT v.kind, v.id, reach.runs FROM pg_opclass o CROSS JOIN LATERAL (
    SELECT 'f' AS kind, p.amproc::oid AS id, p.oid AS made FROM pg_amproc p WHERE p.amprocfamily = o.opcfamily
    UNION ALL SELECT 'f', b.oprcode::oid, a.oid FROM pg_amop a JOIN pg_operator b ON b.oid = a.amopopr WHERE a.amopfamily = o.opcfamily
    UNION ALL SELECT 't', o.opckeytype, o.opckeytype
  ) v WHERE reach.kind = 'c' AND o.oid = reach.id AND v.made >= ${OWN}
  UNION ALL
  SELECT 't', v.id, reach.runs AND $LOOSE FROM pg_proc p CROSS JOIN LATERAL (
    SELECT p.prorettype UNION ALL SELECT unnest(p.proargtypes::oid[])
  ) AS v(id) WHERE ${FUNCTION} AND p.oid = reach.id AND v.id >= ${OWN}
  UNION ALL
  SELECT 'f', p.prosupport::oid, false FROM pg_proc p WHERE ${FUNCTION} AND p.oid = reach.id AND p.prosupport::oid >= ${OWN}
  UNION ALL
  SELECT v.kind, v.id, reach.runs FROM pg_aggregate g CROSS JOIN LATERAL (VALUES
    ('f', g.aggtransfn::oid), ('f', g.aggfinalfn::oid), ('f', g.aggcombinefn::oid), ('f', g.aggserialfn::oid), ('f', g.aggdeserialfn::oid),
    ('f', g.aggmtransfn::oid), ('f', g.aggminvtransfn::oid), ('f', g.aggmfinalfn::oid), ('o', g.aggsortop), ('t', g.aggtranstype), ('t', g.aggmtranstype)
  ) AS v(kind, id) WHERE ${FUNCTION} AND g.aggfnoid = reach.id AND v.id > 0`;

/**
 * The whole query, whose $3 are names refused whatever their volatility: functions that matter of those reached from `seeds`, a select of (kind, id, runs).
 * @param before further common table expressions, each followed by a comma
 * @param direct a select of the functions that the statement itself calls
 * @param loose SQL of a boolean
 */
export function closureQuery(before: string, seeds: string, direct: string, loose: string): string {
  const edges = [namedIn(TREES), RELATIONS, TYPES, VALUES, FUNCTIONS].join('\nUNION ALL\n');
  return `WITH RECURSIVE ${ORDERED}, ${before}
reach(kind, id, runs) AS (
  ${seeds}
  UNION
  SELECT e.kind, e.id, e.runs FROM reach CROSS JOIN LATERAL (${edges.replaceAll('$LOOSE', loose)}) e WHERE e.id > 0
),
direct(id) AS MATERIALIZED (${direct})
SELECT n.nspname, p.proname, p.provolatile = 'v', p.oid < ${OWN}, x.extname,
  p.oid IN (SELECT id FROM direct) AND (2275 = ANY (p.proargtypes::oid[]) OR 2281 = ANY (p.proargtypes::oid[]))
    AND NOT (p.provolatile = 'i' AND p.pronargs = 1 AND p.proargtypes[0] = 2275),
  bool_or(f.runs), l.lanname IN ('c', 'internal')
FROM (SELECT id, runs FROM reach WHERE kind = 'f') f JOIN pg_proc p ON p.oid = f.id
JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
LEFT JOIN pg_extension x ON x.oid = d.refobjid
WHERE p.oid >= ${OWN} OR p.provolatile = 'v' OR p.proname = ANY ($3::name[])
  OR 2275 = ANY (p.proargtypes::oid[]) OR 2281 = ANY (p.proargtypes::oid[])
GROUP BY n.nspname, p.oid, p.proname, p.provolatile, p.proargtypes, x.extname, l.lanname`;
}
