/** Databases that cannot prepare and keep marks: last resources of transactions, each behind a line. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { TestDatabase as MongoDatabase } from '../../node-relay/drivers/mongo/test/database.ts';
import { TestDatabase as MysqlDatabase } from '../../node-relay/drivers/mysql/test/database.ts';
import type { JsonObject } from '../../proto/json.ts';
import { startPostgres } from '../../server/postgres-server.ts';
import { backend } from '../servers/backends.ts';
import { startMariadb } from '../servers/mariadb-server.ts';
import { onRedis } from '../servers/redis-server.ts';
import { HeldLine } from './held-line.ts';

/** One of them. */
export interface Decider {
  readonly kind: string;
  readonly line: HeldLine;
  /** Adds one entry of that name. */
  add(name: string): JsonObject;
  /** Entries of that name. */
  count(name: string): Promise<number>;
  close(): Promise<void>;
}

/** All of them. */
export function openDeciders(): Promise<readonly Decider[]> {
  return Promise.all([postgres(), mysql(), mongo(), redis()]);
}

async function inFolder<Server extends { stop(): Promise<void> }>(
  start: (folder: string) => Promise<Server>,
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-decider-'));
  const server = await start(folder);
  return {
    ...server,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Of a server without prepared transactions. */
async function postgres(): Promise<Decider> {
  const settings = { max_prepared_transactions: 0 };
  const server = await inFolder((folder) =>
    startPostgres({ folder, password: randomUUID(), settings }),
  );
  const outside = new pg.Client(server.url);
  await outside.connect();
  await outside.query('CREATE TABLE entries (name text)');
  const line = await HeldLine.open(server.url, /COMMIT/);
  return {
    ...{ kind: 'postgres', line },
    add: (name) => ({ query: 'INSERT INTO entries VALUES ($1)', params: [name] }),
    async count(name) {
      const { rows } = await outside.query('SELECT 1 FROM entries WHERE name = $1', [name]);
      return rows.length;
    },
    async close() {
      line.close();
      await outside.end();
      await server.stop();
    },
  };
}

/** Of a server that says it is of a version whose prepared transactions end with their connection. */
async function mysql(): Promise<Decider> {
  const settings = { version: '10.4.34-MariaDB' };
  const server = await inFolder((folder) =>
    startMariadb({ folder, password: randomUUID(), settings }),
  );
  const database = await MysqlDatabase.create('CREATE TABLE entries (name varchar(100))', server);
  const line = await HeldLine.open(database.url, /COMMIT/);
  return {
    ...{ kind: 'mysql', line },
    add: (name) => ({ query: 'INSERT INTO entries VALUES (?)', params: [name] }),
    async count(name) {
      return (await database.look(`SELECT 1 FROM entries WHERE name = '${name}'`)).length;
    },
    async close() {
      line.close();
      await database.drop();
      await server.stop();
    },
  };
}

async function mongo(): Promise<Decider> {
  const database = await MongoDatabase.create();
  const entries = await database.db.createCollection('entries');
  const line = await HeldLine.open(database.url, /commitTransaction/);
  return {
    ...{ kind: 'mongo', line },
    add: (name) => ({ type: 'insert_one', collection: 'entries', document: { name } }),
    count: (name) => entries.countDocuments({ name }),
    async close() {
      line.close();
      await database.drop();
    },
  };
}

async function redis(): Promise<Decider> {
  const { url } = await backend('redis');
  const line = await HeldLine.open(url, /evalsha|eval\r/i);
  const prefix = `entries:${randomUUID()}`;
  return {
    ...{ kind: 'redis', line },
    add: (name) => ({ type: 'rpush', args: [`${prefix}:${name}`, 'x'] }),
    count: async (name) => Number((await onRedis(url, ['LLEN', `${prefix}:${name}`]))[0]),
    async close() {
      line.close();
    },
  };
}
