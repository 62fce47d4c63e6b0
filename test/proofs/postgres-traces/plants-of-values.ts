/** Functions that the server looks up by the type of a value, while no statement names them: orders, hashes and casts to JSON. */
import { type Plant, queries } from './plant.ts';

/** A default order of a type whose comparison is the function. */
function orderOf(type: string): string {
  const symbols = ['<', '<=', '=', '>=', '>'].map((symbol) => `${symbol}~`);
  const same = `CREATE FUNCTION w.same_N(${type}, ${type}) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true'`;
  const operators = symbols.map(
    (symbol) =>
      `CREATE OPERATOR w.${symbol} (LEFTARG = ${type}, RIGHTARG = ${type}, FUNCTION = w.same_N)`,
  );
  const members = symbols.map((symbol, at) => `OPERATOR ${at + 1} w.${symbol}`).join(', ');
  return `${same}; ${operators.join('; ')}; CREATE OPERATOR CLASS w.class_N DEFAULT FOR TYPE ${type} USING btree AS ${members}, FUNCTION 1 TRACER(${type}, ${type})`;
}

const COMPARED = [
  'SELECT t < t FROM w.t_N t',
  'SELECT t FROM w.t_N t ORDER BY t',
  'SELECT ba < ba FROM w.t_N',
  'SELECT max(ba) FROM w.t_N',
  'SELECT greatest(b, b) FROM w.t_N',
  'SELECT width_bucket(b, ba) FROM w.t_N',
  'SELECT v FROM w.v_N v ORDER BY v',
  'SELECT x < x FROM w.made_N() x',
  'SELECT x < x FROM (SELECT b FROM w.t_N) x',
  'SELECT count(DISTINCT t) FROM w.t_N t',
  'WITH RECURSIVE r(n, c) AS (SELECT id, b FROM w.t_N UNION ALL SELECT n + 1, c FROM r WHERE n < 3) SEARCH BREADTH FIRST BY c SET o SELECT n FROM r ORDER BY o',
];

/** A table with values of a type, a view over it and a function that answers rows of it. */
function holding(type: string, value: string): string {
  return `CREATE TABLE w.t_N (id int, b ${type}, ba ${type}[]); INSERT INTO w.t_N SELECT i, ${value}, ARRAY[${value}, ${value}] FROM (VALUES (1), (1)) v(i); CREATE VIEW w.v_N AS SELECT b, ba FROM w.t_N; CREATE FUNCTION w.made_N() RETURNS TABLE (b ${type}) LANGUAGE sql STABLE AS 'SELECT b FROM w.t_N'`;
}

export const VALUES: readonly Plant[] = [
  {
    column: 'pg_amproc.amproc',
    name: 'order of a type inside rows and arrays',
    before: 'CREATE TYPE w.c_N AS (x int)',
    shape: { args: ['w.c_N', 'w.c_N'], returns: 'int', value: '0' },
    make: `${orderOf('w.c_N')}; ${holding('w.c_N', 'ROW(1)::w.c_N')}`,
    touches: queries(...COMPARED),
  },
  {
    column: 'pg_amproc.amproc',
    name: "order of a type of the server's",
    shape: { args: ['json', 'json'], returns: 'int', value: '0' },
    make: `${orderOf('json')}; ${holding('json', "'1'::json")}`,
    touches: queries(
      ...COMPARED,
      "SELECT ARRAY['1'::json] < ARRAY['1'::json]",
      `SELECT x < x FROM json_each('{"a": 1}') x`,
    ),
  },
  {
    column: 'pg_amproc.amproc',
    name: 'hash of a table that a value names',
    shape: { args: ['int', 'int8'], returns: 'int8', value: '1' },
    make: 'CREATE OPERATOR CLASS w.class_N FOR TYPE int USING hash AS OPERATOR 1 =, FUNCTION 2 TRACER(int, int8); CREATE TABLE w.t_N (a int) PARTITION BY HASH (a w.class_N)',
    touches: queries("SELECT satisfies_hash_partition('w.t_N'::regclass, 1, 0, 5)"),
  },
  {
    column: 'pg_cast.castfunc',
    name: 'cast to JSON',
    before: "CREATE TYPE w.c_N AS ENUM ('a')",
    shape: { args: ['w.c_N'], returns: 'json', value: "'1'::json" },
    make: `CREATE CAST (w.c_N AS json) WITH FUNCTION TRACER(w.c_N); ${holding('w.c_N', "'a'::w.c_N")}`,
    touches: queries(
      'SELECT to_json(b) FROM w.t_N',
      'SELECT row_to_json(t) FROM w.t_N t',
      'SELECT to_jsonb(ba) FROM w.t_N',
      'SELECT json_agg(v) FROM w.v_N v',
      'SELECT to_json(x) FROM w.made_N() x',
      'SELECT to_json((SELECT min(b) FROM w.t_N))',
    ),
  },
];
