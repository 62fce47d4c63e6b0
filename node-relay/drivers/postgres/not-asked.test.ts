/** What the guard decides by names alone, where the server cannot be asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
/** One that the server answers. */
let read: PostgresClient;

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE SCHEMA other;
    CREATE FUNCTION other.named() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT 1 $$;
    CREATE FUNCTION named() RETURNS int LANGUAGE sql STABLE AS $$ SELECT 1 $$;
    CREATE TABLE seen (a int);
    INSERT INTO seen VALUES (1);`);
  read = await database.open('read', { connections: 1 });
});
afterAll(() => database.drop());

describe('where the server is not asked', () => {
  const REFUSED = [
    "SELECT ('PG_VERSION'::text).pg_read_file",
    "SELECT x.pg_read_file FROM concat('PG_VERSION') AS x",
    'SELECT (777::bigint).pg_advisory_lock',
    "SELECT ('1'::text).marked_volatile",
    'SELECT (1).defaulted',
    'SELECT other.named()',
    'SELECT 1 FROM seen WHERE pg_try_advisory_lock(1)',
    'EXPLAIN ANALYZE SELECT other.named()',
  ];
  const PASSED = [
    'SELECT * FROM seen',
    'SELECT s.a, (s).a FROM seen s WHERE s.a = ANY (ARRAY[1])',
    'SELECT named()',
    "SELECT count(*), max(a), string_agg(a::text, ',') FROM seen",
    'SELECT * FROM information_schema.tables LIMIT 1',
  ];
  let reader: PostgresClient;

  beforeAll(async () => {
    await database.outside.query(`
      CREATE FUNCTION checks(int) RETURNS boolean LANGUAGE sql VOLATILE AS $$ SELECT true $$;
      CREATE DOMAIN marked_volatile AS int CHECK (checks(VALUE));
      CREATE FUNCTION effect() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT 1 $$;
      CREATE FUNCTION defaulted(int, int DEFAULT effect()) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 1 $$;
      REVOKE TEMPORARY ON DATABASE ${database.name} FROM PUBLIC;
      CREATE ROLE ${database.name}_reader LOGIN PASSWORD 'reader';
      GRANT USAGE ON SCHEMA other TO PUBLIC;
      GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${database.name}_reader`);
    const url = new URL(database.url);
    url.username = `${database.name}_reader`;
    url.password = 'reader';
    reader = await database.open('read', { connections: 1 }, url.href);
  });
  afterAll(async () => {
    await reader?.close();
    await database.outside.query(
      `DROP OWNED BY ${database.name}_reader; DROP ROLE ${database.name}_reader`,
    );
  });

  test.each(REFUSED)('names refuse %s', async (query) => {
    expect(await failureOf(reader.run(sql(query), callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('GRANT TEMPORARY ON DATABASE'),
    });
  });
  test.each(PASSED)('names let pass %s', async (query) => {
    expect(await run(reader, sql(query), 'read')).toMatchObject({ columns: expect.anything() });
  });

  describe("a user's operators of every comparison", () => {
    const NAMES = ['=', '<>', '<', '>', '<=', '>='];

    beforeAll(() =>
      database.outside.query(
        `CREATE FUNCTION compares(int, text) RETURNS boolean LANGUAGE sql VOLATILE AS $$ SELECT true $$;
        ${NAMES.map((name) => `CREATE OPERATOR ${name} (LEFTARG = int, RIGHTARG = text, FUNCTION = compares)`).join(';')}`,
      ),
    );
    afterAll(() => database.outside.query('DROP FUNCTION compares(int, text) CASCADE'));

    test.each([
      'SELECT count(*) FROM seen',
      'SELECT a, max(a) OVER (PARTITION BY a ORDER BY a) FROM seen GROUP BY a HAVING true ORDER BY a DESC',
      'SELECT DISTINCT a FROM seen UNION SELECT a FROM seen',
      'SELECT CASE WHEN true THEN a END, greatest(a, 2) FROM seen CROSS JOIN LATERAL (SELECT 1) x',
      'SELECT EXISTS (SELECT 1 FROM seen), a IS NULL, true IS TRUE FROM seen',
    ])('are not meant by %s', async (query) => {
      expect(await run(reader, sql(query), 'read')).toMatchObject({ columns: expect.anything() });
    });

    test.each([
      'SELECT a FROM seen WHERE a = 1',
      'SELECT a FROM seen WHERE a IN (1, 2)',
      'SELECT a FROM seen WHERE a IN (SELECT 1)',
      'SELECT a FROM seen WHERE a BETWEEN 1 AND 2',
      'SELECT a FROM seen WHERE a NOT BETWEEN SYMMETRIC 1 AND 2',
      'SELECT CASE a WHEN 1 THEN 2 END FROM seen',
      'SELECT nullif(a, 1) FROM seen',
      'SELECT a IS DISTINCT FROM 1 FROM seen',
      'SELECT 1 FROM seen JOIN seen other USING (a)',
      'SELECT 1 FROM seen NATURAL JOIN seen other',
      'SELECT a FROM seen ORDER BY a USING <',
    ])('may be meant by %s', async (query) => {
      expect(await failureOf(reader.run(sql(query), callOf('read')))).toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/compares is VOLATILE.*GRANT TEMPORARY/),
      });
      // A server that can be asked knows better.
      expect(await run(read, sql(query), 'read')).toMatchObject({ columns: expect.anything() });
    });
  });
});
