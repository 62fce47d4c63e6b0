/** PostgreSQL at Neon, MySQL at PlanetScale, Redis at Upstash. */
import { TestDatabase as MysqlDatabase } from '../../../../node-relay/drivers/mysql/test/database.ts';
import { TestDatabase as PostgresDatabase } from '../../../../node-relay/drivers/postgres/test/database.ts';
import { neon } from '../../../../worker/drivers/edge/neon/index.ts';
import { planetscale } from '../../../../worker/drivers/edge/planetscale/index.ts';
import { upstash } from '../../../../worker/drivers/edge/upstash/index.ts';
import { ownRedis } from '../../../servers/redis-server.ts';
import { openNetwork } from '../../../stand-ins/edge-host.ts';
import { NeonStandIn } from '../../../stand-ins/neon/server.ts';
import { PlanetScaleStandIn } from '../../../stand-ins/planetscale/server.ts';
import { startUpstash } from '../../../stand-ins/upstash/server.ts';
import type { Vendor } from '../vendor.ts';

export const neonVendor: Vendor = {
  name: 'neon',
  driver: neon,
  calls: [
    {
      name: 'read',
      mode: 'read',
      request: {
        type: 'query',
        query:
          'SELECT id, name, price, tags, at, data, extra, big, ratio FROM items WHERE id <= $1',
        params: [10],
      },
    },
    {
      name: 'several',
      mode: 'read',
      request: { type: 'simple_read_only', query: 'SELECT 1 AS one; SELECT name FROM items' },
    },
    {
      name: 'write',
      mode: 'write',
      request: { type: 'query', query: "UPDATE items SET name = 'x' WHERE id = 1 RETURNING id" },
    },
  ],
  async start() {
    const database = await PostgresDatabase.create(
      `CREATE TABLE items (id int PRIMARY KEY, name text, price numeric, tags text[], at timestamptz, data bytea, extra jsonb, big bigint, ratio float8);
       INSERT INTO items SELECT n, 'item ' || n, n * 1.25, ARRAY['a', 'b ' || n], '2026-01-01T00:00:00Z'::timestamptz, 'x'::bytea, jsonb_build_object('n', n), n * 10000000000000000, n / 3.0 FROM generate_series(1, 20) n`,
    );
    const standIn = await NeonStandIn.start(database.url);
    return {
      connection: { url: standIn.url(database.url) },
      async stop() {
        await standIn.stop();
        await database.drop();
      },
    };
  },
};

export const planetScaleVendor: Vendor = {
  name: 'planetscale',
  driver: planetscale,
  calls: [
    {
      name: 'read',
      mode: 'read',
      request: { type: 'query', query: 'SELECT * FROM items WHERE id <= ?', params: [10] },
    },
    {
      name: 'write',
      mode: 'write',
      request: { type: 'query', query: "INSERT INTO log (what) VALUES ('x')" },
    },
  ],
  async start() {
    const database = await MysqlDatabase.create(
      `CREATE TABLE items (id int PRIMARY KEY, name text, price decimal(10,2), big bigint, ratio double, at datetime, day date, data blob, flags bit(8), extra json);
       CREATE TABLE log (id int AUTO_INCREMENT PRIMARY KEY, what text);
       INSERT INTO items VALUES (1, 'one é', 1.25, 9007199254740993, 0.5, '2026-01-01 00:00:00', '2026-01-01', 'x', b'101', '{"a": 1}'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
    );
    const standIn = await PlanetScaleStandIn.start(database.url);
    return {
      connection: { url: standIn.url },
      async stop() {
        await standIn.stop();
        await database.drop();
      },
    };
  },
};

export const upstashVendor: Vendor = {
  name: 'upstash',
  driver: upstash,
  calls: [
    { name: 'read', mode: 'read', request: { type: 'hgetall', args: ['hash'] } },
    {
      name: 'many',
      mode: 'read',
      request: {
        type: 'pipeline',
        pipeline: [
          { type: 'lrange', args: ['list', '0', '-1'] },
          { type: 'get', args: ['hash'] },
          { type: 'dbsize', args: [] },
        ],
      },
    },
    { name: 'write', mode: 'write', request: { type: 'incr', args: ['n'] } },
  ],
  async start() {
    const server = await ownRedis({ modules: false });
    const standIn = await startUpstash(server.url);
    const connection = { url: standIn.url, auth: standIn.token };
    // Something to read.
    const session = upstash.open({ connection, settings: {} }, openNetwork);
    const bounds = {
      mode: 'write',
      signal: AbortSignal.timeout(30_000),
      resultMaxBytes: 1_048_576,
      numbersAsStrings: false,
      inPieces: undefined,
    } as const;
    await session.run({ type: 'hset', args: ['hash', 'name', 'one', 'price', '1.5'] }, bounds);
    await session.run(
      { type: 'rpush', args: ['list', ...Array.from({ length: 30 }, (_, at) => `item ${at}`)] },
      bounds,
    );
    return {
      connection,
      async stop() {
        await standIn.stop();
        await server.stop();
      },
    };
  },
};
