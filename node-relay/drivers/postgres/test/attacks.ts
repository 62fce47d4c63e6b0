/** What a reader may try in order to change something: none of it may pass `/read`, whatever the database user may do. */

/** Objects with teeth: each volatile function writes to `trace` when it is called. */
export const TRAPS = `
  CREATE TABLE items (id int PRIMARY KEY, name text);
  INSERT INTO items VALUES (1, 'one'), (2, 'two');
  CREATE TABLE trace (what text);
  CREATE SEQUENCE counter;
  CREATE FUNCTION bite(text) RETURNS text LANGUAGE plpgsql VOLATILE AS
    $$ BEGIN PERFORM dblink_exec(current_setting('trap.dsn'), 'INSERT INTO trace VALUES (''bite'')'); RETURN $1; END $$;
  CREATE EXTENSION dblink;
  CREATE EXTENSION tablefunc;
  CREATE EXTENSION xml2;
  CREATE FUNCTION bite(int) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT length(bite('x')) $$;
  CREATE SCHEMA hidden;
  CREATE FUNCTION hidden.lower(int) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT bite('x') $$;
  CREATE FUNCTION bite_row(items) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT bite('x') $$;
  CREATE FUNCTION bite_operator(text, text) RETURNS boolean LANGUAGE sql VOLATILE AS $$ SELECT bite('x') IS NULL $$;
  CREATE OPERATOR ==> (LEFTARG = text, RIGHTARG = text, FUNCTION = bite_operator);
  CREATE FUNCTION bite_step(int, int) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT length(bite('x')) $$;
  CREATE AGGREGATE bite_all(int) (SFUNC = bite_step, STYPE = int, INITCOND = '0');
  CREATE TYPE celsius AS (degrees int);
  CREATE FUNCTION bite_cast(celsius) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT length(bite('x')) $$;
  CREATE CAST (celsius AS int) WITH FUNCTION bite_cast(celsius) AS IMPLICIT;
  CREATE TABLE weather (c celsius);
  INSERT INTO weather VALUES (ROW(1));
  CREATE DOMAIN trapped AS text CHECK (bite(VALUE) IS NOT NULL);
  CREATE TYPE holder AS (t trapped);
  CREATE VIEW biting AS SELECT bite(name) AS name FROM items;
  CREATE VIEW counting AS SELECT nextval('counter') AS n;
  CREATE VIEW over_biting AS SELECT * FROM biting;
  CREATE TABLE guarded (id int);
  INSERT INTO guarded VALUES (1);
  ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
  ALTER TABLE guarded FORCE ROW LEVEL SECURITY;
  CREATE POLICY biting ON guarded USING (bite('x') IS NOT NULL);
  CREATE EXTENSION hstore;
  CREATE EXTENSION citext;
  CREATE TABLE extended (h hstore, c citext);
  CREATE VIEW plain AS SELECT id, upper(name) AS name FROM items;
  CREATE EXTENSION file_fdw;
  CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
  CREATE FOREIGN TABLE program (line text) SERVER files OPTIONS (program 'touch /tmp/causeway-attack; echo x');
  CREATE FUNCTION defaulted(int, text DEFAULT bite('x')) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT $2 $$;
  CREATE DOMAIN temperature AS celsius;
  CREATE TABLE climate (t temperature);
  INSERT INTO climate VALUES (ROW(1));
  CREATE DOMAIN trapped_number AS int CHECK (bite(VALUE) IS NOT NULL);
  CREATE TYPE spread AS RANGE (subtype = trapped_number);
  CREATE TABLE ranged (r spread, m spread_multirange, a trapped[]);
  CREATE FUNCTION "json_value"(text, text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT bite('x') $$;
  CREATE FUNCTION "json_scalar"(trapped[]) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT bite('x') $$;
  CREATE FUNCTION "merge_action"() RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT bite('x') $$;
  CREATE MATERIALIZED VIEW bitten AS SELECT bite(name) AS name FROM items WITH NO DATA;
  CREATE TABLE domained (id int, t trapped);
  CREATE FUNCTION bite_equal(int, int) RETURNS boolean LANGUAGE sql VOLATILE AS $$ SELECT bite('x') IS NULL $$;
  CREATE OPERATOR hidden.= (LEFTARG = int, RIGHTARG = int, FUNCTION = bite_equal);
  CREATE PROCEDURE proc() LANGUAGE sql AS $$ SELECT bite('x') $$;`;

