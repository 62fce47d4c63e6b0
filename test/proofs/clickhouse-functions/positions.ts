/** Places in a statement where a function can be named. */

/** A statement around a name: `name` is written, `gap` is before a parenthesis, `argument` is SQL. */
type Position = (name: string, gap: string, argument: string) => string;

/** Places of ordinary functions; all of them the engine takes for one of its own with one argument. */
export const PLACES: { readonly [place: string]: Position } = {
  call: (f, g, x) => `SELECT ${f}${g}(${x})`,
  'nested call': (f, g, x) => `SELECT toString(length(ifNull(toString(${f}${g}(${x})), '')))`,
  'apply in parentheses': (f, g, x) => `SELECT * APPLY${g}(${f}) FROM (SELECT ${x} AS a)`,
  'apply without': (f, _, x) => `SELECT * APPLY ${f} FROM (SELECT ${x} AS a)`,
  'second apply': (f, _, x) => `SELECT * APPLY identity APPLY(${f}) FROM (SELECT ${x} AS a)`,
  'apply of a table': (f, _, x) => `SELECT t.* apply ${f} FROM (SELECT ${x} AS a) AS t`,
  'apply of columns': (f, _, x) => `SELECT columns('a') apply ${f} FROM (SELECT ${x} AS a)`,
  'apply of named columns': (f, _, x) => `SELECT columns(a) APPLY(${f}) FROM (SELECT ${x} AS a)`,
  'apply after except': (f, _, x) =>
    `SELECT * EXCEPT(b) APPLY(${f}) FROM (SELECT ${x} AS a, 1 AS b)`,
  'apply of a lambda': (f, g, x) => `SELECT * APPLY(y -> ${f}${g}(y)) FROM (SELECT ${x} AS a)`,
  replace: (f, g, x) => `SELECT * REPLACE(${f}${g}(a) AS a) FROM (SELECT ${x} AS a)`,
  'higher-order': (f, g, x) => `SELECT arrayMap${g}(${f}, [${x}])`,
  'higher-order in parentheses': (f, _, x) => `SELECT arrayMap((${f}), [${x}])`,
  'higher-order with alias': (f, _, x) => `SELECT arrayMap(${f} AS h, [${x}])`,
  'higher-order filter': (f, _, x) => `SELECT arrayFilter(${f}, [${x}])`,
  'higher-order of a column': (f, _, x) =>
    `SELECT arrayMap(${f}, a) FROM (SELECT [${x}, ${x}] AS a)`,
  'higher-order of pairs': (f, _, x) => `SELECT arrayExists(${f}, [${x}])`,
  lambda: (f, g, x) => `SELECT arrayMap(y -> ${f}${g}(y), [${x}])`,
  'lambda of two': (f, g, x) => `SELECT arrayMap((y, z) -> ${f}${g}(z), [1], [${x}])`,
  with: (f, g, x) => `WITH ${f}${g}(${x}) AS y SELECT y`,
  'common table': (f, g, x) => `WITH y AS (SELECT ${f}${g}(${x})) SELECT * FROM y`,
  'scalar subquery': (f, g, x) => `SELECT (SELECT ${f}${g}(${x}))`,
  subquery: (f, g, x) => `SELECT * FROM (SELECT ${f}${g}(${x}) AS y)`,
  view: (f, g, x) => `SELECT * FROM view(SELECT ${f}${g}(${x}))`,
  join: (f, g, x) =>
    `SELECT 1 FROM items AS i JOIN plain AS p ON i.id = p.id AND i.a != toString(${f}${g}(${x}))`,
  where: (f, g, x) => `SELECT a FROM items WHERE toString(${f}${g}(${x})) != '?'`,
  prewhere: (f, g, x) => `SELECT a FROM items PREWHERE toString(${f}${g}(${x})) != '?'`,
  having: (f, g, x) =>
    `SELECT count() FROM items GROUP BY id HAVING toString(${f}${g}(${x})) != '?'`,
  'group by': (f, g, x) => `SELECT count() FROM items GROUP BY ${f}${g}(${x})`,
  'order by': (f, g, x) => `SELECT a FROM items ORDER BY ${f}${g}(${x})`,
  'limit by': (f, g, x) => `SELECT a FROM items LIMIT 1 BY ${f}${g}(${x})`,
  in: (f, g, x) => `SELECT '' IN (SELECT toString(${f}${g}(${x})))`,
  exists: (f, g, x) => `SELECT EXISTS(SELECT ${f}${g}(${x}))`,
  'window frame': (f, g, x) => `SELECT count() OVER (PARTITION BY ${f}${g}(${x})) FROM items`,
  'aggregate argument': (f, g, x) => `SELECT any(${f}${g}(${x})) FROM items`,
  'aggregate filter': (f, g, x) =>
    `SELECT count() FILTER (WHERE toString(${f}${g}(${x})) != '?') FROM items`,
  branch: (f, g, x) => `SELECT CASE WHEN id > 0 THEN ${f}${g}(${x}) ELSE NULL END FROM items`,
  cast: (f, g, x) => `SELECT ${f}${g}(${x})::String`,
  between: (f, g, x) => `SELECT 'b' BETWEEN 'a' AND toString(${f}${g}(${x}))`,
  'member of a tuple': (f, g, x) => `SELECT (${f}${g}(${x}), 1).1`,
  'argument of a table function': (f, g, x) =>
    `SELECT * FROM numbers(length(toString(${f}${g}(${x}))))`,
  values: (f, g, x) => `SELECT * FROM values('a String', toString(${f}${g}(${x})))`,
  union: (f, g, x) => `SELECT '1' UNION ALL SELECT toString(${f}${g}(${x}))`,
  'array join': (f, g, x) => `SELECT y FROM items ARRAY JOIN [${f}${g}(${x})] AS y`,
  'explained tree': (f, g, x) => `EXPLAIN QUERY TREE SELECT (SELECT ${f}${g}(${x}))`,
  'explained plan': (f, g, x) => `EXPLAIN SELECT ${f}${g}(${x})`,
  described: (f, g, x) => `DESCRIBE (SELECT ${f}${g}(${x}))`,
  parenthesized: (f, g, x) => `(SELECT (((${f}${g}(${x})))))`,
};

