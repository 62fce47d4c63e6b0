/** Statements that would change something if `/read` took them, each with the reason why it does not. */

/** What the attacks bite into. `;;` parts statements, because programs hold semicolons. */
export const TRAPS: readonly string[] = `
CREATE TABLE items (id int PRIMARY KEY, name varchar(50)) ENGINE=InnoDB;;
INSERT INTO items VALUES (1, 'one'), (2, 'two');;
CREATE TABLE loose (id int) ENGINE=MyISAM;;
CREATE TABLE trace (what varchar(50)) ENGINE=MyISAM;;
CREATE SEQUENCE counter;;
CREATE FUNCTION bite(what varchar(50)) RETURNS int DETERMINISTIC BEGIN INSERT INTO trace VALUES (what); RETURN 1; END;;
CREATE FUNCTION quiet(a int) RETURNS int DETERMINISTIC NO SQL RETURN a + 1;;
CREATE FUNCTION \`count\`(a int) RETURNS int BEGIN SET @bitten = a; RETURN 1; END;;
CREATE FUNCTION \`a\u00a0b\`(a int) RETURNS int BEGIN SET @bitten = a; RETURN 1; END;;
CREATE PROCEDURE gnaw() BEGIN DELETE FROM items; COMMIT; END;;
SET sql_mode = ORACLE;;
CREATE PACKAGE pack AS FUNCTION bites(a int) RETURN int; END;;
CREATE PACKAGE BODY pack AS FUNCTION bites(a int) RETURN int AS BEGIN SET @bitten = a; RETURN 1; END; END;;
SET sql_mode = DEFAULT;;
CREATE VIEW biting AS SELECT bite('view') AS b;;
CREATE VIEW counting AS SELECT nextval(counter) AS n;;
CREATE VIEW locking AS SELECT get_lock('attack', 0) AS l;;
CREATE VIEW nested AS SELECT * FROM locking;;
CREATE VIEW Named AS SELECT bite('named') AS b
`.split(';;');

/** A statement, and why it fails. */
interface Attack {
  readonly query: string;
  readonly reason: string;
}

const FIRST = 'the first word is not one of a read';
const INTO = 'INTO is refused wherever it stands';
const LOCKING = 'locking clauses are refused';
const UNCLEAR = 'what servers may take apart in different ways is refused';
const VERSION = 'comments that the server executes are refused';
const FUNCTION = 'the function is refused by name';
const USERS = "a user's function is refused unless it is allowed";
const VIEW = 'views are followed to the functions they call';
const SEVERAL = 'several statements are refused';
const DATA = 'a word that writes is refused behind WITH and EXPLAIN too';

