/** `config.allow`: what statements may name, on each way into a real database. Spec: keys-and-doors.md §4. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { callOf, jsonOf } from '../test/host.ts';
import type { PostgresClient } from './index.ts';
import { ALLOWED, REFUSED, UNDECIDED } from './test/allow-statements.ts';
import { run, sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
let writer: PostgresClient;
let reader: PostgresClient;

const SETUP = `
  CREATE SCHEMA shop; CREATE SCHEMA hidden;
  CREATE TABLE shop.items (id int PRIMARY KEY, name text, kind text);
  CREATE TABLE orders (id serial PRIMARY KEY, item int);
  CREATE TABLE "Odd.Name" (id int);
  CREATE TABLE secret (id serial PRIMARY KEY, word text);
  CREATE TABLE hidden.secret (id int PRIMARY KEY, word text);
  CREATE VIEW shop.words AS SELECT word FROM secret;
  CREATE TYPE shop.mood AS ENUM ('good');
  CREATE TYPE hidden.pair AS (a int, b text);
  CREATE FUNCTION peek() RETURNS text LANGUAGE sql STABLE AS 'SELECT word FROM secret LIMIT 1';
  CREATE FUNCTION lower(shop.mood) RETURNS text LANGUAGE sql STABLE AS 'SELECT word FROM secret LIMIT 1';
  CREATE FUNCTION seen(orders) RETURNS text LANGUAGE sql STABLE AS 'SELECT word FROM secret LIMIT 1';
  CREATE FUNCTION harmless(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
  CREATE FUNCTION joined(int, int) RETURNS text LANGUAGE sql STABLE AS 'SELECT word FROM secret LIMIT 1';
  CREATE OPERATOR @#@ (LEFTARG = int, RIGHTARG = int, FUNCTION = joined);
  CREATE PROCEDURE proc() LANGUAGE sql AS 'INSERT INTO secret (word) VALUES (''x'')';
  CREATE EXTENSION IF NOT EXISTS postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw;
  CREATE FOREIGN TABLE shop.far (id int) SERVER far OPTIONS (schema_name 'public', table_name 'orders');
  INSERT INTO secret (word) VALUES ('s3cret'); INSERT INTO hidden.secret VALUES (1, 's3cret');
  INSERT INTO shop.items VALUES (1, 'tea', 'dry'); INSERT INTO orders (item) VALUES (1);`;

const allow: Json = { schemas: ['shop'], tables: ['orders*', 'public.Odd.Name', 'made'] };

beforeAll(async () => {
  database = await TestDatabase.create(SETUP);
  const members = { connections: 1, allow, allow_functions: ['harmless'] };
  writer = await database.open('write', members);
  reader = await database.open('read', members);
});
afterAll(() => database.drop());

/** `allowed`, or the rule with what was named. */
async function verdictOn(query: string, client = writer, members = {}): Promise<string> {
  const mode = client === reader ? 'read' : 'write';
  try {
    await run(client, sql(query, [], members), mode);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'FORBIDDEN') return 'allowed';
    const [detail] = error.details as readonly { rule: string; name?: string }[];
    return detail?.rule === 'allow' ? `allow ${detail.name}` : `${detail?.rule}`;
  }
}

describe('a statement that names', () => {
  test.each(ALLOWED)('what is open is taken: %s', async (query) => {
    expect(await verdictOn(query)).toBe('allowed');
  });

  test.each(REFUSED)('more is refused: %s', async (query, name) => {
    expect(await verdictOn(query)).toBe(`allow ${name}`);
    // Remembered.
    expect(await verdictOn(query)).toBe(`allow ${name}`);
  });

  test.each(UNDECIDED)('in a form that is not read is refused: %s', async (query) => {
    expect(await verdictOn(query)).toBe('allow_undecided');
  });

  test('is refused on a read, too, and nothing of it shows', async () => {
    for (const [query, name] of REFUSED) {
      if (!/^(?:SELECT|TABLE|VALUES|WITH RECURSIVE)/.test(query)) continue;
      expect([query, await verdictOn(query, reader)]).toEqual([query, `allow ${name}`]);
    }
    await expect(run(reader, sql('TABLE secret'), 'read')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'Table public.secret is not among what config.allow opens',
      details: [
        {
          rule: 'allow',
          path: 'query',
          message: 'Table public.secret is not among what config.allow opens',
          name: 'public.secret',
        },
      ],
    });
  });

  test('nothing that is refused was run', async () => {
    const { rows } = await database.outside.query(
      'SELECT (SELECT count(*)::int FROM secret) AS secret, (SELECT count(*)::int FROM hidden.secret) AS hidden',
    );
    expect(rows).toEqual([{ secret: 1, hidden: 1 }]);
  });
});

const FORBIDDEN = { code: 'FORBIDDEN', details: [{ rule: 'allow', name: 'public.secret' }] };

