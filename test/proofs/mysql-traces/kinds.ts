/** What a caller may do so that something stays on their connection, by every statement and way. */

/** What a stored program or a statement may leave. */
export const LEAVING: readonly string[] = [
  'SET @left_behind = 1',
  'SELECT 1 INTO @left_behind',
  "SET @left_behind = get_lock('left_behind', 0)",
  "SELECT get_lock('left_behind', 0) INTO @left_behind",
  "DO get_lock('left_behind', 0)",
  'SET SESSION sort_buffer_size = 654321',
  'SET SESSION sql_mode = concat(@@sql_mode, ",ANSI_QUOTES")',
  'SET SESSION timestamp = 1',
  'SET SESSION insert_id = 700700',
  'SET SESSION last_insert_id = 700701',
  'SET SESSION rand_seed1 = 1, rand_seed2 = 2',
  'SET SESSION unique_checks = 0, foreign_key_checks = 0',
  'SET SESSION sql_select_limit = 1',
  'SET SESSION max_statement_time = 0.5',
  'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
  'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE',
  'SET SESSION profiling = 1',
  'SET SESSION gtid_domain_id = 77',
  'SET SESSION pseudo_thread_id = 77',
  'SET SESSION lc_time_names = "de_DE"',
  'SET SESSION optimizer_switch = "index_merge=off"',
  'CREATE TEMPORARY TABLE left_behind (a int)',
  'DO last_insert_id(700702)',
];

/** Objects that do it, by the way in which a statement reaches them; `#` is the number of what they leave. */
export const REACHED: readonly {
  readonly setup: string;
  readonly statements: readonly string[];
}[] = [
  {
    setup:
      'CREATE TABLE t_# (id int AUTO_INCREMENT PRIMARY KEY, v int); INSERT INTO t_# (v) VALUES (1), (2), (3);' +
      'CREATE TRIGGER i_# BEFORE INSERT ON t_# FOR EACH ROW BEGIN @; END;' +
      'CREATE TRIGGER u_# AFTER UPDATE ON t_# FOR EACH ROW BEGIN @; END;' +
      'CREATE TRIGGER d_# BEFORE DELETE ON t_# FOR EACH ROW BEGIN @; END;' +
      'CREATE VIEW tv_# AS SELECT * FROM t_#',
    statements: [
      'INSERT INTO t_# (v) VALUES (9)',
      'REPLACE INTO t_# (v) VALUES (9)',
      'INSERT INTO t_# (v) SELECT 9',
      'INSERT INTO t_# (id, v) VALUES (1, 1) ON DUPLICATE KEY UPDATE v = v + 1',
      'UPDATE `t_#` SET v = v + 1 WHERE id = 1',
      'UPDATE t_# AS a JOIN t_# AS b USING (id) SET a.v = a.v + 1',
      'DELETE FROM t_# WHERE id = 2',
      'INSERT INTO tv_# (v) VALUES (9)',
      'UPDATE tv_# SET v = v + 1',
      'INSERT INTO t_# (v) VALUES (9) RETURNING id',
    ],
  },
  {
    setup:
      'CREATE FUNCTION f_#() RETURNS int BEGIN @; RETURN 1; END;' +
      'CREATE VIEW fv_# AS SELECT f_#() AS c;' +
      'CREATE VIEW fw_# AS SELECT * FROM fv_#',
    statements: [
      'SELECT f_#()',
      'SELECT * FROM fv_#',
      'TABLE fw_#',
      'SELECT * FROM items WHERE id IN (SELECT c FROM fw_#)',
      'EXPLAIN SELECT * FROM (SELECT * FROM fv_#) AS d',
      'INSERT INTO trace SELECT c FROM fw_#',
      'SHOW TABLES WHERE f_#()',
    ],
  },
  {
    setup: 'CREATE PROCEDURE p_#() BEGIN @; END',
    statements: ['CALL p_#()', "EXECUTE IMMEDIATE 'CALL p_#()'"],
  },
  {
    setup: '',
    statements: ['@', 'BEGIN NOT ATOMIC @; END', 'SET STATEMENT sort_buffer_size = 99999 FOR @'],
  },
];