const BY_REASON: readonly (readonly [reason: string, queries: readonly string[]])[] = [
  [
    FIRST,
    [
      'DELETE FROM items',
      "INSERT INTO items VALUES (3, 'x')",
      "REPLACE INTO items VALUES (1, 'x')",
      "UPDATE items SET name = 'x'",
      'TRUNCATE items',
      'DROP TABLE items',
      'CREATE TABLE made (a int)',
      'CREATE TEMPORARY TABLE made (a int)',
      'ALTER TABLE items ADD made int',
      'RENAME TABLE items TO made',
      'CALL gnaw()',
      "DO get_lock('attack', 0)",
      "DO bite('do')",
      'SET @a = 1',
      'SET GLOBAL max_connections = 5',
      'SET SESSION TRANSACTION READ WRITE',
      'SET STATEMENT max_statement_time = 1 FOR DELETE FROM items',
      'START TRANSACTION READ WRITE',
      'BEGIN',
      'COMMIT',
      'LOCK TABLES items WRITE',
      'FLUSH TABLES WITH READ LOCK',
      'HANDLER items OPEN',
      "LOAD DATA INFILE '/etc/passwd' INTO TABLE items",
      "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE items",
      "PREPARE p FROM 'DELETE FROM items'",
      "EXECUTE IMMEDIATE 'DELETE FROM items'",
      'BEGIN NOT ATOMIC DELETE FROM items; END',
      'IF 1 THEN DELETE FROM items; END IF',
      'GRANT ALL ON *.* TO nobody',
      "CREATE USER attacker IDENTIFIED BY 'x'",
      'KILL 1',
      'SHUTDOWN',
      'RESET MASTER',
      'PURGE BINARY LOGS BEFORE NOW()',
      'CHANGE MASTER TO MASTER_HOST = "x"',
      "INSTALL SONAME 'ha_blackhole'",
      'ANALYZE TABLE items',
      'OPTIMIZE TABLE items',
      'CACHE INDEX loose IN hot',
      "XA START 'attack'",
      "SIGNAL SQLSTATE '45000'",
      'USE mysql',
      '(DELETE FROM items)',
      '\u00a0DELETE FROM items',
      'ANALYZE FORMAT=JSON DELETE FROM items',
      'ANALYZE UPDATE items SET id = 9',
    ],
  ],
  [
    INTO,
    [
      "SELECT * FROM items INTO OUTFILE '/tmp/causeway-attack-mysql'",
      "SELECT 'x' INTO DUMPFILE '/tmp/causeway-attack-mysql'",
      'SELECT 1 INTO @bitten',
      "TABLE items INTO OUTFILE '/tmp/causeway-attack-mysql'",
      "SELECT 1.INTO OUTFILE '/tmp/causeway-attack-mysql'",
      "SELECT 1 -- \nINTO OUTFILE '/tmp/causeway-attack-mysql'",
      "SELECT 1 # '\nINTO OUTFILE '/tmp/causeway-attack-mysql'",
      "SELECT '\\'' INTO OUTFILE '/tmp/causeway-attack-mysql' -- '",
      "SELECT 1 --\u00a0x INTO OUTFILE '/tmp/causeway-attack-mysql' FROM (SELECT 1 AS `\u00a0x`) AS y",
      "SELECT 1 --\u0001 '\nINTO OUTFILE '/tmp/causeway-attack-mysql' -- '",
      'SELECT 1.5INTO @bitten',
      'SELECT .5INTO @bitten',
      'SELECT 1.INTO @bitten',
      'SELECT 1e1INTO @bitten',
      'SELECT 1.e1INTO @bitten',
      'SELECT 1e+1INTO/**/@bitten',
      'SELECT \\NINTO @bitten',
      "SELECT 1.5INTO OUTFILE '/tmp/causeway-attack-mysql'",
      "SELECT x'41'INTO @bitten",
      'SELECT @bitten := 5',
      'SELECT @`bitten`:=5',
    ],
  ],
  [
    LOCKING,
    [
      'SELECT * FROM items FOR UPDATE',
      'SELECT * FROM items LOCK IN SHARE MODE',
      'SELECT * FROM items FOR/**/UPDATE SKIP LOCKED',
      'SELECT * FROM items FOR SHARE',
      'SELECT * FROM items WHERE id > 0.5LOCK IN SHARE MODE',
      'SELECT * FROM items WHERE id > 0.5FOR SHARE',
      'SELECT * FROM items WHERE id > 1e0FOR UPDATE',
      'SELECT * FROM (SELECT * FROM items FOR UPDATE) AS x',
    ],
  ],
  [
    UNCLEAR,
    [
      "SELECT 1 // '\n INTO @bitten -- '",
      "SELECT /*+ QB_NAME(`*/ '`) */ 1 INTO @bitten, ' */",
      'SELECT 1.e(1)',
      "SELECT get_lock 1.e('attack', 0)",
      "SELECT $a$ ' $a$ INTO @bitten -- '",
      'SELECT 1 --\u000b 1',
    ],
  ],
  [
    VERSION,
    [
      '/*!50000 DELETE FROM items */',
      "SELECT 1 /*!50000 INTO OUTFILE '/tmp/causeway-attack-mysql' */",
      "SELECT 1 /*M! INTO OUTFILE '/tmp/causeway-attack-mysql' */",
      'SELECT 1 /*! , get_lock("attack", 0) */',
      'SELECT 1 /* /*! */ INTO @bitten',
    ],
  ],
  [
    FUNCTION,
    [
      "SELECT get_lock('attack', 0)",
      "SELECT GET_LOCK ('attack', 0)",
      "SELECT `get_lock`('attack', 0)",
      "SELECT release_lock('other')",
      'SELECT release_all_locks()',
      "SELECT load_file('/etc/passwd')",
      'SELECT nextval(counter)',
      'SELECT setval(counter, 100)',
      'SELECT NEXT VALUE FOR counter',
      'SELECT NEXT/**/VALUE/**/FOR counter',
      // As Vitess has it, which changes its sequences in a transaction of its own.
      'SELECT NEXT VALUE FROM counter',
      'SELECT NEXT `value` FROM counter',
      'SELECT NEXT 1000 VALUES FROM counter',
      'SELECT next/**/1000/**/values FROM counter',
      'SELECT counter.nextval',
      "SELECT mariadb_schema.get_lock('attack', 0)",
      'SELECT * FROM information_schema.INNODB_CMP_RESET',
      'SELECT * FROM information_schema.`innodb_cmpmem_reset`',
      // They load libraries to list them.
      'SELECT * FROM information_schema.all_plugins',
      "SHOW PLUGINS SONAME 'ha_blackhole'",
      'EXPLAIN FORMAT=VTEXPLAIN /*vt+ EXECUTE_DML_QUERIES */ DELETE FROM items',
      'VEXPLAIN ALL DELETE FROM items',
      "REVERT VITESS_MIGRATION '9748c3b7_7fdb_11eb_ac2c_f875a4d24e90'",
      'SELECT last_insert_id(7)',
      "SELECT sys_exec('touch /tmp/causeway-attack-mysql')",
      "SHOW TABLES WHERE get_lock('attack', 0)",
      "SELECT master_pos_wait('x', 1, 1)",
      "VALUES (get_lock('attack', 0))",
    ],
  ],
  [
    USERS,
    [
      "SELECT bite('x')",
      "SELECT BITE ('x')",
      "SELECT `bite`('x')",
      'SELECT `count`(5)',
      'SELECT count (5)',
      'SELECT a\u00a0b(5)',
      'SELECT quiet(1)',
      'SELECT pack.bites(1)',
      "SELECT no_such_function('x')",
      'SELECT items.1bites(1)',
      "EXPLAIN ANALYZE SELECT bite('x')",
      "ANALYZE SELECT bite('x')",
      "EXPLAIN SELECT * FROM (SELECT bite('x')) AS x",
      "WITH w AS (SELECT bite('w') AS b) SELECT * FROM w",
      "SHOW TABLES WHERE bite('show')",
    ],
  ],
  [
    VIEW,
    [
      'SELECT * FROM biting',
      'TABLE counting',
      'SELECT * FROM `locking`',
      'SELECT * FROM nested',
      'SELECT * FROM Named',
    ],
  ],
  [
    SEVERAL,
    [
      'SELECT 1; DELETE FROM items',
      "SELECT ';'; DELETE FROM items",
      'SELECT 1; COMMIT; DELETE FROM items',
      "SELECT 1 -- '\n; DELETE FROM items -- '",
      'SELECT 1 --x\n; DELETE FROM items',
    ],
  ],
  [
    DATA,
    [
      'WITH w AS (SELECT 1) DELETE FROM items',
      "WITH w AS (SELECT 1) UPDATE items SET name = 'x'",
      'EXPLAIN DELETE FROM items',
      'EXPLAIN ANALYZE DELETE FROM items',
      "DESC INSERT INTO items VALUES (9, 'x')",
      "EXPLAIN REPLACE items VALUES (1, 'x')",
      'SELECT * FROM items PROCEDURE analyse()',
    ],
  ],
];