describe('each way in', () => {
  const bad = 'SELECT word FROM secret';

  test.each([
    ['query', sql(bad)],
    ['query_one_read_only', sql(bad, [], { type: 'query_one_read_only' })],
    ['query_typed', sql(bad, [], { type: 'query_typed' })],
    ['execute', sql(bad, [], { type: 'execute' })],
    ['simple', sql(`SELECT 1; ${bad}`, [], { type: 'simple' })],
    ['simple_read_only', sql(`SELECT 1; ${bad}`, [], { type: 'simple_read_only' })],
    ['batch_execute', sql(`SELECT 1; ${bad}`, [], { type: 'batch_execute' })],
    ['copy_out of a table', sql('COPY secret TO STDOUT', [], { type: 'copy_out' })],
    ['copy_out of a query', sql(`COPY (${bad}) TO STDOUT`, [], { type: 'copy_out' })],
    ['copy_in', sql('COPY secret (word) FROM STDIN', [], { type: 'copy_in', value: 'x\n' })],
  ])('refuses %s', async (_, request) => {
    await expect(run(writer, request, 'write')).rejects.toMatchObject(FORBIDDEN);
  });

  test('refuses a stream, a transaction and a lease', async () => {
    for (const client of [writer, reader]) {
      const mode = client === writer ? 'write' : 'read';
      const lines = client.stream(sql(bad), callOf(mode))[Symbol.asyncIterator]();
      await expect(lines.next()).rejects.toMatchObject(FORBIDDEN);
    }
    await expect(
      writer.transact([sql('SELECT 1'), sql(bad)], callOf('write')),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const lease = await writer.lease(callOf('write'));
    await expect(run(lease, sql(bad), 'write')).rejects.toMatchObject(FORBIDDEN);
    for (const query of ['BEGIN', 'DECLARE c CURSOR FOR TABLE orders', 'FETCH c', 'COMMIT']) {
      await run(lease, sql(query), 'write');
    }
    await expect(run(lease, sql(`PREPARE p AS ${bad}`), 'write')).rejects.toMatchObject({
      details: [{ rule: 'allow_undecided' }],
    });
    await lease.close();
  });

  test('refuses a share of a transaction over many databases', async () => {
    const beginning = { name: 'causeway_allow_1_1' };
    const share = (query: string) => ({
      operations: [{ request: sql(query), mode: 'write' as const, place: 0 }],
      earlier: () => undefined,
      recoverable: false,
    });
    const joined = await writer.join(beginning as never, callOf('write'));
    await expect(joined.perform(share(bad) as never, callOf('write'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await joined.close();
  });

  test('tells the open part of the schema, page by page', async () => {
    const told: string[] = [];
    let after: readonly [string, string] | undefined;
    for (;;) {
      const page = await reader.inspect({ limit: 1, ...(after ? { after } : {}) }, callOf('read'));
      told.push(...page.tables.map(({ namespace, name }) => `${namespace}.${name}`));
      const last = page.tables.at(-1);
      if (!page.more || !last) break;
      after = [last.namespace, last.name];
    }
    expect(told).toEqual([
      'public.Odd.Name',
      'public.orders',
      'shop.far',
      'shop.items',
      'shop.words',
    ]);
  });

  test('tells no changes of what is not open', async () => {
    const collections = [{ name: 'public.secret', operations: ['insert'] as const }];
    const request = { slot: 'causeway_allow', collections };
    await expect(writer.prepareChanges(request, callOf('write'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: [{ rule: 'allow', path: 'collections[0]', name: 'public.secret' }],
    });
    await writer.dropChanges('causeway_allow', callOf('write'));
  });
});

test('a name is of every schema along the path that has it, so that none comes to light when another goes', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=shop,public');
  await database.outside.query('CREATE TABLE shop.secret (id int)');
  const path = await database.open(
    'write',
    { connections: 1, allow: { schemas: ['shop'] } },
    url.href,
  );
  expect(await verdictOn('SELECT * FROM items', path)).toBe('allowed');
  const both = { type: 'simple' };
  expect(await verdictOn('DROP TABLE shop.secret; SELECT * FROM secret', path, both)).toBe(
    'allow public.secret',
  );
  await database.outside.query('DROP TABLE shop.secret');
});

test.each<[string, Json]>([
  ['an empty object', {}],
  ['empty lists', { schemas: [], tables: [] }],
])('%s opens nothing', async (_, nothing) => {
  const closed = await database.open('write', { connections: 1, allow: nothing });
  expect(await verdictOn('TABLE orders', closed)).toBe('allow public.orders');
  expect(jsonOf(await closed.run(sql('SELECT 1 AS a'), callOf('write')))).toMatchObject({
    rows: [{ a: 1 }],
  });
});

test('what is listed of the server is open', async () => {
  const own = await database.open('read', { connections: 1, allow: { schemas: ['pg_catalog'] } });
  expect(await verdictOn('SELECT relname FROM pg_class LIMIT 1', own)).toBe('allowed');
});
