/**
 * Real servers for tests and measurements, one of each kind per run: one that the environment
 * names, else one that is started here and ends with the run.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { randomSecret } from '../../server/data-folder.ts';
import { Failure } from '../../server/failure.ts';
import { type PostgresOptions, startPostgres } from '../../server/postgres-server.ts';
import { startCassandra } from './cassandra-server.ts';
import { startDebianClickhouse } from './clickhouse/debian-server.ts';
import { startClickhouse } from './clickhouse-server.ts';
import { startMariadb } from './mariadb-server.ts';
import { startMongo } from './mongo-server.ts';
import { startPgbouncer } from './pgbouncer-server.ts';
import { debianPostgres as debianProgram } from './postgres/debian-program.ts';
import type { RedisProduct } from './redis/programs.ts';
import { startRedis } from './redis-server.ts';
import { sharedServer } from './shared-servers.ts';

/** Kinds there is a row for. */
export type BackendKind = keyof typeof ROWS;

/** A real server. */
export interface Backend {
  /** With rights to do anything on it. */
  readonly url: string;
  /** To stop and continue it in tests; undefined for a server that the environment names. */
  readonly pid?: number;
}

/** A server that was started here. */
export interface StartedBackend extends Backend {
  stop(): Promise<void>;
}

interface Row {
  /** The environment variable that names a server. */
  readonly variable: string;
  /** @throws Failure saying what is missing and how to get it */
  start(): Promise<StartedBackend>;
}

/** A server whose data lies in a folder of its own, which goes with it. */
async function inFolder(
  name: string,
  start: (folder: string) => Promise<Required<StartedBackend>>,
): Promise<StartedBackend> {
  const folder = await mkdtemp(join(tmpdir(), `causeway-${name}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const server = await start(folder);
    return {
      url: server.url,
      pid: server.pid,
      stop: async () => {
        await server.stop();
        await remove();
      },
    };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** Durable enough for a run, and ready for two-phase transactions and change streams. */
const POSTGRES_SETTINGS = {
  max_connections: 300,
  max_prepared_transactions: 20,
  wal_level: 'logical',
  max_replication_slots: 100,
  max_wal_senders: 50,
  fsync: 'off',
};
const postgres = (own: Pick<PostgresOptions, 'program' | 'settings'> = {}) =>
  inFolder('postgres', (folder) =>
    startPostgres({
      folder: join(folder, 'data'),
      password: randomSecret(),
      ...own,
      settings: { ...POSTGRES_SETTINGS, ...own.settings },
    }),
  );

/** Of the year 2022, as Debian packages it; its compiler of expressions would need LLVM. */
const debianPostgres = async () =>
  postgres({ program: await debianProgram(), settings: { jit: 'off' } });

/** In front of the run's PostgreSQL, in transaction mode. */
const pgbouncer = async () => {
  const { url } = await backend('postgres');
  return inFolder('pgbouncer', (folder) => startPgbouncer({ folder, url }));
};

/** Ready for two-phase transactions and readers of its log, with enough connections for a run. */
const mysql = () =>
  inFolder('mariadb', (folder) =>
    startMariadb({
      folder,
      password: randomSecret(),
      startsAgain: true,
      settings: {
        'max-connections': 300,
        'max-connect-errors': 1_000_000,
        'innodb-flush-log-at-trx-commit': 0,
        'log-bin': 'binlog',
        'server-id': 1,
        'binlog-format': 'ROW',
        'log-bin-trust-function-creators': 1,
      },
    }),
  );

/** A replica set of one, so that there are transactions and change streams. */
const mongo = () => inFolder('mongo', (folder) => startMongo({ folder, password: randomSecret() }));

/** The engine of a recent server; its data is gone with it. */
const clickhouse = () =>
  inFolder('clickhouse', (folder) =>
    startClickhouse({ folder: join(folder, 'data'), password: randomSecret() }),
  );

/** A genuine server, too old for parameters; with a user `reader` who may not change settings. */
const debianClickhouse = () =>
  inFolder('clickhouse-18', (folder) => startDebianClickhouse(folder, randomSecret()));

/** One node with roles and permissions. */
const cassandra = () => inFolder('cassandra', (folder) => startCassandra({ folder }));

/** With every module the product has, and commands of debugging; its data is gone with it. */
const redis = (product: RedisProduct) =>
  inFolder('redis', (folder) =>
    startRedis({ folder: join(folder, 'data'), password: randomSecret(), product }),
  );

const ROWS = {
  postgres: { variable: 'TEST_POSTGRES_URL', start: () => postgres() },
  'postgres-15': { variable: 'TEST_POSTGRES_15_URL', start: debianPostgres },
  'postgres-pgbouncer': { variable: 'TEST_PGBOUNCER_URL', start: pgbouncer },
  mysql: { variable: 'TEST_MYSQL_URL', start: mysql },
  mongo: { variable: 'TEST_MONGO_URL', start: mongo },
  clickhouse: { variable: 'TEST_CLICKHOUSE_URL', start: clickhouse },
  cassandra: { variable: 'TEST_CASSANDRA_URL', start: cassandra },
  redis: { variable: 'TEST_REDIS_URL', start: () => redis('redis-8') },
  'redis-7': { variable: 'TEST_REDIS_7_URL', start: () => redis('redis-7') },
  valkey: { variable: 'TEST_VALKEY_URL', start: () => redis('valkey-9') },
  'clickhouse-18': { variable: 'TEST_CLICKHOUSE_18_URL', start: debianClickhouse },
} satisfies Record<string, Row>;

/**
 * The run's server of that kind, started when first asked for.
 * @throws Failure saying which is missing and how to get it
 */
export async function backend(kind: BackendKind): Promise<Backend> {
  const url = process.env[ROWS[kind].variable];
  if (url) return { url };
  // What startBackend told the run, through JSON.
  return (await sharedServer(kind)) as Backend;
}

/**
 * Starts a private server, whatever the environment names.
 * @throws Failure saying what is missing and how to get it
 */
export async function startBackend(kind: BackendKind): Promise<StartedBackend> {
  const { variable, start } = ROWS[kind];
  try {
    return await start();
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    throw new Failure(`${cause.message} Or name a server with ${variable}.`, { cause });
  }
}

/** A database for one test alone. */
export interface FreshDatabase {
  /** As the server's superuser. */
  readonly url: string;
  readonly name: string;
  /** Ends its connections and removes it. */
  drop(): Promise<void>;
}

/**
 * Makes an empty database on the run's PostgreSQL, or on the one given.
 * @throws Failure saying which is missing and how to get it
 */
export async function freshDatabase(server?: Backend): Promise<FreshDatabase> {
  const { url } = server ?? (await backend('postgres'));
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(url, `CREATE DATABASE ${name} TEMPLATE template0`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    name,
    drop: () => onServer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
