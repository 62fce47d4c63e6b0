/** What a reader may try in order to change something: none of it may pass `/read`, whatever the role may do. */

/** Objects that attacks aim at. */
export const TARGETS: readonly string[] = [
  'CREATE TABLE items (id int PRIMARY KEY, name text)',
  "INSERT INTO items (id, name) VALUES (1, 'one')",
  "INSERT INTO items (id, name) VALUES (2, 'two')",
  'CREATE TABLE hits (id int PRIMARY KEY, n counter)',
  'UPDATE hits SET n = n + 1 WHERE id = 1',
];

/** A statement, and why it fails. */
type Attack = readonly [statement: string, reason: string];

const WRITES = 'does not begin with SELECT';
const SEVERAL = 'holds several statements';
const UNREADABLE = 'a quote or comment does not end';
const SYNTAX = 'is no statement of CQL by the server: a SELECT holds no other statement';

/** Statements that are refused; each would leave something if it ran. */
export const ATTACKS: readonly Attack[] = [
  ["INSERT INTO items (id, name) VALUES (3, 'three')", WRITES],
  ["insert into items (id, name) values (3, 'three') if not exists", WRITES],
  ['INSERT INTO items JSON \'{"id": 3}\'', WRITES],
  ["UPDATE items SET name = 'x' WHERE id = 1", WRITES],
  ["UPDATE items SET name = 'x' WHERE id = 1 IF name = 'one'", WRITES],
  ['UPDATE hits SET n = n + 1 WHERE id = 1', WRITES],
  ['DELETE FROM items WHERE id = 1', WRITES],
  ['DELETE name FROM items WHERE id = 1', WRITES],
  ['BEGIN BATCH DELETE FROM items WHERE id = 1; APPLY BATCH', WRITES],
  ['BEGIN UNLOGGED BATCH DELETE FROM items WHERE id = 1; APPLY BATCH;', WRITES],
  ['TRUNCATE items', WRITES],
  ['TRUNCATE TABLE items', WRITES],
  ['DROP TABLE items', WRITES],
  ['ALTER TABLE items ADD more text', WRITES],
  ['CREATE TABLE made (id int PRIMARY KEY)', WRITES],
  ['CREATE INDEX made ON items (name)', WRITES],
  ['CREATE TYPE made (a int)', WRITES],
  [
    "CREATE FUNCTION made(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return a;'",
    WRITES,
  ],
  ["CREATE ROLE made WITH PASSWORD = 'x' AND LOGIN = true", WRITES],
  ["ALTER ROLE cassandra WITH PASSWORD = 'x'", WRITES],
  ['GRANT ALL ON ALL KEYSPACES TO cassandra', WRITES],
  ['USE system', 'changes the connection for the next caller'],
  ['-- SELECT\nDELETE FROM items WHERE id = 1', WRITES],
  ['// SELECT 1\rDELETE FROM items WHERE id = 1', WRITES],
  ['/* SELECT */ DELETE FROM items WHERE id = 1', WRITES],
  ['/* /* */ DELETE FROM items WHERE id = 1 /* */', WRITES],
  [';DELETE FROM items WHERE id = 1', 'begins with no word'],
  ['SELECT * FROM items; DELETE FROM items WHERE id = 1', SEVERAL],
  ["SELECT * FROM items WHERE name = ''; DELETE FROM items WHERE id = 1 -- '", SEVERAL],
  ['SELECT * FROM items /* ; */ ; DROP TABLE items', SEVERAL],
  ['SELECT * FROM items -- \n ; DROP TABLE items', SEVERAL],
  ["SELECT * FROM items WHERE name = $$'$$; DROP TABLE items", SEVERAL],
  ['SELECT * FROM items WHERE name = \'"\'; DROP TABLE items --"', SEVERAL],
  ["SELECT * FROM items WHERE name = 'a''; DROP TABLE items", UNREADABLE],
  ['SELECT * FROM items WHERE name = $$; DROP TABLE items', UNREADABLE],
  ['SELECT * FROM items /* ; DROP TABLE items', UNREADABLE],
  ['SELECT * FROM items DELETE FROM items WHERE id = 1', SYNTAX],
  ['SELECT * INTO made FROM items', SYNTAX],
  ['SELECT * FROM (DELETE FROM items WHERE id = 1)', SYNTAX],
  ['SELECT * FROM items APPLY BATCH', SYNTAX],
];

/** What readers may do. */
export const READS: readonly string[] = [
  'SELECT * FROM items',
  'select id, name from items where id = 1;',
  'SELECT JSON * FROM items',
  'SELECT DISTINCT id FROM items',
  '/* all */ SELECT count(*) FROM items -- of them\n',
  "SELECT * FROM items WHERE name = ';DROP TABLE items' ALLOW FILTERING",
  'SELECT * FROM items WHERE name = $$it\'s; "so"$$ ALLOW FILTERING // so\n',
  'SELECT "id" FROM "items" LIMIT 1',
  'SELECT key FROM system.local',
];
