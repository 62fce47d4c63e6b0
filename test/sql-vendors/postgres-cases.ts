/** Requests to PostgreSQL with their whole replies, the same whichever way they go. */

import type { PostgresRequest } from '../../kinds/postgres/index.ts';
import { sql } from '../../node-relay/drivers/postgres/test/database.ts';
import type { Mode } from '../../proto/driver.ts';
import type { Json } from '../../proto/json.ts';

/** A request, and what it answers or how it fails. */
interface Case {
  readonly name: string;
  readonly mode?: Mode;
  readonly request: PostgresRequest;
  /** JSON text of the result. */
  readonly answers?: string;
  readonly fails?: { readonly code: string; readonly details?: readonly object[] };
  readonly numbersAsStrings?: boolean;
}

/** What the cases work on; made anew for each way. */
export const SETUP = `
  CREATE TABLE items (id int8 PRIMARY KEY, name text NOT NULL, price numeric, tags text[], doc jsonb, made timestamptz);
  INSERT INTO items VALUES (1, 'one', 1.50, '{a,"b,c"}', '{"n": 12345678901234567890.5}', '2024-01-02 03:04:05+02');
  CREATE TABLE log (id int GENERATED ALWAYS AS IDENTITY, what text UNIQUE);
  CREATE FUNCTION quiet(int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT $1';
  CREATE FUNCTION notes() RETURNS SETOF log LANGUAGE sql VOLATILE AS $$ INSERT INTO log (what) VALUES ('noted'), ('twice') RETURNING * $$;`;

const typed = (params: Json[], query: string, type = 'query_typed') => sql(query, params, { type });
const ITEM =
  '{"columns":[{"name":"id","type":"bigint"},{"name":"name","type":"text"},{"name":"price","type":"numeric"},{"name":"tags","type":"text[]"},{"name":"doc","type":"jsonb"},{"name":"made","type":"timestamp with time zone"}],"rows":[{"id":1,"name":"one","price":"1.50","tags":["a","b,c"],"doc":{"n": 12345678901234567890.5},"made":"2024-01-02T01:04:05Z"}],"row_count":1}';
const COUNT = (n: number) =>
  `{"columns":[{"name":"n","type":"bigint"}],"rows":[{"n":${n}}],"row_count":1}`;
const DONE = (affected: number) =>
  `{"columns":[],"rows":[],"row_count":0,"rows_affected":${affected}}`;
const counted = (code: string) => ({
  code: 'REQUEST_FAILED',
  details: [{ source: 'postgres', code }],
});
const LOGGED = sql('SELECT count(*) AS n FROM log');

