/** What the server looks up by the type of a value while it compares, sorts or makes JSON: the statement does not name it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../contract.ts';
import { callOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let read: PostgresClient;

/** A default order and hash of a type, whose functions say of themselves that they are VOLATILE. */
function ordered(type: string, compared: string): string {
  const symbols = ['<', '<=', '=', '>=', '>'];
  const operators = symbols.map(
    (symbol, at) => `
    CREATE FUNCTION ${type}_${at}(${type}, ${type}) RETURNS boolean LANGUAGE sql VOLATILE AS $$ SELECT ${compared} ${symbol} 0 $$;
    CREATE OPERATOR ${symbol}~ (LEFTARG = ${type}, RIGHTARG = ${type}, FUNCTION = ${type}_${at});`,
  );
  return `${operators.join('')}
    CREATE FUNCTION ${type}_cmp(${type}, ${type}) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT ${compared} $$;
    CREATE FUNCTION ${type}_hash(${type}) RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT 1 $$;
    CREATE OPERATOR CLASS ${type}_order DEFAULT FOR TYPE ${type} USING btree AS
      ${symbols.map((symbol, at) => `OPERATOR ${at + 1} ${symbol}~`).join(', ')}, FUNCTION 1 ${type}_cmp(${type}, ${type});
    CREATE OPERATOR CLASS ${type}_hashed DEFAULT FOR TYPE ${type} USING hash AS
      OPERATOR 1 =~, FUNCTION 1 ${type}_hash(${type});`;
}

beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TYPE degree AS (d int);
    ${ordered('degree', '($1).d - ($2).d')}
    ${ordered('json', 'bttextcmp($1::text, $2::text)')}
    CREATE TABLE weather (id int, c degree, cs degree[]);
    CREATE TABLE documents (j json, js json[]);
    CREATE TYPE degrees AS RANGE (subtype = degree);
    CREATE TABLE spans (s degrees);
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE FUNCTION mood_json(mood) RETURNS json LANGUAGE sql VOLATILE AS $$ SELECT '1'::json $$;
    CREATE CAST (mood AS json) WITH FUNCTION mood_json(mood);
    CREATE TABLE moods (m mood, ms mood[]);
    CREATE VIEW moody AS SELECT m, ms FROM moods;
    CREATE FUNCTION mooded() RETURNS TABLE (m mood) LANGUAGE sql STABLE AS $$ SELECT 'sad'::mood $$;
    CREATE FUNCTION untold() RETURNS record LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN ROW('sad'::mood); END $$;
    CREATE TABLE hashes (a int) PARTITION BY HASH (a);`);
  read = await database.open('read', { connections: 1 });
});
afterAll(() => database.drop());

const REFUSED = [
  ['an order of rows', 'SELECT w FROM weather w ORDER BY w'],
  ['equality of rows', 'SELECT w = w FROM weather w'],
  ['rows without doubles', 'SELECT DISTINCT w FROM weather w'],
  ['an order of arrays', 'SELECT cs < cs FROM weather'],
  ['arrays that hold others', 'SELECT cs @> cs FROM weather'],
  ['a hash of arrays', 'SELECT cs, count(*) FROM weather GROUP BY cs'],
  ['a union', 'SELECT cs FROM weather UNION SELECT cs FROM weather'],
  ['the place in an array', 'SELECT array_position(cs, c) FROM weather'],
  ['the greatest', 'SELECT greatest(c, c) FROM weather'],
  ['the greatest array', 'SELECT max(cs) FROM weather'],
  ['ranges', 'SELECT s && s FROM spans'],
  ['a natural join', 'SELECT 1 FROM weather NATURAL JOIN weather z'],
  [
    'a cycle',
    'WITH RECURSIVE t(n, c) AS (SELECT id, c FROM weather UNION ALL SELECT n, c FROM t) CYCLE c SET y USING p SELECT n FROM t',
  ],
  ['a type of the server', 'SELECT d = d FROM documents d'],
  ['an array of those', "SELECT ARRAY['1'::json] = ARRAY['1'::json]"],
  ['rows of a function of the server', 'SELECT e = e FROM json_each($$ {} $$) e'],
  ['statistics', 'SELECT most_common_vals = most_common_vals FROM pg_stats'],
  ['JSON', 'SELECT to_json(m) FROM moods'],
  ['JSON of a row', 'SELECT row_to_json(m) FROM moods m'],
  ['JSON of an array', 'SELECT to_jsonb(ms) FROM moods'],
  ['JSON of an element', 'SELECT to_json(ms[1]) FROM moods'],
  ['JSON of a view', 'SELECT json_agg(v) FROM moody v'],
  ['JSON of a choice', 'SELECT to_json(coalesce(m, m)) FROM moods'],
  ['JSON of a query', 'SELECT to_json((SELECT m FROM moods))'],
  ['JSON of rows of a function', 'SELECT to_json(f) FROM mooded() f'],
  ['JSON of a row that nobody tells of', 'SELECT to_json(untold())'],
  ['a table named by a value', "SELECT satisfies_hash_partition('hashes'::regclass, 1, 0, 5)"],
] as const;

describe('a VOLATILE function that is looked up is refused:', () => {
  test.each(REFUSED)('%s', async (_, query) => {
    expect(await failureOf(read.run(sql(query), callOf('read')))).toMatchObject({
      code: 'BAD_REQUEST',
      details: [{ rule: expect.stringMatching(/^read_(?:volatile_)?function$/) }],
    });
  });
});

test.each([
  'SELECT c FROM weather WHERE id > 1 ORDER BY id',
  'SELECT cs[1], (c).d FROM weather',
  'SELECT id, count(*) FROM weather GROUP BY id',
  'SELECT m, m::text FROM moods WHERE ms IS NOT NULL',
  'SELECT m, count(*) FROM moods GROUP BY m ORDER BY m',
  'TABLE moody',
])('where nothing is looked up, nothing is refused: %s', async (query) => {
  expect(await run(read, sql(query), 'read')).toMatchObject({ columns: expect.anything() });
});
