/** Objects whose expressions call a tracing function: columns of type pg_node_tree. */
import { changes, commands, type Plant, queries, reads, TABLE } from './plant.ts';

/** `f(a)`, for expressions over a column. */
const OF_COLUMN = { args: ['int'], returns: 'int', value: '$1' };
const NO_ARGUMENT = { args: [], returns: 'int', value: '1' };

export const TREES: readonly Plant[] = [
  {
    column: 'pg_attrdef.adbin',
    name: 'default of a column',
    shape: NO_ARGUMENT,
    make: 'CREATE TABLE w.t_N (id int, a int DEFAULT TRACER()); INSERT INTO w.t_N VALUES (1, 1)',
    touches: [...changes('DEFAULT'), ...reads('2')],
  },
  {
    column: 'pg_attrdef.adbin',
    name: 'generated column',
    shape: OF_COLUMN,
    make: 'CREATE TABLE w.t_N (id int, a int, g int GENERATED ALWAYS AS (TRACER(a)) STORED)',
    touches: [...changes(), ...reads()],
  },
  {
    column: 'pg_constraint.conbin',
    name: 'check of a table',
    shape: OF_COLUMN,
    make: 'CREATE TABLE w.t_N (id int, a int); INSERT INTO w.t_N VALUES (1, 1); ALTER TABLE w.t_N ADD CHECK (TRACER(a) > 0) NOT VALID',
    touches: [
      ...changes(),
      ...reads(),
      ...commands('ALTER TABLE w.t_N VALIDATE CONSTRAINT t_N_a_check'),
    ],
  },
  {
    column: 'pg_constraint.conbin',
    name: 'check of a domain',
    shape: OF_COLUMN,
    make: 'CREATE DOMAIN w.d_N AS int CHECK (TRACER(VALUE) > 0); CREATE TABLE w.t_N (id int, a w.d_N); INSERT INTO w.t_N VALUES (1, NULL); CREATE TYPE w.r_N AS (d w.d_N); CREATE TYPE w.span_N AS RANGE (SUBTYPE = w.d_N, MULTIRANGE_TYPE_NAME = w.spans_N)',
    touches: [
      ...changes(),
      ...reads(),
      ...queries(
        'SELECT 2::w.d_N',
        "SELECT w.d_N '2'",
        "SELECT '{2}'::w.d_N[]",
        "SELECT '(2)'::w.r_N",
        'SELECT (2).d_N',
        'SELECT * FROM json_to_record(\'{"d": 2}\') AS r(d w.d_N)',
        "SELECT '[2,3]'::w.span_N",
        "SELECT '{[2,3]}'::w.spans_N",
      ),
    ],
  },
  {
    column: 'pg_index.indexprs',
    name: 'index on an expression',
    shape: OF_COLUMN,
    make: `${TABLE}; CREATE INDEX ON w.t_N ((TRACER(a)))`,
    touches: [
      ...changes(),
      ...reads(),
      ...queries(
        'SELECT * FROM w.t_N WHERE TRACER(a) = 1',
        'SELECT * FROM w.t_N WHERE TRACER(1) = 1',
      ),
    ],
  },
  {
    column: 'pg_index.indpred',
    name: 'index over a part',
    shape: OF_COLUMN,
    make: `${TABLE}; CREATE INDEX ON w.t_N (id) WHERE TRACER(a) > 0; CREATE INDEX ON w.t_N (id) WHERE TRACER(1) > 0`,
    touches: [...changes(), ...reads()],
  },
  {
    column: 'pg_partitioned_table.partexprs',
    name: 'key of partitions',
    shape: OF_COLUMN,
    make: 'CREATE TABLE w.t_N (id int, a int) PARTITION BY RANGE (TRACER(a)); CREATE TABLE w.part_N PARTITION OF w.t_N FOR VALUES FROM (0) TO (100); CREATE TABLE w.rest_N PARTITION OF w.t_N DEFAULT',
    touches: [
      ...changes(),
      ...reads(),
      ...changes('3', 'w.part_N'),
      ...queries('SELECT * FROM w.t_N WHERE TRACER(a) = 1'),
    ],
  },
  {
    column: 'pg_policy.polqual',
    name: 'policy over rows that are seen',
    shape: OF_COLUMN,
    plain: true,
    make: `${TABLE}; ALTER TABLE w.t_N ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON w.t_N USING (TRACER(a) > 0); GRANT ALL ON w.t_N TO plain`,
    touches: [...reads(), ...changes()],
  },
  {
    column: 'pg_policy.polwithcheck',
    name: 'policy over rows that are written',
    shape: OF_COLUMN,
    plain: true,
    make: `${TABLE}; ALTER TABLE w.t_N ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON w.t_N USING (true) WITH CHECK (TRACER(a) > 0); GRANT ALL ON w.t_N TO plain`,
    touches: [...changes(), ...reads()],
  },
  {
    column: 'pg_proc.proargdefaults',
    name: 'default of an argument',
    shape: NO_ARGUMENT,
    make: `${TABLE}; CREATE FUNCTION w.g_N(int, int DEFAULT TRACER()) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'`,
    touches: [
      ...queries(
        'SELECT w.g_N(1)',
        'SELECT (1).g_N',
        'SELECT x.g_N FROM unnest(ARRAY[1]) AS x',
        'SELECT id FROM w.t_N WHERE w.g_N(id) = 1',
      ),
      ...commands('INSERT INTO w.t_N VALUES (w.g_N(2), 1)', 'CALL w.none_N()'),
    ],
  },
  {
    column: 'pg_proc.prosqlbody',
    name: 'parsed body of a function',
    shape: NO_ARGUMENT,
    make: `${TABLE}; CREATE FUNCTION w.g_N(int) RETURNS int LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT TRACER() + $1; END; CREATE PROCEDURE w.p_N() LANGUAGE sql BEGIN ATOMIC SELECT TRACER(); END`,
    touches: [
      ...queries('SELECT w.g_N(1)', 'SELECT (1).g_N', 'SELECT id FROM w.t_N WHERE w.g_N(id) = 1'),
      ...commands('UPDATE w.t_N SET a = w.g_N(a)', 'CALL w.p_N()'),
    ],
  },
  {
    column: 'pg_rewrite.ev_action',
    name: 'view',
    shape: NO_ARGUMENT,
    make: `${TABLE}; CREATE VIEW w.v_N AS SELECT id, a, TRACER() AS t FROM w.t_N; CREATE VIEW w.over_N AS SELECT id, t AS a FROM w.v_N`,
    touches: [...reads('2', 'w.over_N'), ...changes('2', 'w.v_N')],
  },
  {
    column: 'pg_rewrite.ev_action',
    name: 'rule that does more',
    shape: NO_ARGUMENT,
    make: `${TABLE}; CREATE RULE i AS ON INSERT TO w.t_N DO ALSO SELECT TRACER(); CREATE RULE u AS ON UPDATE TO w.t_N DO ALSO SELECT TRACER(); CREATE RULE d AS ON DELETE TO w.t_N DO ALSO SELECT TRACER()`,
    touches: [...changes(), ...reads()],
  },
  {
    column: 'pg_rewrite.ev_qual',
    name: 'condition of a rule',
    shape: NO_ARGUMENT,
    make: `${TABLE}; CREATE RULE i AS ON INSERT TO w.t_N WHERE TRACER() > 0 DO INSTEAD NOTHING; CREATE RULE u AS ON UPDATE TO w.t_N WHERE TRACER() > 0 DO INSTEAD NOTHING; CREATE RULE d AS ON DELETE TO w.t_N WHERE TRACER() > 0 DO INSTEAD NOTHING`,
    touches: [...changes(), ...reads()],
  },
  {
    column: 'pg_statistic_ext.stxexprs',
    name: 'statistics on an expression',
    shape: OF_COLUMN,
    make: `${TABLE}; CREATE STATISTICS w.s_N ON (TRACER(a)), id FROM w.t_N`,
    touches: [...reads().reverse(), ...changes()],
  },
  {
    column: 'pg_trigger.tgqual',
    name: 'condition of a trigger',
    shape: OF_COLUMN,
    make: `${TABLE}; CREATE FUNCTION w.trigger_N() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE TRIGGER c BEFORE INSERT OR UPDATE ON w.t_N FOR EACH ROW WHEN (TRACER(NEW.a) > 0) EXECUTE FUNCTION w.trigger_N()`,
    touches: [...changes(), ...reads()],
  },
  {
    column: 'pg_type.typdefaultbin',
    name: 'default of a domain',
    shape: NO_ARGUMENT,
    make: 'CREATE DOMAIN w.d_N AS int DEFAULT TRACER(); CREATE TABLE w.t_N (id int, a w.d_N); INSERT INTO w.t_N VALUES (1, 1)',
    touches: [...changes('DEFAULT'), ...reads('2')],
  },
];
