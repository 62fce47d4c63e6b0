/** What is told of tables: in pages, without the server's own, with types as results name them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InspectedTable, InspectedTables } from '../../../proto/driver.ts';
import { callOf } from '../test/host.ts';
import { sql, TestDatabase } from './test/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE a (id bigint unsigned, part varchar(9), doc json, PRIMARY KEY (part, id), UNIQUE KEY docs (id), KEY parts (part));
    CREATE TABLE B (x decimal(9, 2) NOT NULL);
    CREATE VIEW c AS SELECT x FROM B`);
});
afterAll(() => database.drop());

test('tells tables and views with columns, keys and indexes, page by page', async () => {
  const session = await database.open('read');
  const seen: InspectedTable[] = [];
  let after: readonly [string, string] = [database.name, ''];
  for (let more = true; more; ) {
    const page: InspectedTables | undefined = await session.inspect(
      { limit: 1, after },
      callOf('read'),
    );
    const table: InspectedTable | undefined = page?.tables[0];
    if (!table || table.namespace !== database.name) break;
    seen.push(table);
    after = [table.namespace, table.name];
    more = page?.more ?? false;
  }
  const namespace = database.name;
  expect(seen).toEqual([
    {
      namespace,
      name: 'B',
      type: 'table',
      columns: [{ name: 'x', type: 'decimal', nullable: false }],
      primary_key: [],
      indexes: [],
    },
    {
      namespace,
      name: 'a',
      type: 'table',
      columns: [
        { name: 'id', type: 'bigint unsigned', nullable: false },
        { name: 'part', type: 'varchar', nullable: false },
        { name: 'doc', type: 'json', nullable: true },
      ],
      primary_key: ['part', 'id'],
      indexes: [
        { name: 'docs', columns: ['id'], unique: true },
        { name: 'parts', columns: ['part'], unique: false },
        { name: 'PRIMARY', columns: ['part', 'id'], unique: true },
      ],
    },
    {
      namespace,
      name: 'c',
      type: 'view',
      columns: [{ name: 'x', type: 'decimal', nullable: false }],
      primary_key: [],
      indexes: [],
    },
  ]);
});

test('leaves out the databases of the server, and what the user may not see', async () => {
  const session = await database.open('read');
  const all = await session.inspect({ limit: 1_000 }, callOf('read'));
  const namespaces = all?.tables.map(({ namespace }) => namespace) ?? [];
  expect(namespaces).toContain(database.name);
  expect(namespaces).not.toContain('mysql');
  expect(namespaces).not.toContain('information_schema');
  const writer = await database.open('write');
  const user = `u_${database.name.slice(-12)}`;
  await writer.run(
    sql(`GRANT SELECT ON ${database.name}.B TO ${user}@127.0.0.1 IDENTIFIED BY 'p'`),
    callOf('write'),
  );
  const url = Object.assign(new URL(database.url), { username: user, password: 'p' });
  const limited = await database.open('read', {}, url.href);
  const seen = await limited.inspect({ limit: 10 }, callOf('read'));
  expect(seen?.tables.map(({ name }) => name)).toEqual(['B']);
  await writer.run(sql(`DROP USER ${user}@127.0.0.1`), callOf('write'));
});