/** Statements that are refused; each would leave something if it ran. */
export const ATTACKS: readonly string[] = [
  "INSERT INTO items VALUES (3, 'three')",
  'UPDATE items SET name = name',
  'DELETE FROM items',
  'MERGE INTO items i USING items j ON i.id = j.id WHEN MATCHED THEN DELETE',
  'TRUNCATE items',
  'DROP TABLE items',
  'CREATE TABLE made (id int)',
  'CREATE TEMP TABLE made (id int)',
  'SELECT 1; DROP TABLE items',
  'COMMIT; DROP TABLE items',
  'commit;create table made(id int)',
  'COMMIT',
  'BEGIN READ WRITE; DELETE FROM items; COMMIT',
  '/* SELECT 1 */ DELETE FROM items',
  '/* /* nested */ SELECT */ DELETE FROM items -- SELECT',
  "SELECT '\\'; DELETE FROM items; --'",
  "SELECT E'\\\\'; DELETE FROM items",
  'SELECT $$ $$; DELETE FROM items',
  'SELECT $a$ $b$ $a$; DELETE FROM items; SELECT $b$ $b$',
  'WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone',
  'WITH a AS (SELECT 1), b AS (INSERT INTO trace VALUES (1) RETURNING *) SELECT * FROM a',
  'SELECT * FROM (WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone) x',
  'EXPLAIN ANALYZE DELETE FROM items',
  'EXPLAIN (ANALYZE) INSERT INTO items VALUES (9)',
  'EXPLAIN ANALYZE WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone',
  'EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1',
  'EXPLAIN ANALYZE EXECUTE anything',
  "EXPLAIN ANALYZE SELECT bite('x')",
  'SELECT * INTO made FROM items',
  'SELECT 1 INTO TEMP made',
  'CREATE TABLE made AS SELECT 1',
  'SELECT * FROM items FOR UPDATE',
  'SELECT * FROM items FOR KEY SHARE SKIP LOCKED',
  'SELECT * FROM (SELECT * FROM items FOR SHARE) x',
  "SELECT nextval('counter')",
  "SELECT pg_catalog.nextval('counter')",
  "SELECT NEXTVAL('counter')",
  'SELECT U&"\\006eextval"(\'counter\')',
  "SELECT U&\"!006eextval\" UESCAPE '!' ('counter')",
  'SELECT "nextval"(\'counter\')',
  "SELECT/**/nextval/**/('counter')",
  "SELECT setval('counter', 99)",
  'SELECT n FROM counting',
  'SELECT pg_advisory_lock(1)',
  'SELECT pg_try_advisory_lock(1)',
  'SELECT pg_advisory_lock_shared(1, 2)',
  'SELECT pg_advisory_xact_lock(1)',
  'SELECT * FROM items WHERE pg_try_advisory_lock(id)',
  "SELECT set_config('default_transaction_read_only', 'off', false)",
  "SELECT set_config('transaction_read_only', 'off', true)",
  "SELECT * FROM set_config('search_path', 'hidden', false)",
  'SELECT setseed(0.5)',
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
  'SET default_transaction_read_only = off',
  'SET TRANSACTION READ WRITE',
  'SET SESSION AUTHORIZATION DEFAULT',
  'SET ROLE NONE',
  'RESET ALL',
  'DISCARD ALL',
  "COPY items TO PROGRAM 'touch /tmp/causeway-attack'",
  "COPY (SELECT 1) TO PROGRAM 'touch /tmp/causeway-attack'",
  "COPY items TO '/tmp/causeway-attack'",
  "COPY items FROM '/etc/passwd'",
  "COPY items FROM PROGRAM 'id'",
  'COPY items FROM STDIN',
  'COPY (DELETE FROM items RETURNING *) TO STDOUT',
  "COPY (SELECT nextval('counter')) TO STDOUT",
  'COPY counting TO STDOUT',
  "SELECT pg_read_file('/etc/passwd')",
  "SELECT pg_read_binary_file('PG_VERSION')",
  "SELECT * FROM pg_ls_dir('.')",
  "SELECT * FROM pg_stat_file('PG_VERSION')",
  'SELECT * FROM pg_ls_waldir()',
  'SELECT * FROM pg_hba_file_rules',
  'SELECT * FROM pg_file_settings',
  'SELECT lo_create(4711)',
  'SELECT lo_creat(-1)',
  "SELECT lo_from_bytea(4711, 'x')",
  "SELECT lo_import('/etc/passwd')",
  "SELECT lo_export(1, '/tmp/causeway-attack')",
  'SELECT lo_unlink(1)',
  "SELECT dblink_exec('host=127.0.0.1', 'DELETE FROM items')",
  "SELECT * FROM dblink('host=127.0.0.1', 'DELETE FROM items') AS t(a int)",
  "SELECT dblink_connect('x', 'host=127.0.0.1')",
  'SELECT * FROM program',
  "SELECT pg_notify('attack', 'x')",
  "NOTIFY attack, 'x'",
  'LISTEN attack',
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity',
  'SELECT pg_cancel_backend(pid) FROM pg_stat_activity',
  'SELECT pg_reload_conf()',
  'SELECT pg_rotate_logfile()',
  'SELECT pg_switch_wal()',
  "SELECT pg_create_restore_point('attack')",
  "SELECT pg_create_physical_replication_slot('attack')",
  "SELECT pg_create_logical_replication_slot('attack', 'test_decoding')",
  "SELECT pg_logical_emit_message(false, 'attack', 'x')",
  "SELECT pg_replication_origin_create('attack')",
  'SELECT pg_stat_reset()',
  "SELECT pg_stat_reset_shared('bgwriter')",
  'SELECT pg_export_snapshot()',
  "SELECT pg_backup_start('attack')",
  'SELECT pg_promote()',
  'SELECT pg_log_backend_memory_contexts(pg_backend_pid())',
  "SELECT pg_import_system_collations('public')",
  "SELECT query_to_xml('SELECT nextval(''counter'')', true, true, '')",
  "SELECT table_to_xml('counting', true, true, '')",
  "SELECT schema_to_xml('public', true, true, '')",
  "SELECT database_to_xml(true, true, '')",
  "SELECT * FROM ts_stat('SELECT to_tsvector(bite(''x''))')",
  "SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, bite(''b'')::tsquery')",
  "SELECT * FROM crosstab('SELECT bite(''x''), ''a'', ''b''') AS t(a text, b text)",
  "SELECT * FROM connectby('biting', 'name', 'name', 'x', 1) AS t(a text, b text, c int)",
  "SELECT * FROM xpath_table('name', 'name', 'biting', '/', 'true') AS t(a text, b text)",
  "SELECT pg_input_is_valid('x', 'trapped')",
  "SELECT domain_in('x', 'trapped'::regtype, -1)",
  'SELECT txid_current()',
  "SELECT bite('x')",
  "SELECT public.bite('x')",
  'SELECT lower(1)',
  'SELECT hidden.lower(1)',
  'SELECT items.bite_row FROM items',
  'SELECT (items).bite_row FROM items',
  'SELECT i.bite_row FROM items AS i',
  'SELECT bite_row(i) FROM items AS i',
  "SELECT 'a' ==> 'b'",
  "SELECT 'a' OPERATOR(public.==>) 'b'",
  "SELECT 'a' ==> ANY (ARRAY['b'])",
  'SELECT bite_all(id) FROM items',
  'SELECT bite_all(id) OVER () FROM items',
  'SELECT c::int FROM weather',
  'SELECT c + 1 FROM weather',
  "SELECT 'x'::trapped",
  "SELECT CAST('x' AS trapped)",
  "SELECT trapped 'x'",
  "SELECT '{x}'::trapped[]",
  "SELECT '(x)'::holder",
  'SELECT json_populate_record(NULL::holder, \'{"t": "x"}\')',
  'SELECT * FROM json_to_record(\'{"t": "x"}\') AS r(t trapped)',
  "SELECT * FROM json_table('[\"x\"]', '$[*]' COLUMNS (t trapped PATH '$')) AS j",
  "SELECT json_value('\"x\"', '$' RETURNING trapped)",
  'SELECT * FROM biting',
  'SELECT * FROM over_biting',
  'TABLE over_biting',
  'SELECT count(*) FROM over_biting',
  'SELECT * FROM guarded',
  "SELECT * FROM items WHERE name = bite('one')",
  'SELECT * FROM items ORDER BY bite(name)',
  "SELECT * FROM items LIMIT length(bite('x'))",
  "VALUES (bite('x'))",
  "SELECT * FROM ROWS FROM (bite('x')) AS t",
  "SELECT CASE WHEN true THEN bite('x') END",
  'SELECT * FROM items, LATERAL (SELECT bite(name)) x',
  "SELECT (SELECT bite('x'))",
  "SELECT 1 UNION SELECT length(bite('x'))",
  "SELECT ('/etc/hostname'::text).pg_read_file",
  "SELECT x.pg_read_file FROM concat('/etc/hostname') AS x",
  "SELECT (x.concat).pg_read_file FROM concat('/etc/hostname') AS x",
  'SELECT (4711::oid).lo_create',
  "SELECT ('host=127.0.0.1'::text).dblink_exec",
  'SELECT (1::int).pg_terminate_backend',
  'SELECT (777::bigint).pg_advisory_lock',
  'SELECT (0.5::float8).setseed',
  "SELECT (('counter'::text)::regclass).nextval",
  "SELECT ('x'::text).trapped",
  "SELECT ('x'::text).bite",
  'SELECT defaulted(1)',
  'SELECT (1).defaulted',
  'SELECT t::int FROM climate',
  "SELECT '[1,2]'::spread",
  "SELECT '{[1,2]}'::spread_multirange",
  "SELECT spread_multirange('[1,2]')",
  "SELECT * FROM ranged WHERE m = '{[1,2]}'",
  "SELECT * FROM ranged WHERE a = '{x}'",
  "SELECT array_agg(t) = '{x}' FROM domained",
  "SELECT ARRAY[t] = '{x}' FROM domained",
  "SELECT * FROM domained d WHERE d = '(1,x)'",
  "SELECT * FROM domained WHERE domained = '(1,x)'",
  "SELECT (d.*) = '(1,x)' FROM domained d",
  'SELECT 1 OPERATOR(hidden.=) 1',
  'EXPLAIN (ANALYZE) (SELECT (777::bigint).pg_advisory_lock)',
  'COPY (SELECT (777::bigint).pg_advisory_lock) TO STDOUT WITH (FORMAT csv)',
  'DO $$ BEGIN DELETE FROM items; END $$',
  'CALL proc()',
  'LOCK TABLE items',
  "LOAD 'auto_explain'",
  'PREPARE p AS DELETE FROM items',
  'EXECUTE p',
  'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
  'VACUUM items',
  'ANALYZE items',
  'CLUSTER items',
  'REINDEX TABLE items',
  'CHECKPOINT',
  'REFRESH MATERIALIZED VIEW missing',
  'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  'GRANT ALL ON items TO PUBLIC',
  'ALTER SYSTEM SET work_mem = 64',
  'ALTER ROLE CURRENT_USER SET work_mem = 64',
  'CREATE DATABASE made',
  'CREATE EXTENSION citext',
  'SECURITY LABEL ON TABLE items IS NULL',
  "COMMENT ON TABLE items IS 'attacked'",
  'IMPORT FOREIGN SCHEMA public FROM SERVER files INTO hidden',
  "PREPARE TRANSACTION 'attack'",
  "COMMIT PREPARED 'attack'",
  'SELECT 1\u0000; DELETE FROM items',
  '',
  ';',
  '-- nothing',
];
