/** Requests to MySQL with their whole replies, the same whichever way they go. */

import type { MysqlRequest } from '../../kinds/mysql/index.ts';
import { sql } from '../../node-relay/drivers/mysql/test/database.ts';
import type { Mode } from '../../proto/driver.ts';

/** A request, and what it answers or how it fails. */
interface Case {
  readonly name: string;
  readonly mode?: Mode;
  readonly request: MysqlRequest;
  /** JSON text of the result. */
  readonly answers?: string;
  readonly fails?: { readonly code: string; readonly details?: readonly object[] };
  readonly numbersAsStrings?: boolean;
}

/** What the cases work on; made anew for each way. */
export const SETUP = `
  CREATE TABLE items (id bigint unsigned PRIMARY KEY AUTO_INCREMENT, name varchar(50) UNIQUE, price decimal(30,9), doc json, made timestamp(3) NULL, raw blob);
  INSERT INTO items VALUES (1, 'one', 1.5, '{"n": 12345678901234567890.5}', '2024-01-02 03:04:05.006', x'00ff');
  CREATE TABLE log (id int PRIMARY KEY AUTO_INCREMENT, what varchar(50) UNIQUE);
  CREATE FUNCTION quiet(a int) RETURNS int DETERMINISTIC NO SQL RETURN a + 1;`;

const ITEM =
  '{"columns":[{"name":"id","type":"bigint unsigned"},{"name":"name","type":"varchar"},{"name":"price","type":"decimal"},{"name":"doc","type":"json"},{"name":"made","type":"timestamp"},{"name":"raw","type":"blob"}],"rows":[{"id":1,"name":"one","price":"1.500000000","doc":{"n": 12345678901234567890.5},"made":"2024-01-02T03:04:05.006Z","raw":"AP8="}],"row_count":1}';
const COUNT = (n: number) =>
  `{"columns":[{"name":"n","type":"bigint"}],"rows":[{"n":${n}}],"row_count":1}`;
const DONE = (affected: number, id?: string) =>
  `{"columns":[],"rows":[],"row_count":0,"rows_affected":${affected}${id === undefined ? '' : `,"insert_id":${id}`}}`;
const counted = (code: string) => ({
  code: 'REQUEST_FAILED',
  details: [{ source: 'mysql', code }],
});
const LOGGED = sql('SELECT count(*) AS n FROM log');

