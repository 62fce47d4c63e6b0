/** An object with a tracing function in it, and statements that touch it. */
import type { Shape } from './tracer.ts';

/** A statement of any kind; on `/read` and `/write` unless it can only be one. */
export interface Touch {
  readonly query: string;
  /** Needs /write. */
  readonly writes?: boolean;
  /** Text for COPY … FROM STDIN. */
  readonly input?: string;
}

/** A way to put a function into a column of the catalogs. */
export interface Plant {
  readonly column: string;
  readonly name: string;
  readonly shape: Shape;
  /** The server has it from this version on. */
  readonly from?: number;
  /** By a user who is no superuser: a superuser is above policies. */
  readonly plain?: boolean;
  /** Statements before the function is made; `N` in names stands for the case's number. */
  readonly before?: string;
  /** Statements that make the object; `TRACER` is the function. */
  readonly make: string;
  readonly touches: readonly Touch[];
}

/** Statements of every kind that change a table `w.t_N (id int, a …)`, with `value` for `a`. */
export function changes(value = '2', table = 'w.t_N'): Touch[] {
  const text = value.replace(/^.*'([^']*)'.*$/, '$1');
  return [
    { query: `INSERT INTO ${table} (id, a) VALUES (5, ${value})` },
    { query: `INSERT INTO ${table} (id) VALUES (6) RETURNING id` },
    { query: `UPDATE ${table} SET a = ${value} WHERE id = 1` },
    { query: `DELETE FROM ${table} WHERE id = 1` },
    {
      query: `MERGE INTO ${table} t USING (VALUES (1, ${value})) s(id, a) ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id, s.a)`,
    },
    {
      query: `WITH i AS (INSERT INTO ${table} (id, a) VALUES (7, ${value}) RETURNING id) SELECT * FROM i`,
    },
    { query: `COPY ${table} (id, a) FROM STDIN`, input: `8\t${text}\n` },
    { query: `TRUNCATE ${table}` },
    { query: `EXPLAIN ANALYZE UPDATE ${table} SET a = ${value}` },
  ].map((touch) => ({ ...touch, writes: true }));
}

/** Statements of every kind that read it. */
export function reads(value = '2', table = 'w.t_N'): Touch[] {
  return [
    { query: `SELECT * FROM ${table}` },
    { query: `SELECT count(*) FROM ${table} WHERE a = ${value}` },
    { query: `SELECT a FROM ${table} ORDER BY a` },
    { query: `TABLE ${table}` },
    { query: `EXPLAIN SELECT * FROM ${table} WHERE a = ${value}` },
    { query: `EXPLAIN ANALYZE SELECT * FROM ${table} WHERE a > ${value}` },
    { query: `WITH r AS (SELECT * FROM ${table}) SELECT DISTINCT a FROM r` },
    { query: `SELECT * FROM ${table} WHERE a = ${value} FOR UPDATE`, writes: true },
    { query: `COPY (SELECT * FROM ${table}) TO STDOUT` },
    { query: `CREATE TABLE w.copy_N AS SELECT * FROM ${table}`, writes: true },
    { query: `ANALYZE ${table}`, writes: true },
  ];
}

/** A plain table with one row. */
export const TABLE = 'CREATE TABLE w.t_N (id int, a int); INSERT INTO w.t_N VALUES (1, 1)';

/** Queries, as reads. */
export function queries(...list: string[]): Touch[] {
  return list.map((query) => ({ query }));
}

/** Statements, as writes. */
export function commands(...list: string[]): Touch[] {
  return list.map((query) => ({ query, writes: true }));
}