/** In this order: later ones see what earlier ones did. */
export const CASES: readonly Case[] = [
  { name: 'every sort of value', mode: 'read', request: sql('SELECT * FROM items'), answers: ITEM },
  {
    name: 'rows as arrays, columns of one name',
    mode: 'read',
    request: sql('SELECT 1 AS a, 2 AS a, NULL AS b', [], { row_format: 'array' }),
    answers:
      '{"columns":[{"name":"a","type":"integer"},{"name":"a","type":"integer"},{"name":"b","type":"text"}],"rows":[[1,2,null]],"row_count":1}',
  },
  {
    name: 'no rows',
    mode: 'read',
    request: sql('SELECT id FROM items WHERE false'),
    answers: '{"columns":[{"name":"id","type":"bigint"}],"rows":[],"row_count":0}',
  },
  {
    name: 'digits beyond doubles',
    mode: 'read',
    request: sql('SELECT $1::int8 AS a, $2::numeric AS b', [
      JSON.rawJSON('9223372036854775807'),
      JSON.rawJSON('0.12345678901234567890123'),
    ]),
    answers:
      '{"columns":[{"name":"a","type":"bigint"},{"name":"b","type":"numeric"}],"rows":[{"a":"9223372036854775807","b":"0.12345678901234567890123"}],"row_count":1}',
  },
  {
    name: 'numbers as strings',
    mode: 'read',
    request: sql('SELECT 1::int8 AS a, 2 AS b, ARRAY[3::int8] AS c'),
    numbersAsStrings: true,
    answers:
      '{"columns":[{"name":"a","type":"bigint"},{"name":"b","type":"integer"},{"name":"c","type":"bigint[]"}],"rows":[{"a":"1","b":2,"c":["3"]}],"row_count":1}',
  },
  {
    name: 'arrays where the statement wants them, JSON where it does not',
    mode: 'read',
    request: sql('SELECT $1::text[] AS a, $2::jsonb AS b, $3::int[] AS c', [
      ['x,y', null],
      [1],
      [1, 2],
    ]),
    answers:
      '{"columns":[{"name":"a","type":"text[]"},{"name":"b","type":"jsonb"},{"name":"c","type":"integer[]"}],"rows":[{"a":["x,y",null],"b":[1],"c":[1,2]}],"row_count":1}',
  },
  {
    name: 'tagged parameters',
    mode: 'read',
    request: sql('SELECT $1::bytea AS a, $2::int8 AS b, $3::jsonb AS c', [
      { $bytes: 'AP8=' },
      { Int8: '7' },
      { a: { b: 1 } },
    ]),
    answers:
      '{"columns":[{"name":"a","type":"bytea"},{"name":"b","type":"bigint"},{"name":"c","type":"jsonb"}],"rows":[{"a":"AP8=","b":7,"c":{"a": {"b": 1}}}],"row_count":1}',
  },
  {
    name: 'parameters that say their types',
    mode: 'read',
    request: typed(
      [
        ['7', 'int8'],
        ['1.10', 'numeric'],
        ['é', 'text'],
        [{ a: 1 }, 'jsonb'],
      ],
      "SELECT 'é' AS e, $1 AS a, $2 AS b, $3 || $3 AS c, $4 AS d, $1 + 1 AS f",
    ),
    answers:
      '{"columns":[{"name":"e","type":"text"},{"name":"a","type":"bigint"},{"name":"b","type":"numeric"},{"name":"c","type":"text"},{"name":"d","type":"jsonb"},{"name":"f","type":"bigint"}],"rows":[{"e":"é","a":7,"b":"1.10","c":"éé","d":{"a": 1},"f":8}],"row_count":1}',
  },
  {
    name: 'a type that is not known',
    mode: 'read',
    request: typed([[1, 'int9']], 'SELECT $1'),
    fails: { code: 'BAD_REQUEST', details: [{ path: 'params.0' }] },
  },
  {
    name: 'a syntax error with its place',
    request: sql('SELECT 1 FRM x y'),
    fails: {
      code: 'REQUEST_FAILED',
      details: [{ source: 'postgres', code: '42601', position: 14 }],
    },
  },
  {
    name: 'the place of an error behind parameters with types',
    request: typed(
      [
        [1, 'int4'],
        [2, 'int8'],
      ],
      "SELECT 'é', $1, $2, nosuch FROM items",
    ),
    fails: {
      code: 'REQUEST_FAILED',
      details: [{ source: 'postgres', code: '42703', position: 21 }],
    },
  },
  {
    name: 'a table that is not there',
    mode: 'read',
    request: sql('SELECT * FROM missing'),
    fails: {
      code: 'REQUEST_FAILED',
      details: [
        {
          source: 'postgres',
          code: '42P01',
          message: 'relation "missing" does not exist',
          position: 15,
        },
      ],
    },
  },
  {
    name: 'a change',
    request: sql('INSERT INTO log (what) VALUES ($1), ($2)', ['a', 'b']),
    answers: DONE(2),
  },
  {
    name: 'a change that answers rows',
    request: sql("UPDATE log SET what = 'c' WHERE what = 'b' RETURNING what"),
    answers:
      '{"columns":[{"name":"what","type":"text"}],"rows":[{"what":"c"}],"row_count":1,"rows_affected":1}',
  },
  {
    name: 'a duplicate',
    request: sql("INSERT INTO log (what) VALUES ('a')"),
    fails: {
      code: 'CONSTRAINT_VIOLATED',
      details: [{ source: 'postgres', code: '23505', constraint: 'log_what_key' }],
    },
  },
  {
    name: 'one row of a change that answers one',
    request: sql("INSERT INTO log (what) VALUES ('one') RETURNING what, 1 AS what", [], {
      type: 'query_one',
      row_format: 'array',
    }),
    answers:
      '{"columns":[{"name":"what","type":"text"},{"name":"what","type":"integer"}],"rows":[["one",1]],"row_count":1,"rows_affected":1}',
  },
  {
    name: 'one row of a change that answers two, undone',
    request: sql("INSERT INTO log (what) VALUES ('x'), ('y') RETURNING id", [], {
      type: 'query_one',
    }),
    fails: counted('P0003'),
  },
  {
    name: 'one row of a change that answers none',
    request: sql("DELETE FROM log WHERE what = 'nobody' RETURNING id", [], { type: 'query_one' }),
    fails: counted('P0002'),
  },
  {
    name: 'at most one row of a change that answers none',
    request: sql("DELETE FROM log WHERE what = 'nobody' RETURNING what", [], { type: 'query_opt' }),
    answers:
      '{"columns":[{"name":"what","type":"text"}],"rows":[],"row_count":0,"rows_affected":0}',
  },
  {
    name: 'at most one row of a SELECT that writes two, undone',
    request: sql('SELECT what FROM notes() -- all of them', [], { type: 'query_opt' }),
    fails: counted('P0003'),
  },
  { name: 'nothing of what was undone', request: LOGGED, answers: COUNT(3) },
  {
    name: 'one row of a read',
    mode: 'read',
    request: sql('SELECT id AS n FROM items', [], { type: 'query_one' }),
    answers: COUNT(1),
  },
  {
    name: 'one row where there are two',
    mode: 'read',
    request: sql('SELECT generate_series(1, 2)', [], { type: 'query_one' }),
    fails: counted('P0003'),
  },
  {
    name: 'several statements',
    request: sql(
      "INSERT INTO log (what) VALUES ('s'); SELECT count(*) AS n FROM log; DELETE FROM log WHERE what = 's'",
      [],
      { type: 'simple' },
    ),
    answers: `{"results":[${DONE(1)},${COUNT(4)},${DONE(1)}]}`,
  },
  {
    name: 'several statements, all or none',
    request: sql("INSERT INTO log (what) VALUES ('t'); SELECT 1/0", [], { type: 'batch_execute' }),
    fails: { code: 'REQUEST_FAILED', details: [{ source: 'postgres', code: '22012' }] },
  },
  {
    name: 'several reads',
    mode: 'read',
    request: sql('SELECT count(*) AS n FROM log; SELECT 1::int8 AS n', [], {
      type: 'simple_read_only',
    }),
    answers: `{"results":[${COUNT(3)},${COUNT(1)}]}`,
  },
  {
    name: 'a definition',
    request: sql('CREATE TABLE made (id int)', [], { type: 'execute' }),
    answers: '{"columns":[],"rows":[],"row_count":0}',
  },
  {
    name: 'what may not be in a transaction block',
    request: sql('VACUUM made'),
    answers: '{"columns":[],"rows":[],"row_count":0}',
  },
  {
    name: 'the same among several, alone',
    request: sql('VACUUM made;', [], { type: 'simple' }),
    answers: '{"results":[{"columns":[],"rows":[],"row_count":0}]}',
  },
  {
    name: 'a write on a read',
    mode: 'read',
    request: sql('DELETE FROM items'),
    fails: { code: 'BAD_REQUEST', details: [{ rule: 'read_statement', path: 'query' }] },
  },
  {
    name: "a user's function on a read",
    mode: 'read',
    request: sql('SELECT quiet(1)'),
    fails: {
      code: 'BAD_REQUEST',
      details: [{ rule: 'read_volatile_function', function: 'public.quiet' }],
    },
  },
  {
    name: 'a type that never writes',
    request: sql('INSERT INTO log (what) VALUES (1)', [], { type: 'query_read_only' }),
    fails: { code: 'BAD_REQUEST', details: [{ rule: 'read_statement' }] },
  },
  {
    name: 'several statements where one is asked for',
    request: sql('SELECT 1; SELECT 2'),
    fails: { code: 'BAD_REQUEST', details: [{ path: 'query' }] },
  },
];