/** In this order: later ones see what earlier ones did. */
export const CASES: readonly Case[] = [
  { name: 'every sort of value', mode: 'read', request: sql('SELECT * FROM items'), answers: ITEM },
  {
    name: 'rows as arrays, columns of one name',
    mode: 'read',
    request: sql('SELECT id AS a, name AS a FROM items', [], { row_format: 'array' }),
    answers:
      '{"columns":[{"name":"a","type":"bigint unsigned"},{"name":"a","type":"varchar"}],"rows":[[1,"one"]],"row_count":1}',
  },
  {
    name: 'no rows',
    mode: 'read',
    request: sql('SELECT id FROM items WHERE 1 = 0'),
    answers: '{"columns":[{"name":"id","type":"bigint unsigned"}],"rows":[],"row_count":0}',
  },
  {
    name: 'numbers as strings',
    mode: 'read',
    request: sql('SELECT id FROM items'),
    numbersAsStrings: true,
    answers:
      '{"columns":[{"name":"id","type":"bigint unsigned"}],"rows":[{"id":"1"}],"row_count":1}',
  },
  {
    name: 'parameters with names',
    mode: 'read',
    request: sql(
      "SELECT id FROM items WHERE name = :name AND ':name ?' <> :name AND id < :limit -- :name",
      {
        name: 'one',
        limit: JSON.rawJSON('18446744073709551615'),
      },
    ),
    answers: '{"columns":[{"name":"id","type":"bigint unsigned"}],"rows":[{"id":1}],"row_count":1}',
  },
  {
    name: 'a parameter that no name asks for',
    mode: 'read',
    request: sql('SELECT :a', { a: 1, b: 2 }),
    fails: { code: 'BAD_REQUEST', details: [{ path: 'params.b' }] },
  },
  {
    name: 'too few parameters',
    request: sql('SELECT ? + ?', [1]),
    fails: { code: 'BAD_REQUEST', details: [{ path: 'params' }] },
  },
  {
    name: 'a mark in a text, a name and comments',
    mode: 'read',
    request: sql(
      'SELECT \'?\' AS `a?`, "?" AS b, id /* ? */ AS c # ?\nFROM items WHERE id = ? -- ?',
      [1],
    ),
    answers:
      '{"columns":[{"name":"a?","type":"varchar"},{"name":"b","type":"varchar"},{"name":"c","type":"bigint unsigned"}],"rows":[{"a?":"?","b":"?","c":1}],"row_count":1}',
  },
  {
    name: 'digits beyond doubles',
    request: sql('INSERT INTO items (id, price) VALUES (?, ?)', [
      JSON.rawJSON('18446744073709551614'),
      JSON.rawJSON('123456789012345678901.123456789'),
    ]),
    answers: DONE(1, '"18446744073709551614"'),
  },
  {
    name: 'the same again',
    mode: 'read',
    request: sql('SELECT id, price FROM items WHERE id > 1'),
    answers:
      '{"columns":[{"name":"id","type":"bigint unsigned"},{"name":"price","type":"decimal"}],"rows":[{"id":"18446744073709551614","price":"123456789012345678901.123456789"}],"row_count":1}',
  },
  {
    name: 'a change',
    request: sql('INSERT INTO log (what) VALUES (?), (?)', ['a', 'b']),
    answers: DONE(2, '1'),
  },
  {
    name: 'a change of what is so already',
    request: sql("UPDATE log SET what = 'a' WHERE id = 1", [], { type: 'execute' }),
    answers: DONE(0),
  },
  {
    name: 'a duplicate',
    request: sql("INSERT INTO log (what) VALUES ('a')"),
    fails: {
      code: 'CONSTRAINT_VIOLATED',
      details: [{ source: 'mysql', code: '1062', message: "Duplicate entry 'a' for key 'what'" }],
    },
  },
  {
    name: 'a change that answers rows',
    request: sql("DELETE FROM log WHERE what = 'b' RETURNING what"),
    answers:
      '{"columns":[{"name":"what","type":"varchar"}],"rows":[{"what":"b"}],"row_count":1,"rows_affected":1}',
  },
  {
    name: 'one row of a change that answers two, undone',
    request: sql('DELETE FROM items RETURNING id', [], { type: 'query_one' }),
    fails: counted('1172'),
  },
  {
    name: 'one row of a change that answers none, undone',
    request: sql("INSERT INTO log (what) VALUES ('undone')", [], { type: 'query_one' }),
    fails: counted('1329'),
  },
  { name: 'nothing of what was undone', request: LOGGED, answers: COUNT(1) },
  {
    name: 'one row where there are two',
    mode: 'read',
    request: sql('SELECT id FROM items', [], { type: 'query_one' }),
    fails: counted('1172'),
  },
  {
    name: 'at most one row where there is none',
    mode: 'read',
    request: sql('SELECT id FROM items WHERE id = 2', [], { type: 'query_opt' }),
    answers: '{"columns":[{"name":"id","type":"bigint unsigned"}],"rows":[],"row_count":0}',
  },
  {
    name: 'several statements',
    request: sql(
      "INSERT INTO log (id, what) VALUES (9, 's'); SELECT count(*) AS n FROM log; DELETE FROM log WHERE id = 9",
      undefined,
      { type: 'simple' },
    ),
    answers: `{"results":[${DONE(1, '9')},${COUNT(2)},${DONE(1)}]}`,
  },
  {
    name: 'several statements, all or none',
    request: sql("INSERT INTO log (what) VALUES ('t'); SELECT * FROM missing", undefined, {
      type: 'batch_execute',
    }),
    fails: { code: 'REQUEST_FAILED', details: [{ source: 'mysql', code: '1146' }] },
  },
  {
    name: 'several reads',
    mode: 'read',
    request: sql('SELECT count(*) AS n FROM log; SELECT count(*) AS n FROM items', undefined, {
      type: 'simple_read_only',
    }),
    answers: `{"results":[${COUNT(1)},${COUNT(2)}]}`,
  },
  {
    name: 'a definition',
    request: sql('CREATE TABLE made (id int)', undefined, { type: 'execute' }),
    answers: '{"columns":[],"rows":[],"row_count":0}',
  },
  {
    name: 'a syntax error',
    request: sql('SELEC 1'),
    fails: { code: 'REQUEST_FAILED', details: [{ source: 'mysql', code: '1064' }] },
  },
  {
    name: 'a table that is not there',
    mode: 'read',
    request: sql('SELECT * FROM missing WHERE id = ?', ['secret']),
    fails: { code: 'REQUEST_FAILED', details: [{ source: 'mysql', code: '1146' }] },
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
    fails: { code: 'BAD_REQUEST', details: [{ rule: 'read_user_function' }] },
  },
  {
    name: 'a type that never writes',
    request: sql('DELETE FROM log', [], { type: 'query_read_only' }),
    fails: { code: 'BAD_REQUEST', details: [{ rule: 'read_statement' }] },
  },
  {
    name: 'several statements where one is asked for',
    request: sql('SELECT 1; SELECT 2'),
    fails: { code: 'BAD_REQUEST', details: [{ path: 'query' }] },
  },
];
