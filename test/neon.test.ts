/** PostgreSQL at Neon answers as it does through a relay: the same requests over both. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresRequest } from '../kinds/postgres/index.ts';
import { failureOf } from '../node-relay/drivers/contract.ts';
import { sql, TestDatabase } from '../node-relay/drivers/postgres/test/database.ts';
import { OWN_TYPES, TYPE_ROWS } from '../node-relay/drivers/postgres/test/type-rows.ts';
import { callOf } from '../node-relay/drivers/test/host.ts';
import type { Mode } from '../proto/driver.ts';
import { neon } from '../worker/drivers/edge/neon/index.ts';
import type { SqlClient } from '../worker/drivers/edge/sql/late-client.ts';
import { CASES, SETUP } from './sql-vendors/postgres-cases.ts';
import { openNetwork } from './stand-ins/edge-host.ts';
import { NeonStandIn } from './stand-ins/neon/server.ts';

/** A way to a database: sessions of both modes. */
type Open = (database: TestDatabase, mode: Mode) => Promise<SqlClient<PostgresRequest>>;

let standIn: NeonStandIn;
const databases: TestDatabase[] = [];
const WAYS: { way: string; open: Open }[] = [
  { way: 'a relay', open: (database, mode) => database.open(mode) },
  {
    way: 'the edge',
    open: async ({ url }) =>
      neon.open({ connection: { url: standIn.url(url) }, settings: {} }, openNetwork),
  },
];

beforeAll(async () => {
  const first = await fresh();
  standIn = await NeonStandIn.start(first.url);
});
afterAll(async () => {
  await standIn.stop();
  await Promise.all(databases.map((database) => database.drop()));
});

async function fresh(setup = ''): Promise<TestDatabase> {
  const database = await TestDatabase.create(setup);
  databases.push(database);
  return database;
}

describe.each(WAYS)('by way of $way', ({ open }) => {
  let sessions: Record<Mode, SqlClient<PostgresRequest>>;
  beforeAll(async () => {
    const database = await fresh(SETUP + OWN_TYPES);
    sessions = { read: await open(database, 'read'), write: await open(database, 'write') };
  });

  test.each(CASES)(
    '$name',
    async ({ mode = 'write', request, answers, fails, numbersAsStrings }) => {
      const running = sessions[mode].run(
        request,
        callOf(mode, { numbersAsStrings: numbersAsStrings ?? false }),
      );
      if (!fails) return expect(Buffer.from(await running).toString()).toBe(answers);
      const { code, details = [] } = fails;
      const failure = (await failureOf(running)) as { details: object[] };
      expect(failure).toMatchObject({ code, details });
      expect(failure.details).not.toContainEqual(expect.objectContaining({ applied: true }));
    },
  );

  test.each(TYPE_ROWS)('$type: $sent', async ({ type, sent, received, named }) => {
    const request = sql(`SELECT $1::${type} AS v`, [sent]);
    const text = Buffer.from(await sessions.write.run(request, callOf('write'))).toString();
    const column = JSON.stringify([{ name: 'v', type: named ?? type }]);
    const value = received ?? JSON.stringify(sent);
    expect(text).toBe(`{"columns":${column},"rows":[{"v":${value}}],"row_count":1}`);
  });

  test('tells of tables with their columns, keys and indexes', async () => {
    const page = { after: ['public', 'i'] as const, limit: 1 };
    expect(await sessions.read.inspect(page, callOf('read'))).toEqual({
      tables: [
        {
          namespace: 'public',
          name: 'items',
          type: 'table',
          columns: [
            { name: 'id', type: 'bigint', nullable: false },
            { name: 'name', type: 'text', nullable: false },
            { name: 'price', type: 'numeric', nullable: true },
            { name: 'tags', type: 'text[]', nullable: true },
            { name: 'doc', type: 'jsonb', nullable: true },
            { name: 'made', type: 'timestamp with time zone', nullable: true },
          ],
          primary_key: ['id'],
          indexes: [{ name: 'items_pkey', columns: ['id'], unique: true }],
        },
      ],
      more: true,
    });
  });

  test('answers a ping', async () => {
    expect(await sessions.read.ping(callOf('read'))).toBeGreaterThan(0);
  });
});
