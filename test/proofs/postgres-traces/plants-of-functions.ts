/** Objects that name a tracing function: columns of type regproc, or an oid that refers to pg_proc. */
import { changes, commands, type Plant, queries, reads, TABLE, type Touch } from './plant.ts';
import type { Shape } from './tracer.ts';

const STEP: Shape = { args: ['int', 'int'], returns: 'int', value: '$1' };
const END: Shape = { args: ['int'], returns: 'int', value: '$1' };
const TRIGGER: Shape = { args: [], returns: 'trigger', value: 'NEW' };

/** The step of an aggregate over a window that moves, which is as strict as a tracing function: not at all. */
const KEEP =
  "CREATE FUNCTION w.keep_N(int, int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT coalesce($1, $2)'";
const MOVING = "SFUNC = w.keep_N, STYPE = int, MSTYPE = int, MINITCOND = '0'";

/** An aggregate over the rows of a table, also where more than one process reads it. */
function aggregate(column: string, shape: Shape, members: string): Plant {
  return {
    column: `pg_aggregate.${column}`,
    before: KEEP,
    name: `aggregate's ${column}`,
    shape,
    make: `CREATE TABLE w.t_N AS SELECT i AS id, i AS a FROM generate_series(1, 2000) i; ANALYZE w.t_N; CREATE AGGREGATE w.agg_N(int) (${members}, PARALLEL = SAFE)`,
    touches: [
      ...queries(
        'SELECT w.agg_N(a) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM w.t_N',
        'SELECT w.agg_N(a) FROM w.t_N',
        'SELECT id % 3, w.agg_N(a) FILTER (WHERE id > 1) FROM w.t_N GROUP BY 1',
        'SELECT (1).agg_N',
      ),
      ...commands('INSERT INTO w.t_N SELECT w.agg_N(a), 1 FROM w.t_N'),
    ],
  };
}

/** A trigger of some kind; what touches it besides changes of the table. */
function trigger(name: string, on: string, more: readonly Touch[] = [], value = 'NEW'): Plant {
  return {
    column: 'pg_trigger.tgfoid',
    name,
    shape: { ...TRIGGER, value },
    make: `${TABLE}; ${on}`,
    touches: [...more, ...changes(), ...reads()],
  };
}

/** Operators of a class of your own over integers. */
const STRATEGIES = 'OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >';

