/** `config.allow`: what statements may name, on each way into a real database. Spec: keys-and-doors.md §4. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callOf } from '../test/host.ts';
import { verdictOn } from '../test/verdict.ts';
import type { MysqlClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let writer: MysqlClient;
let reader: MysqlClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE orders (id int PRIMARY KEY, item int, at datetime); CREATE TABLE items (id int PRIMARY KEY, name text);
    CREATE TABLE secret (id int PRIMARY KEY, word text); INSERT INTO secret VALUES (1, 's3cret');
    INSERT INTO orders VALUES (1, 1, now()); INSERT INTO items VALUES (1, 'tea');
    CREATE VIEW words AS SELECT word FROM secret;
    CREATE FUNCTION peek() RETURNS text READS SQL DATA RETURN (SELECT word FROM secret LIMIT 1);
    CREATE FUNCTION harmless() RETURNS int NO SQL RETURN 1;
    CREATE PROCEDURE proc() SELECT word FROM secret;`);
  const allow = { tables: ['orders', `${database.name}.items`, 'words', 'made*'] };
  const members = { connections: 1, allow, allow_functions: ['harmless'] };
  writer = await database.open('write', members);
  reader = await database.open('read', members);
});
afterAll(() => database.drop());

function verdict(query: string, client = writer, members = {}): Promise<string> {
  const work = run(client, sql(query, [], members), client === reader ? 'read' : 'write');
  return verdictOn(work, database.name);
}

const TAKEN = [
  'SELECT 1',
  'SELECT 1 FROM DUAL',
  'SELECT * FROM orders',
  'SELECT * FROM `orders` AS secret, items AS i WHERE i.id = secret.item',
  'SELECT * FROM (orders, items)',
  'SELECT * FROM (orders JOIN items ON items.id = item)',
  'SELECT o.* FROM orders o LEFT JOIN items i USING (id) WHERE o.id IN (SELECT id FROM items) ORDER BY o.id, o.item LIMIT 1, 2',
  'SELECT * FROM orders USE INDEX FOR ORDER BY (PRIMARY), items',
  "SELECT trim('a' FROM name), extract(year FROM at), substring(name FROM 2) FROM items, orders",
  'SELECT id, (SELECT max(id) FROM items) FROM orders GROUP BY id, item HAVING count(*) > 0',
  'WITH secret AS (SELECT 1 AS id) SELECT * FROM secret',
  'WITH a AS (SELECT 1 AS id), secret (id) AS (SELECT id FROM a) SELECT * FROM secret JOIN a ON a.id = secret.id',
  'WITH RECURSIVE secret (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM secret WHERE n < 3) SELECT * FROM secret',
  'SELECT * FROM (WITH a AS (SELECT 1 AS id), secret AS (SELECT * FROM a) SELECT * FROM secret) x',
  'SELECT word FROM words',
  'SELECT harmless()',
  'INSERT INTO orders (id, item) VALUES (2, 3), (4, 5) ON DUPLICATE KEY UPDATE item = VALUES(item), at = now()',
  'INSERT orders SELECT id + 10, id, now() FROM items ON DUPLICATE KEY UPDATE item = 1, at = now()',
  'INSERT INTO orders SET id = 30, item = (SELECT max(id) FROM items)',
  'REPLACE INTO orders (id) VALUES (30)',
  'UPDATE orders SET item = 1, at = now() WHERE id = 2',
  'UPDATE orders o JOIN items i ON i.id = o.item SET o.item = 2, o.at = now()',
  'DELETE FROM orders WHERE id = 30',
  'DELETE o FROM orders o JOIN items i ON i.id = o.item WHERE o.id = 77',
  'EXPLAIN SELECT * FROM orders',
  'DESCRIBE orders',
  'CREATE TABLE made (id int PRIMARY KEY, name text) ENGINE=InnoDB',
  'ALTER TABLE made ADD COLUMN a int, ADD COLUMN b int',
  'TRUNCATE made',
  'TRUNCATE TABLE made',
  'DROP TABLE IF EXISTS made, made2',
  'SET @a = 1',
];

const REFUSED: readonly (readonly [query: string, name: string])[] = [
  ['SELECT s.word FROM (SELECT 1 AS `limit`) q JOIN items i ON q.limit, secret s', 'secret'],
  ['SELECT s.word FROM (SELECT 1 AS `where`) q JOIN items i ON q.where, secret s', 'secret'],
  ['SELECT s.word FROM (SELECT 1 AS `for`) o JOIN items i ON o.for JOIN secret s', 'secret'],
  ['SELECT * FROM secret', 'secret'],
  ['SELECT * FROM `secret`', 'secret'],
  ['SELECT * FROM/**/secret', 'secret'],
  ['SELECT * FROM Orders', 'Orders'],
  ['SELECT * FROM other.orders', 'other.orders'],
  ['SELECT * FROM `other` . `orders`', 'other.orders'],
  ['SELECT * FROM orders, secret', 'secret'],
  ['SELECT * FROM orders o CROSS JOIN secret', 'secret'],
  ['SELECT * FROM orders STRAIGHT_JOIN secret', 'secret'],
  ['SELECT * FROM (orders, secret)', 'secret'],
  ['SELECT * FROM orders window, secret', 'secret'],
  ['SELECT * FROM orders returning, secret', 'secret'],
  ['SELECT * FROM orders USE INDEX FOR ORDER BY (PRIMARY), secret', 'secret'],
  ['SELECT * FROM orders USE INDEX FOR JOIN (PRIMARY), secret', 'secret'],
  ['SELECT * FROM orders PARTITION (p0, p1), secret', 'secret'],
  ['SELECT * FROM orders o JOIN items i ON o.id = i.id, secret', 'secret'],
  ['SELECT (SELECT word FROM secret LIMIT 1)', 'secret'],
  ['SELECT * FROM (SELECT * FROM (SELECT * FROM secret) a) b', 'secret'],
  ['SELECT * FROM orders WHERE EXISTS (SELECT 1 FROM secret)', 'secret'],
  ['SELECT 1 FROM orders ORDER BY (SELECT id FROM secret)', 'secret'],
  ['(SELECT id FROM orders) UNION (SELECT id FROM secret)', 'secret'],
  ['SELECT id FROM orders UNION SELECT id FROM secret', 'secret'],
  ["SELECT trim((SELECT word FROM secret) FROM 'x')", 'secret'],
  ['WITH secret AS (SELECT * FROM secret) SELECT * FROM secret', 'secret'],
  ['SELECT (WITH secret AS (SELECT 1) SELECT 1), s.* FROM secret s', 'secret'],
  ['WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a', 'b'],
  ['WITH secret AS (SELECT 1 AS id) DELETE FROM secret', 'secret'],
  ['INSERT secret VALUES (1, 2)', 'secret'],
  ['INSERT IGNORE INTO secret VALUES (1, 2)', 'secret'],
  ['INSERT INTO orders SELECT id, id, now() FROM secret', 'secret'],
  ['INSERT INTO orders (id) VALUES ((SELECT id FROM secret))', 'secret'],
  ['REPLACE secret VALUES (1, 2)', 'secret'],
  ['UPDATE secret SET word = 1', 'secret'],
  ['UPDATE orders, secret SET item = 1', 'secret'],
  ['UPDATE LOW_PRIORITY IGNORE secret SET word = 1', 'secret'],
  ['DELETE FROM secret', 'secret'],
  ['DELETE orders FROM orders, secret', 'secret'],
  ['DELETE orders FROM orders returning, secret', 'secret'],
  ['DELETE FROM orders USING orders JOIN secret', 'secret'],
  ['EXPLAIN SELECT * FROM secret', 'secret'],
  ['EXPLAIN secret', 'secret'],
  ['DESC secret word', 'secret'],
  ['TRUNCATE secret', 'secret'],
  ['DROP TABLE made, secret', 'secret'],
  ['CREATE TABLE made LIKE secret', 'secret'],
  ['CREATE TABLE made (LIKE secret)', 'secret'],
  ['CREATE TABLE made AS SELECT * FROM secret', 'secret'],
  ['CREATE TABLE made (id int REFERENCES secret (id))', 'secret'],
  ['CREATE TABLE copied (id int)', 'copied'],
  ['ALTER TABLE secret ADD COLUMN a int', 'secret'],
  ['SELECT * FROM information_schema.tables', 'information_schema.tables'],
  ['SELECT * FROM mysql.user', 'mysql.user'],
  ['SELECT * FROM performance_schema.threads', 'performance_schema.threads'],
];

