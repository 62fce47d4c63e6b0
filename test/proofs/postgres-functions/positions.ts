/** Places where an expression can be in a statement that reads. */

/** A place; `from` is the version of the server that has it, `set` whether it takes a function that returns a set. */
interface Position {
  readonly name: string;
  readonly from?: number;
  readonly set?: boolean;
  readonly aggregate?: boolean;
  of(expression: string): string;
}

const POSITIONS: readonly Position[] = [
  { name: 'select', set: true, aggregate: true, of: (e) => `SELECT ${e}` },
  {
    name: 'alias',
    set: true,
    aggregate: true,
    of: (e) => `SELECT 1 AS a, ${e} AS "b c" FROM items`,
  },
  { name: 'values', of: (e) => `VALUES (1, NULL), (2, (${e})::text)` },
  { name: 'where', of: (e) => `SELECT id FROM items WHERE (${e}) IS NOT NULL` },
  {
    name: 'cte',
    set: true,
    aggregate: true,
    of: (e) => `WITH c AS (SELECT ${e} AS x) SELECT * FROM c`,
  },
  {
    name: 'materialized',
    set: true,
    aggregate: true,
    of: (e) => `WITH c AS MATERIALIZED (SELECT ${e} AS x) SELECT 1`,
  },
  {
    name: 'recursion',
    of: (e) =>
      `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3 AND ((${e}) IS NULL OR true)) SELECT i FROM r`,
  },
  { name: 'subquery', set: true, aggregate: true, of: (e) => `SELECT (SELECT ${e} LIMIT 1)` },
  {
    name: 'from subquery',
    set: true,
    aggregate: true,
    of: (e) => `SELECT * FROM (SELECT ${e} AS x OFFSET 0) s`,
  },
  { name: 'exists', set: true, of: (e) => `SELECT EXISTS (SELECT ${e} FROM items)` },
  { name: 'array', set: true, of: (e) => `SELECT array_length(ARRAY(SELECT (${e})::text), 1)` },
  { name: 'in', of: (e) => `SELECT 'x' IN (SELECT (${e})::text)` },
  { name: 'any', of: (e) => `SELECT 'x' = ANY (ARRAY[(${e})::text])` },
  { name: 'limit', of: (e) => `SELECT id FROM items LIMIT (SELECT 1 + 0 * length((${e})::text))` },
  {
    name: 'offset',
    of: (e) => `SELECT id FROM items OFFSET 0 * coalesce(length((${e})::text), 0)`,
  },
  { name: 'order by', of: (e) => `SELECT id FROM items ORDER BY (${e})::text, id` },
  { name: 'group by', of: (e) => `SELECT count(*) FROM items GROUP BY (${e})::text` },
  {
    name: 'grouping sets',
    of: (e) => `SELECT count(*) FROM items GROUP BY GROUPING SETS ((id, ((${e})::text)), ())`,
  },
  { name: 'cube', of: (e) => `SELECT count(*) FROM items GROUP BY CUBE (id, ((${e})::text))` },
  {
    name: 'having',
    of: (e) => `SELECT count(*) FROM items HAVING (SELECT (${e}) IS NULL) OR true`,
  },
  { name: 'distinct on', of: (e) => `SELECT DISTINCT ON ((${e})::text) id FROM items` },
  { name: 'filter', of: (e) => `SELECT count(*) FILTER (WHERE (${e}) IS NOT NULL) FROM items` },
  {
    name: 'within aggregate',
    of: (e) => `SELECT string_agg('a', (${e})::text ORDER BY (${e})::text) FROM items`,
  },
  {
    name: 'window',
    of: (e) => `SELECT row_number() OVER (PARTITION BY (${e})::text ORDER BY id) FROM items`,
  },
  {
    name: 'frame',
    of: (e) =>
      `SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN (SELECT 1 + 0 * coalesce(length((${e})::text), 0)) PRECEDING AND CURRENT ROW) FROM items`,
  },
  {
    name: 'join',
    of: (e) => `SELECT 1 FROM items a JOIN items b ON a.id = b.id AND (${e}) IS NOT NULL`,
  },
  { name: 'left join', of: (e) => `SELECT 1 FROM items a LEFT JOIN items b ON (${e}) IS NULL` },
  {
    name: 'union',
    set: true,
    aggregate: true,
    of: (e) => `SELECT NULL UNION ALL SELECT (${e})::text`,
  },
  { name: 'except', set: true, of: (e) => `SELECT 'x' EXCEPT SELECT (${e})::text` },
  { name: 'case', of: (e) => `SELECT CASE WHEN (${e}) IS NULL THEN 1 ELSE 2 END` },
  { name: 'coalesce', of: (e) => `SELECT coalesce((${e})::text, 'none')` },
  { name: 'greatest', of: (e) => `SELECT greatest('a', (${e})::text)` },
  { name: 'nullif', of: (e) => `SELECT nullif((${e})::text, 'a')` },
  { name: 'row', aggregate: true, of: (e) => `SELECT ROW(1, ${e})::text` },
  { name: 'collate', of: (e) => `SELECT (${e})::text COLLATE "C" < 'x'` },
  { name: 'concatenation', of: (e) => `SELECT 'a' || (${e})::text` },
  { name: 'like', of: (e) => `SELECT 'a' LIKE (${e})::text ESCAPE '!'` },
  { name: 'distinct from', of: (e) => `SELECT (${e})::text IS DISTINCT FROM 'x'` },
  { name: 'between', of: (e) => `SELECT 'a' BETWEEN SYMMETRIC (${e})::text AND 'z'` },
  { name: 'subscript', of: (e) => `SELECT (ARRAY[1, 2])[coalesce(length((${e})::text), 1)]` },
  { name: 'argument', of: (e) => `SELECT length(concat(VARIADIC ARRAY[(${e})::text]))` },
  {
    name: 'sample',
    of: (e) =>
      `SELECT * FROM items TABLESAMPLE bernoulli ((SELECT 50 + 0 * coalesce(length((${e})::text), 0)))`,
  },
  {
    name: 'repeatable',
    of: (e) =>
      `SELECT * FROM items TABLESAMPLE system (50) REPEATABLE (coalesce(length((${e})::text), 0))`,
  },
  { name: 'xml', of: (e) => `SELECT xmlelement(name a, xmlattributes((${e})::text AS b))` },
  { name: 'xml forest', of: (e) => `SELECT xmlforest((${e})::text AS a)` },
  {
    name: 'xml table',
    of: (e) =>
      `SELECT * FROM xmltable('/a' PASSING '<a/>'::xml COLUMNS c text PATH 'b' DEFAULT (${e})::text) x`,
  },
  {
    name: 'json path',
    of: (e) => `SELECT jsonb_path_query('{}', '$', jsonb_build_object('x', (${e})::text))`,
  },
  {
    name: 'json object',
    from: 160000,
    of: (e) => `SELECT json_object('a': (${e})::text RETURNING jsonb)`,
  },
  { name: 'json array', from: 160000, of: (e) => `SELECT json_array((${e})::text, 1)` },
  {
    name: 'json aggregate',
    from: 160000,
    of: (e) => `SELECT json_objectagg('a': (${e})::text) FROM items WHERE id = 1`,
  },
  { name: 'json scalar', from: 170000, of: (e) => `SELECT json_scalar((${e})::text)` },
  {
    name: 'json value',
    from: 170000,
    of: (e) => `SELECT json_value('{}'::jsonb, '$.a' DEFAULT (${e})::text ON EMPTY)`,
  },
  {
    name: 'json passing',
    from: 170000,
    of: (e) => `SELECT json_exists('{}'::jsonb, '$.a ? (@ == $x)' PASSING (${e})::text AS x)`,
  },
  {
    name: 'json query',
    from: 170000,
    of: (e) => `SELECT json_query(to_jsonb((${e})::text), '$' WITH WRAPPER)`,
  },
  {
    name: 'json table',
    from: 170000,
    of: (e) =>
      `SELECT * FROM json_table('[1]'::jsonb, '$[*]' PASSING (${e})::text AS x COLUMNS (n text PATH '$' DEFAULT (${e})::text ON EMPTY)) j`,
  },
  {
    name: 'analyzed',
    set: true,
    aggregate: true,
    of: (e) => `EXPLAIN (ANALYZE, COSTS false) SELECT ${e}`,
  },
  {
    name: 'explained',
    set: true,
    aggregate: true,
    of: (e) => `EXPLAIN (VERBOSE, FORMAT json) SELECT ${e}`,
  },
  {
    name: 'commented',
    set: true,
    aggregate: true,
    of: (e) => `/* a */ SELECT -- b\n ${e} /* /* c */ */`,
  },
];

/** How an expression may be placed. */
interface Placing {
  readonly returnsSet: boolean;
  readonly isAggregate: boolean;
  readonly version: number;
}

/** Every place for an expression, as statements by name. */
export function placesOf(placing: Placing): readonly Pick<Position, 'name' | 'of'>[] {
  return POSITIONS.filter(
    ({ from = 0, set = false, aggregate = false }) =>
      from <= placing.version &&
      (set || !placing.returnsSet) &&
      (aggregate || !placing.isAggregate),
  );
}