export const FUNCTIONS: readonly Plant[] = [
  aggregate('aggtransfn', STEP, "SFUNC = TRACER, STYPE = int, INITCOND = '0'"),
  aggregate('aggfinalfn', END, 'SFUNC = int4larger, STYPE = int, FINALFUNC = TRACER'),
  aggregate('aggcombinefn', STEP, 'SFUNC = int4larger, STYPE = int, COMBINEFUNC = TRACER'),
  aggregate('aggmtransfn', STEP, `${MOVING}, MSFUNC = TRACER, MINVFUNC = w.keep_N`),
  aggregate('aggminvtransfn', STEP, `${MOVING}, MSFUNC = w.keep_N, MINVFUNC = TRACER`),
  aggregate(
    'aggmfinalfn',
    END,
    `${MOVING}, MSFUNC = w.keep_N, MINVFUNC = w.keep_N, MFINALFUNC = TRACER`,
  ),
  {
    column: 'pg_amproc.amproc',
    name: 'comparison of an operator class',
    shape: { args: ['int', 'int'], returns: 'int', value: 'btint4cmp($1, $2)' },
    make: `CREATE OPERATOR CLASS w.class_N FOR TYPE int USING btree AS ${STRATEGIES}, FUNCTION 1 TRACER(int, int); CREATE TABLE w.t_N (id int, a int); INSERT INTO w.t_N SELECT i, i FROM generate_series(1, 3) i; CREATE INDEX ON w.t_N (a w.class_N)`,
    touches: [...reads(), ...changes()],
  },
  {
    column: 'pg_amproc.amproc',
    name: 'hash of an operator class',
    shape: { args: ['int'], returns: 'int', value: '$1' },
    make: 'CREATE OPERATOR CLASS w.class_N FOR TYPE int USING hash AS OPERATOR 1 =, FUNCTION 1 TRACER(int); CREATE TABLE w.t_N (id int, a int) PARTITION BY HASH (a w.class_N); CREATE TABLE w.one_N PARTITION OF w.t_N FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE w.two_N PARTITION OF w.t_N FOR VALUES WITH (MODULUS 2, REMAINDER 1)',
    touches: [...reads(), ...changes()],
  },
  {
    column: 'pg_amproc.amproc',
    name: "comparison of a type's own",
    before: 'CREATE TYPE w.c_N AS (x int)',
    shape: { args: ['w.c_N', 'w.c_N'], returns: 'int', value: '0' },
    make: `CREATE FUNCTION w.same_N(w.c_N, w.c_N) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true'; ${['<', '<=', '=', '>=', '>'].map((symbol) => `CREATE OPERATOR w.${symbol} (LEFTARG = w.c_N, RIGHTARG = w.c_N, FUNCTION = w.same_N)`).join('; ')}; CREATE OPERATOR CLASS w.class_N DEFAULT FOR TYPE w.c_N USING btree AS OPERATOR 1 w.<, OPERATOR 2 w.<=, OPERATOR 3 w.=, OPERATOR 4 w.>=, OPERATOR 5 w.>, FUNCTION 1 TRACER(w.c_N, w.c_N); CREATE TABLE w.t_N (id int, a w.c_N); INSERT INTO w.t_N VALUES (1, ROW(1)), (2, ROW(2))`,
    touches: [
      ...queries(
        'SELECT DISTINCT a FROM w.t_N',
        'SELECT max(id) FROM w.t_N GROUP BY a',
        'SELECT ROW(a) < ROW(a) FROM w.t_N',
        'SELECT ARRAY[a] = ARRAY[a] FROM w.t_N',
        'SELECT greatest(a, a) FROM w.t_N',
        'SELECT rank() OVER (ORDER BY a) FROM w.t_N',
        'SELECT count(DISTINCT a) FROM w.t_N',
        'SELECT a FROM w.t_N UNION SELECT a FROM w.t_N',
        'SELECT 1 FROM w.t_N x JOIN w.t_N y ON x.a = y.a',
      ),
      ...reads("'(2)'"),
      ...changes("'(2)'"),
    ],
  },
  {
    column: 'pg_cast.castfunc',
    name: 'cast',
    before: 'CREATE TYPE w.c_N AS (x int)',
    shape: { args: ['w.c_N'], returns: 'int', value: '1' },
    make: `CREATE CAST (w.c_N AS int) WITH FUNCTION TRACER(w.c_N) AS IMPLICIT; ${TABLE}; CREATE TABLE w.from_N AS SELECT ROW(1)::w.c_N AS c; CREATE DOMAIN w.d_N AS int`,
    touches: [
      ...queries(
        'SELECT c::int FROM w.from_N',
        'SELECT c + 1 FROM w.from_N',
        'SELECT c::w.d_N FROM w.from_N',
        'SELECT ARRAY[c]::int[] FROM w.from_N',
      ),
      ...commands(
        'INSERT INTO w.t_N SELECT 1, c FROM w.from_N',
        'UPDATE w.t_N SET a = c FROM w.from_N',
      ),
    ],
  },
  {
    column: 'pg_event_trigger.evtfoid',
    name: 'event trigger',
    shape: { args: [], returns: 'event_trigger' },
    make: 'CREATE EVENT TRIGGER e_N ON ddl_command_start EXECUTE FUNCTION TRACER()',
    touches: commands(
      'CREATE TABLE w.t_N (id int)',
      'CREATE VIEW w.v_N AS SELECT 1',
      "COMMENT ON SCHEMA w IS 'x'",
    ),
  },
  {
    column: 'pg_foreign_data_wrapper.fdwvalidator',
    name: 'validator of a wrapper',
    shape: { args: ['text[]', 'oid'], returns: 'void' },
    make: 'CREATE FOREIGN DATA WRAPPER f_N VALIDATOR TRACER',
    touches: commands("CREATE SERVER s_N FOREIGN DATA WRAPPER f_N OPTIONS (a 'b')"),
  },
  {
    column: 'pg_language.lanvalidator',
    name: 'validator of a language',
    shape: { args: ['oid'], returns: 'void' },
    make: 'CREATE LANGUAGE l_N HANDLER plpgsql_call_handler VALIDATOR TRACER',
    touches: commands(
      "CREATE FUNCTION w.made_N() RETURNS int LANGUAGE l_N AS 'BEGIN RETURN 1; END'",
    ),
  },
  {
    column: 'pg_operator.oprcode',
    name: 'operator',
    shape: { args: ['int', 'int'], returns: 'bool', value: 'true' },
    make: `${TABLE}; CREATE OPERATOR w.==> (LEFTARG = int, RIGHTARG = int, FUNCTION = TRACER)`,
    touches: [
      ...queries(
        'SELECT 1 ==> 2',
        'SELECT 1 OPERATOR(w.==>) ANY (ARRAY[2])',
        'SELECT id FROM w.t_N WHERE a ==> 2',
        'SELECT 1 ==> ALL (SELECT a FROM w.t_N)',
      ),
      ...commands('UPDATE w.t_N SET a = 1 WHERE a ==> 2', 'DELETE FROM w.t_N WHERE a ==> 2'),
    ],
  },
  {
    column: 'pg_range.rngsubdiff',
    name: 'difference of a range',
    shape: { args: ['int', 'int'], returns: 'float8', value: '($1 - $2)::float8' },
    make: 'CREATE TYPE w.r_N AS RANGE (SUBTYPE = int, SUBTYPE_DIFF = TRACER); CREATE TABLE w.t_N (id int, a w.r_N); CREATE INDEX ON w.t_N USING gist (a); INSERT INTO w.t_N SELECT i, w.r_N(i, i + 5) FROM generate_series(1, 400) i',
    touches: [
      ...commands(
        'INSERT INTO w.t_N SELECT i, w.r_N(i, i + 5) FROM generate_series(1, 400) i',
        'ANALYZE w.t_N',
      ),
      ...changes("'[1,4)'"),
      ...reads("'[1,4)'"),
    ],
  },
  {
    column: 'pg_range.rngcanonical',
    name: 'canonical form of a range',
    before: 'CREATE TYPE w.r_N',
    shape: { args: ['w.r_N'], returns: 'w.r_N', value: '$1', language: 'plpgsql', unchecked: true },
    make: 'CREATE TYPE w.r_N AS RANGE (SUBTYPE = int, CANONICAL = TRACER, MULTIRANGE_TYPE_NAME = w.m_N); CREATE TABLE w.t_N (id int, a w.r_N); INSERT INTO w.t_N (id) VALUES (1)',
    touches: [
      ...queries(
        "SELECT '[1,4)'::w.r_N",
        'SELECT w.r_N(1, 4)',
        "SELECT '{[1,4)}'::w.m_N",
        'SELECT \'{"[1,4)"}\'::w.r_N[]',
      ),
      ...changes("'[1,4)'"),
      ...reads("'[1,4)'"),
    ],
  },
  trigger(
    'trigger before rows',
    'CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON w.t_N FOR EACH ROW EXECUTE FUNCTION TRACER()',
    [],
    'coalesce(NEW, OLD)',
  ),
  trigger(
    'trigger after a statement',
    'CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON w.t_N EXECUTE FUNCTION TRACER()',
  ),
  trigger(
    'deferred trigger',
    'CREATE CONSTRAINT TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON w.t_N DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION TRACER()',
  ),
  trigger(
    'trigger of a view',
    'CREATE VIEW w.v_N AS SELECT * FROM w.t_N; CREATE TRIGGER t INSTEAD OF INSERT OR UPDATE OR DELETE ON w.v_N FOR EACH ROW EXECUTE FUNCTION TRACER()',
    changes('2', 'w.v_N'),
    'coalesce(NEW, OLD)',
  ),
  trigger(
    'trigger behind a foreign key',
    'ALTER TABLE w.t_N ADD PRIMARY KEY (id); CREATE TABLE w.child_N (id int REFERENCES w.t_N ON DELETE CASCADE ON UPDATE CASCADE); INSERT INTO w.child_N VALUES (1); CREATE TRIGGER t BEFORE UPDATE OR DELETE ON w.child_N FOR EACH ROW EXECUTE FUNCTION TRACER()',
    commands('DELETE FROM w.t_N', 'UPDATE w.t_N SET id = 9 WHERE id = 1', 'TRUNCATE w.t_N CASCADE'),
    'coalesce(NEW, OLD)',
  ),
  trigger(
    'trigger of a partition',
    'CREATE TABLE w.whole_N (id int, a int) PARTITION BY LIST (id); CREATE TABLE w.part_N PARTITION OF w.whole_N DEFAULT; CREATE TRIGGER t BEFORE INSERT OR UPDATE ON w.part_N FOR EACH ROW EXECUTE FUNCTION TRACER()',
    changes('2', 'w.whole_N'),
  ),
  {
    column: 'pg_type.typmodin',
    name: 'modifier of a type',
    before:
      "CREATE TYPE w.y_N; CREATE FUNCTION w.in_N(cstring) RETURNS w.y_N LANGUAGE internal IMMUTABLE STRICT AS 'textin'; CREATE FUNCTION w.out_N(w.y_N) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout'",
    shape: { args: ['cstring[]'], returns: 'int', value: '1' },
    make: 'CREATE TYPE w.y_N (INPUT = w.in_N, OUTPUT = w.out_N, LIKE = text, TYPMOD_IN = TRACER)',
    touches: [
      ...queries(
        "SELECT 'x'::w.y_N(5)",
        "SELECT CAST('x' AS w.y_N(5))",
        'SELECT NULL::w.y_N(5)[]',
        "SELECT w.y_N(5) 'x'",
        "SELECT * FROM json_to_record('{}') AS r(d w.y_N(5))",
        "SELECT format_type('w.y_N'::regtype, 5)",
      ),
      ...commands('CREATE TABLE w.t_N (a w.y_N(5))'),
    ],
  },
  {
    column: 'pg_type.typsend',
    name: 'binary form of a type',
    before:
      "CREATE TYPE w.y_N; CREATE FUNCTION w.in_N(cstring) RETURNS w.y_N LANGUAGE internal IMMUTABLE STRICT AS 'textin'; CREATE FUNCTION w.out_N(w.y_N) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout'",
    shape: {
      args: ['w.y_N'],
      returns: 'bytea',
      value: "'\\x61'::bytea",
      language: 'plpgsql',
      unchecked: true,
    },
    make: "CREATE TYPE w.y_N (INPUT = w.in_N, OUTPUT = w.out_N, LIKE = text, SEND = TRACER); CREATE TABLE w.t_N (id int, a w.y_N); INSERT INTO w.t_N VALUES (1, 'x')",
    touches: [
      ...queries(
        'SELECT array_send(ARRAY[a]) FROM w.t_N',
        'SELECT record_send(ROW(a)) FROM w.t_N',
        'SELECT (ARRAY[a]).array_send FROM w.t_N',
        'SELECT * FROM w.t_N',
      ),
    ],
  },
];