const UNDECIDED = [
  'SELECT * FROM "secret"',
  'SELECT * FROM { OJ orders LEFT JOIN secret ON 1 }',
  'SELECT /*! * FROM secret */',
  'SELECT 1 /*!50000 , word FROM secret */',
  "SELECT * FROM orders INTO OUTFILE '/tmp/x'",
  "SELECT load_file('/etc/passwd')",
  'SELECT peek()',
  'SELECT `peek`()',
  'SELECT nextval(secret)',
  'SELECT NEXT VALUE FOR secret',
  'CREATE TABLE made (id int DEFAULT nextval(secret))',
  'CREATE TABLE made (id int DEFAULT (lastval /* of */ (secret)))',
  'CREATE TABLE made (id int DEFAULT setval(`secret`, 10))',
  'CREATE TABLE made (id int DEFAULT (NEXT VALUE FOR secret))',
  'CREATE TABLE made (a int, id int AS (nextval(secret)))',
  'ALTER TABLE orders ADD COLUMN z int DEFAULT NextVal(secret)',
  'ALTER TABLE orders ALTER item SET DEFAULT (nextval(secret))',
  'CALL proc()',
  'DO peek()',
  "SET sql_mode = 'ANSI_QUOTES'",
  "SET @a = 1, sql_mode = 'ANSI_QUOTES'",
  'SHOW TABLES',
  'SHOW CREATE TABLE secret',
  'CREATE VIEW made AS SELECT * FROM secret',
  'CREATE PROCEDURE made() SELECT * FROM secret',
  'CREATE TABLE made (id int) ENGINE=MERGE UNION=(secret)',
  'CREATE TABLE made (id int) ENGINE=CONNECT',
  'RENAME TABLE secret TO orders2',
  'ALTER TABLE orders RENAME TO secret2',
  'GRANT SELECT ON secret TO x',
  'FLUSH TABLES',
  'EXPLAIN FOR CONNECTION 1',
];

