/**
 * The backends of the pages: the connection URL that a page writes, and how a real database of a
 * reader's own is made for it. A page begins with creating its endpoint by that URL; a server is
 * started only for kinds whose URL a page writes.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import cassandra from 'cassandra-driver';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { ROOT } from '../../server/bundle.ts';
import { startShop } from '../http-kind/shop.ts';
import { type BackendKind, backend, freshDatabase } from '../servers/backends.ts';
import { ownRedis } from '../servers/redis-server.ts';
import { NeonStandIn } from '../stand-ins/neon/server.ts';
import { startPinecone } from '../stand-ins/pinecone/index.ts';
import { PlanetScaleStandIn } from '../stand-ins/planetscale/server.ts';
import { startUpstash } from '../stand-ins/upstash/server.ts';

/** One kind in the pages. */
interface Row {
  /** As the pages write it. */
  readonly written: string;
  /** Makes an empty database, and answers its real URL. */
  fresh(): Promise<string>;
}

const ROWS: Partial<
  Record<BackendKind | 'pinecone' | 'http' | 'upstash' | 'neon' | 'planetscale', Row>
> = {
  postgres: {
    written: 'postgresql://user:password@host:5432/database',
    fresh: postgres,
  },
  mysql: {
    written: 'mysql://user:password@host:3306/database',
    fresh: () => freshMysql(),
  },
  mongo: {
    written: 'mongodb://user:password@host:27017/database',
    async fresh() {
      const url = new URL((await backend('mongo')).url);
      url.pathname = `/${databaseName()}`;
      // The user is the server's, the database comes with its first document.
      if (!url.searchParams.has('authSource')) url.searchParams.set('authSource', 'admin');
      return url.href;
    },
  },
  cassandra: {
    written: 'cassandra://user:password@host:9042/keyspace',
    async fresh() {
      const url = new URL((await backend('cassandra')).url);
      const name = databaseName();
      const { host, username, password } = url;
      const client = new cassandra.Client({
        contactPoints: [host],
        localDataCenter: 'datacenter1',
        credentials: { username, password },
      });
      await client.execute(
        `CREATE KEYSPACE ${name} WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}`,
      );
      await client.shutdown();
      url.pathname = `/${name}`;
      return url.href;
    },
  },
  pinecone: {
    written: 'https://products-a1b2c3d.svc.aped-4627-b74a.pinecone.io',
    // It ends with the process of the tests.
    fresh: async () => (await startPinecone({ apiKey: 'pcsk_s3cr3t' })).url,
  },
  redis: {
    written: 'redis://:password@host:6379/0',
    // It ends with the process of the tests, and searches database 0 alone.
    fresh: async () => (await ownRedis({ password: 'choose-a-long-one' })).url,
  },
  upstash: {
    written: 'https://eu1-quick-mole-12345.upstash.io',
    // Both end with the process of the tests.
    fresh: async () => (await startUpstash((await ownRedis()).url, 'AXs3cr3t')).url,
  },
  neon: {
    written: 'postgresql://user:password@ep-cool-name-123456.eu-central-1.aws.neon.tech/shop',
    // It ends with the process of the tests.
    async fresh() {
      const { url } = await freshDatabase();
      return (await NeonStandIn.start(url)).url(url);
    },
  },
  planetscale: {
    written: 'mysql://user:pscale_pw_password@eu-central.connect.psdb.cloud/shop',
    // It ends with the process of the tests.
    async fresh() {
      const url = await freshMysql(
        'CREATE TABLE stock (id int PRIMARY KEY AUTO_INCREMENT, name varchar(50))',
      );
      return (await PlanetScaleStandIn.start(url)).url;
    },
  },
  http: {
    written: 'https://api.example.com/v1',
    fresh: startShop,
  },
  clickhouse: {
    written: 'clickhouse://user:password@host:8123/database',
    async fresh() {
      const url = new URL((await backend('clickhouse')).url);
      const name = databaseName();
      const { username, password, host } = url;
      const client = createClient({ url: `http://${host}`, username, password });
      await client.command({ query: `CREATE DATABASE ${name}` });
      await client.close();
      url.pathname = `/${name}`;
      return url.href;
    },
  },
};

/** What stands for each URL that one of these texts writes. */
export async function backendsOf(texts: readonly string[]): Promise<Record<string, string>> {
  const wanted = Object.values(ROWS).filter(({ written }) =>
    texts.some((text) => text.includes(written)),
  );
  const made = await Promise.all(
    wanted.map(async ({ written, fresh }) => [written, await fresh()] as const),
  );
  return Object.fromEntries(made);
}

/** With the tables of the demo, for a role that needs no warning. */
async function postgres(): Promise<string> {
  const { url, name } = await freshDatabase();
  const own = new URL(url);
  own.username = name;
  own.password = 'documented';
  const client = new pg.Client(url);
  await client.connect();
  await client.query(await readFile(join(ROOT, 'server/demo-shop.sql'), 'utf8'));
  await client.query(
    `CREATE ROLE ${name} LOGIN PASSWORD 'documented';
     GRANT pg_read_all_data, pg_write_all_data TO ${name};
     GRANT CREATE ON SCHEMA public TO ${name}`,
  );
  await client.end();
  return own.href;
}

async function freshMysql(setup = ''): Promise<string> {
  const url = new URL((await backend('mysql')).url);
  const name = databaseName();
  const server = await mysql.createConnection({ uri: url.href, multipleStatements: true });
  await server.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}; ${setup}`);
  await server.end();
  url.pathname = `/${name}`;
  return url.href;
}

function databaseName(): string {
  return `pages_${randomUUID().replaceAll('-', '')}`;
}
