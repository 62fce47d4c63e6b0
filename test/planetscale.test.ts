/** MySQL at PlanetScale answers as it does through a relay: the same requests over both. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MysqlRequest } from '../kinds/mysql/index.ts';
import { failureOf } from '../node-relay/drivers/contract.ts';
import { run, sql, TestDatabase } from '../node-relay/drivers/mysql/test/database.ts';
import { TYPE_ROWS } from '../node-relay/drivers/mysql/test/type-rows.ts';
import { callOf } from '../node-relay/drivers/test/host.ts';
import type { Mode } from '../proto/driver.ts';
import { planetscale } from '../worker/drivers/edge/planetscale/index.ts';
import type { SqlClient } from '../worker/drivers/edge/sql/late-client.ts';
import { CASES, SETUP } from './sql-vendors/mysql-cases.ts';
import { openNetwork } from './stand-ins/edge-host.ts';
import { PlanetScaleStandIn } from './stand-ins/planetscale/server.ts';

/** A way to a database: sessions of both modes. */
type Open = (database: TestDatabase, mode: Mode) => Promise<SqlClient<MysqlRequest>>;

const standIns: PlanetScaleStandIn[] = [];
const WAYS: { way: string; open: Open }[] = [
  { way: 'a relay', open: (database, mode) => database.open(mode) },
  {
    way: 'the edge',
    async open(database) {
      const standIn = await PlanetScaleStandIn.start(database.url);
      standIns.push(standIn);
      return planetscale.open({ connection: { url: standIn.url }, settings: {} }, openNetwork);
    },
  },
];

afterAll(() => Promise.all(standIns.map((standIn) => standIn.stop())));

/** In the text form of a FLOAT servers tell six digits: what the edge cannot know. */
const SIX_DIGITS = new Map([
  ['16777216', '16777200'],
  ['3.4028234663852886e+38', '3.40282e+38'],
  ['-3.4028234663852886e+38', '-3.40282e+38'],
  ['3.4028233e+38', '3.40282e+38'],
  ['1e-45', '1.4013e-45'],
]);

describe.each(WAYS)('by way of $way', ({ way, open }) => {
  let database: TestDatabase;
  let sessions: Record<Mode, SqlClient<MysqlRequest>>;
  beforeAll(async () => {
    database = await TestDatabase.create(SETUP);
    sessions = { read: await open(database, 'read'), write: await open(database, 'write') };
  });
  afterAll(() => database.drop());

  test.each(CASES)(
    '$name',
    async ({ mode = 'write', request, answers, fails, numbersAsStrings = false }) => {
      const running = sessions[mode].run(request, callOf(mode, { numbersAsStrings }));
      if (!fails) return expect(Buffer.from(await running).toString()).toBe(answers);
      const failure = (await failureOf(running)) as { details: object[] };
      expect(failure).toMatchObject({ code: fails.code, details: fails.details ?? [] });
      expect(JSON.stringify(failure.details)).not.toMatch(/applied|CallerID|secret/);
    },
  );

  test.each(TYPE_ROWS)('keeps a $type: $sent', async ({ type, sent, received, named }) => {
    await database.outside.query(`DROP TABLE IF EXISTS t; CREATE TABLE t (v ${type} NULL)`);
    await run(sessions.write, sql('INSERT INTO t VALUES (?)', [sent]), 'write');
    const running = sessions.read.run(sql('SELECT v FROM t'), callOf('read'));
    const exact = received ?? JSON.stringify(sent);
    const isCut = way === 'the edge' && type === 'float';
    const value = isCut ? (SIX_DIGITS.get(exact) ?? exact) : exact;
    const column = `{"name":"v","type":${JSON.stringify(named ?? type)}}`;
    expect(Buffer.from(await running).toString()).toBe(
      `{"columns":[${column}],"rows":[{"v":${value}}],"row_count":1}`,
    );
  });

  test('a transaction is told what came before, and takes effect whole or not at all', async () => {
    const operations = (last: string) => [
      sql('INSERT INTO log (what) VALUES (?)', [last]),
      sql('INSERT INTO log (what) VALUES (?)', [{ $result: '[0].insert_id' }]),
      sql('SELECT count(*) AS n FROM log WHERE what = :what', { what: { $literal: last } }),
    ];
    const done = await sessions.write.transact(operations('whole'), callOf('write'));
    expect(JSON.parse(Buffer.from(done ?? []).toString())).toMatchObject([
      { rows_affected: 1 },
      { rows_affected: 1 },
      { rows: [{ n: 1 }] },
    ]);
    const failing = [...operations('half'), sql("INSERT INTO log (what) VALUES ('whole')")];
    const failed = sessions.write.transact(failing, callOf('write'));
    expect(await failureOf(failed as Promise<unknown>)).toMatchObject({
      code: 'CONSTRAINT_VIOLATED',
      details: [{ source: 'mysql', code: '1062', operation: 3 }],
    });
    expect(await database.look("SELECT what FROM log WHERE what = 'half'")).toEqual([]);
  });

  test('tells of tables with their columns, keys and indexes', async () => {
    const page = { after: [database.name, 'a'] as const, limit: 1 };
    expect(await sessions.read.inspect(page, callOf('read'))).toEqual({
      tables: [
        {
          namespace: database.name,
          name: 'items',
          type: 'table',
          columns: [
            { name: 'id', type: 'bigint unsigned', nullable: false },
            { name: 'name', type: 'varchar', nullable: true },
            { name: 'price', type: 'decimal', nullable: true },
            { name: 'doc', type: 'json', nullable: true },
            { name: 'made', type: 'timestamp', nullable: true },
            { name: 'raw', type: 'blob', nullable: true },
          ],
          primary_key: ['id'],
          indexes: [
            { name: 'name', columns: ['name'], unique: true },
            { name: 'PRIMARY', columns: ['id'], unique: true },
          ],
        },
      ],
      more: true,
    });
  });

  test('answers a ping', async () => {
    expect(await sessions.read.ping(callOf('read'))).toBeGreaterThan(0);
  });
});

test("the vendor's hosts are asked over HTTPS, and others at themselves", async () => {
  const asked: string[] = [];
  const host = {
    fetch: async ({ url, headers }: Request) => {
      asked.push(url, headers.get('authorization') ?? '');
      throw new Error('not there');
    },
  };
  for (const url of [
    'mysql://u:p%C3%A9@eu-central.connect.psdb.cloud/shop?sslaccept=strict',
    'mysql://u:p@aws.connect.psdb.cloud:3306/shop?ssl={"rejectUnauthorized":true}&charset=utf8mb4',
    'mysql://u:p@proxy.example.com:4444/shop',
    'mysql://u:p@proxy.example.com:4444/shop?ssl-mode=DISABLED',
  ]) {
    const line = planetscale.open({ connection: { url }, settings: {} }, host);
    await failureOf(line.ping(callOf('read')));
  }
  const path = '/psdb.v1alpha1.Database/Execute';
  expect(asked.filter((_, at) => at % 2 === 0)).toEqual([
    `https://eu-central.connect.psdb.cloud${path}`,
    `https://aws.connect.psdb.cloud${path}`,
    `https://proxy.example.com:4444${path}`,
    `http://proxy.example.com:4444${path}`,
  ]);
  expect(asked[1]).toBe(`Basic ${Buffer.from('u:pé').toString('base64')}`);
});

test('what is wrong with a connection is told before anything is sent', () => {
  const connection = { host: 'no host', auth: 'u:s3cr3t' };
  const opening = () => planetscale.open({ connection, settings: {} }, openNetwork);
  expect(opening).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }));
  expect(opening).not.toThrow(/s3cr3t/);
});