describe('a statement that names', () => {
  test.each(TAKEN)('what is open is taken: %s', async (query) => {
    // What this server does not know is its own to refuse.
    expect(await verdict(query)).toMatch(/^(?:taken|failed: )/);
  });
  test.each(REFUSED)('more is refused: %s', async (query, name) => {
    expect(await verdict(query)).toBe(`allow ${name}`);
  });
  test.each(UNDECIDED)('in a form that is not read is refused: %s', async (query) => {
    expect(await verdict(query)).toBe('allow_undecided');
  });
  test('most of what is open runs', async () => {
    const verdicts = await Promise.all(TAKEN.slice(0, 20).map((query) => verdict(query)));
    expect(verdicts.filter((each) => each === 'taken').length).toBeGreaterThan(17);
  });
});

describe('each way in refuses', () => {
  const bad = 'SELECT word FROM secret';
  const FORBIDDEN = { code: 'FORBIDDEN' };

  test.each([
    ['query_read_only', sql(bad, [], { type: 'query_read_only' })],
    ['execute', sql(bad, [], { type: 'execute' })],
    ['simple', sql(`SELECT 1; ${bad}`, [], { type: 'simple' })],
    ['batch_execute', sql(bad, [], { type: 'batch_execute' })],
  ])('%s', async (_, request) => {
    await expect(run(writer, request, 'write')).rejects.toMatchObject(FORBIDDEN);
  });

  test('a read, a stream, a transaction, a lease, a share', async () => {
    expect(await verdict(bad, reader)).toBe('allow secret');
    const lines = writer.stream(sql(bad), callOf('write'))[Symbol.asyncIterator]();
    await expect(lines.next()).rejects.toMatchObject(FORBIDDEN);
    await expect(writer.transact([sql(bad)], callOf('write'))).rejects.toMatchObject(FORBIDDEN);
    const lease = await writer.lease(callOf('write'));
    await run(lease, sql('START TRANSACTION'), 'write');
    await expect(run(lease, sql(bad), 'write')).rejects.toMatchObject(FORBIDDEN);
    for (const query of ['USE mysql', `PREPARE p FROM '${bad}'`, 'HANDLER secret OPEN']) {
      await expect(run(lease, sql(query), 'write')).rejects.toMatchObject(FORBIDDEN);
    }
    await lease.close();
  });

  test('changes of what is not open, and tells the open part of the schema', async () => {
    const collections = [{ name: 'secret', operations: ['insert'] as const }];
    const request = { slot: 'causeway_allow', collections };
    await expect(writer.prepareChanges(request, callOf('write'))).rejects.toMatchObject({
      message: expect.not.stringContaining('s3cret'),
    });
    const { tables } = await reader.inspect({ limit: 500 }, callOf('read'));
    const own = tables.filter(({ namespace }) => namespace === database.name);
    expect(own.map(({ name }) => name)).toEqual(['items', 'orders', 'words']);
    expect(tables).toHaveLength(own.length);
  });
});

test('a typo is told as one', async () => {
  expect(await verdict('SELCT * FROM secret')).toBe(
    'failed: SELCT begins no statement of MySQL and MariaDB',
  );
});