/** Places of table functions. */
export const TABLE_PLACES: { readonly [place: string]: Position } = {
  from: (f, g, x) => `SELECT * FROM ${f}${g}(${x})`,
  join: (f, g, x) => `SELECT 1 FROM items AS i CROSS JOIN ${f}${g}(${x}) AS t`,
  comma: (f, g, x) => `SELECT 1 FROM items, ${f}${g}(${x})`,
  'in parentheses': (f, g, x) => `SELECT * FROM (SELECT * FROM ${f}${g}(${x}))`,
  in: (f, g, x) => `SELECT 1 IN ${f}${g}(${x})`,
  'scalar subquery': (f, g, x) => `SELECT (SELECT count() FROM ${f}${g}(${x}))`,
  'common table': (f, g, x) => `WITH y AS (SELECT * FROM ${f}${g}(${x})) SELECT * FROM y`,
  view: (f, g, x) => `SELECT * FROM view(SELECT * FROM ${f}${g}(${x}))`,
  loop: (f, g, x) => `SELECT * FROM loop(${f}${g}(${x})) LIMIT 1`,
  described: (f, g, x) => `DESCRIBE TABLE ${f}${g}(${x})`,
  'described in short': (f, g, x) => `DESC ${f}${g}(${x})`,
  explained: (f, g, x) => `EXPLAIN SELECT * FROM ${f}${g}(${x})`,
  'explained tree': (f, g, x) => `EXPLAIN QUERY TREE SELECT * FROM ${f}${g}(${x})`,
  union: (f, g, x) => `SELECT 1 UNION ALL SELECT 1 FROM ${f}${g}(${x})`,
  'with an alias': (f, g, x) => `SELECT t.* FROM ${f}${g}(${x}) AS t`,
};

/** Places of tables; the database `default` of this engine takes paths for names. */
export const FILE_PLACES: readonly ((table: string) => string)[] = [
  (t) => `SELECT * FROM ${t}`,
  (t) => `SELECT * FROM ${t} AS t`,
  (t) => `SELECT t.* FROM items AS i, ${t} AS t`,
  (t) => `SELECT t.* FROM items AS i CROSS JOIN ${t} AS t`,
  (t) => `SELECT * FROM items AS i JOIN plain AS p ON i.id = p.id, ${t}`,
  (t) => `SELECT * FROM (SELECT * FROM ${t})`,
  (t) => `SELECT * FROM (${t})`,
  (t) => `SELECT (SELECT * FROM ${t})`,
  (t) => `SELECT * FROM view(SELECT * FROM ${t})`,
  (t) => `SELECT * FROM view(FROM ${t} SELECT *)`,
  (t) => `WITH y AS (SELECT * FROM ${t}) SELECT * FROM y`,
  (t) => `SELECT 1 UNION ALL SELECT length(c1) FROM ${t}`,
  (t) => `SELECT * FROM /* x */ ${t} WHERE 1 ORDER BY 1`,
  (t) => `SELECT [(SELECT * FROM ${t})]`,
  (t) => `SELECT if(1 IN (SELECT 1), (SELECT * FROM ${t}), '')`,
];