export const ATTACKS: readonly Attack[] = BY_REASON.flatMap(([reason, queries]) =>
  queries.map((query) => ({ query, reason })),
);

/** Statements that pass: a guard that refuses everything guards nothing worth having. */
export const READS: readonly string[] = [
  'SELECT * FROM items',
  '(SELECT 1) UNION ALL (SELECT 2)',
  'VALUES (1), (2)',
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n',
  'SHOW TABLES',
  'SHOW CREATE TABLE items',
  'SHOW VARIABLES WHERE Variable_name = "version"',
  'EXPLAIN SELECT * FROM items',
  'EXPLAIN FORMAT=JSON SELECT * FROM items',
  'DESCRIBE items',
  'ANALYZE SELECT * FROM items',
  'SELECT now(), rand(), uuid(), database(), user(), version(), @@version, @nothing',
  "SELECT 'DELETE FROM items; COMMIT', `name` FROM items -- DROP TABLE items",
  "SELECT 'it''s', \"a \\\" b\", 'INTO' # FOR UPDATE",
  'SELECT REPLACE(name, "o", "0"), INSERT(name, 1, 1, "x") FROM items',
  'SELECT count(*), max(name), group_concat(name ORDER BY id SEPARATOR ",") FROM items GROUP BY id HAVING count(*) > 0',
  'SELECT name, row_number() OVER (PARTITION BY id ORDER BY name) FROM items',
  'SELECT CAST(1 AS DECIMAL(10, 2)), CONVERT("1", UNSIGNED), CASE WHEN (1) THEN (2) END',
  "SELECT json_extract('{\"a\": 1}', '$.a'), json_object('a', 1)",
  'SELECT ST_AsText(POINT(1, 2)), ST_Distance(POINT(0, 0), POINT(3, 4))',
  'SELECT * FROM items WHERE id IN (1, 2) AND EXISTS (SELECT 1) AND NOT (id = 3) LIMIT 1',
  'SELECT * FROM items AS a USE INDEX (PRIMARY) JOIN items AS b USING (id)',
  'SELECT * FROM information_schema.TABLES LIMIT 1',
  'SELECT sleep(0), benchmark(1, 1), last_insert_id(), found_rows()',
  'SELECT 1 --1',
  'SELECT 1.5, .5, 1., 1e1, 1.5e-3, 0x41, 0b1, 1.5 AS 1e, t.1b FROM (SELECT 1 AS 1b) AS t',
  'SELECT DISTINCT (id) FROM items',
  "SELECT TRIM(BOTH ('x') FROM 'xax'), EXTRACT(DAY FROM now()), CAST('1' AS CHAR(1)), POSITION('a' IN 'ba')",
  'SELECT * FROM items WHERE name LIKE ("a") ESCAPE ("b") AND id BETWEEN (1) AND (2) LIMIT 1',
  'SELECT SQL_NO_CACHE (1), INTERVAL (1) DAY + now(), id DIV (2), id MOD (2), NOT (id) FROM items',
  "SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a int PATH '$')) AS t",
  'SELECT sum(id) OVER w FROM items WINDOW w AS (PARTITION BY (id) ORDER BY (name))',
  'SELECT * FROM items USE INDEX (PRIMARY) WHERE (id, name) IN (SELECT id, name FROM items) OR id = ANY (SELECT 1)',
  'SELECT /*+ MAX_EXECUTION_TIME(1000) */ 1;',
  'SELECT CURRENT_TIMESTAMP, LEFT("abc", 1), IF(1, 2, 3), 1.5e3, x\'41\'',
];
