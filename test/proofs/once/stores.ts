/** The databases that keep writes once, each with the write that is lost, and its effects counted from outside. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { TestDatabase as MongoDatabase } from '../../../node-relay/drivers/mongo/test/database.ts';
import { TestDatabase as MysqlDatabase } from '../../../node-relay/drivers/mysql/test/database.ts';
import type { JsonObject } from '../../../proto/json.ts';
import { backend, freshDatabase } from '../../servers/backends.ts';
import { onRedis } from '../../servers/redis-server.ts';
import { Line } from './line.ts';

/** One database behind a line. */
export interface Store {
  readonly kind: string;
  readonly line: Line;
  /** Adds one entry of that name. */
  write(name: string): JsonObject;
  /** Entries of each name that has any. */
  effects(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** All of them, or those of one kind. */
export async function openStores(kind: string | undefined): Promise<readonly Store[]> {
  const all = { postgres, mysql, mongo, redis };
  const asked = Object.entries(all).filter(([name]) => kind === undefined || name === kind);
  return Promise.all(asked.map(([, open]) => open()));
}

function counted(rows: readonly { readonly name: string; readonly n: number | string }[]) {
  return new Map(rows.map(({ name, n }) => [name, Number(n)]));
}

const COUNT = 'SELECT name, count(*) AS n FROM effects GROUP BY name';

async function postgres(): Promise<Store> {
  const database = await freshDatabase();
  const outside = new pg.Client(database.url);
  await outside.connect();
  await outside.query('CREATE TABLE effects (id serial PRIMARY KEY, name text)');
  const line = await Line.open(database.url, /COMMIT/i);
  const query = 'INSERT INTO effects (name) VALUES ($1) RETURNING id';
  return {
    kind: 'postgres',
    line,
    write: (name) => ({ query, params: [name] }),
    effects: async () => counted((await outside.query(COUNT)).rows),
    async close() {
      line.close();
      await outside.end();
      await database.drop();
    },
  };
}

async function mysql(): Promise<Store> {
  const database = await MysqlDatabase.create(
    'CREATE TABLE effects (id int AUTO_INCREMENT PRIMARY KEY, name varchar(100))',
  );
  const line = await Line.open(database.url, /COMMIT/i);
  return {
    kind: 'mysql',
    line,
    write: (name) => ({ query: 'INSERT INTO effects (name) VALUES (?)', params: [name] }),
    // Of columns that it names so.
    effects: async () => counted((await database.look(COUNT)) as { name: string; n: number }[]),
    async close() {
      line.close();
      await database.drop();
    },
  };
}

async function mongo(): Promise<Store> {
  const database = await MongoDatabase.create();
  await database.db.createCollection('effects');
  const url = new URL(database.url);
  const line = await Line.open(url.href, /commitTransaction/);
  return {
    kind: 'mongo',
    line,
    write: (name) => ({ type: 'insert_one', collection: 'effects', document: { name } }),
    async effects() {
      const rows = await database.db
        .collection('effects')
        .aggregate<{ _id: string; n: number }>([{ $group: { _id: '$name', n: { $sum: 1 } } }])
        .toArray();
      return counted(rows.map(({ _id, n }) => ({ name: _id, n })));
    },
    async close() {
      line.close();
      await database.drop();
    },
  };
}

async function redis(): Promise<Store> {
  const { url } = await backend('redis');
  const line = await Line.open(url, /evalsha/i);
  const run = randomUUID();
  const names: string[] = [];
  const keyOf = (name: string) => `effects:${run}:${name}`;
  return {
    kind: 'redis',
    line,
    write(name) {
      names.push(name);
      return { type: 'rpush', args: [keyOf(name), 'x'] };
    },
    async effects() {
      const lengths = await onRedis(url, ...names.map((name) => ['LLEN', keyOf(name)]));
      return counted(names.map((name, at) => ({ name, n: Number(lengths[at]) })));
    },
    async close() {
      line.close();
    },
  };
}
