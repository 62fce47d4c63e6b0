/** What is measured of each kind of backend: its data, a small and a large read, and the same by the bare driver. */
import { createClient } from '@clickhouse/client';
import cassandra from 'cassandra-driver';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import mysql from 'mysql2/promise';
import pg from 'pg';

/** Connections of each bare driver, as many as an endpoint has. */
const CONNECTIONS = 10;
/** Rows of a large result, of about 970 bytes each: under the 10 MiB that a result may have. */
const LARGE_ROWS = 10_000;
const PADDING = 'x'.repeat(900);

/** A request as the gateway takes it. */
export type MeasuredRequest = { readonly [member: string]: unknown };

/** One kind. */
export interface MeasuredKind {
  /** Makes tables with rows; answers the URL of the endpoint. */
  fill(url: string): Promise<string>;
  /** One row by its key. */
  readonly small: MeasuredRequest;
  /** About 10 MB. */
  readonly large: MeasuredRequest;
  /** Runs the same requests by the driver alone. */
  bare(url: string): Promise<(request: MeasuredRequest) => Promise<unknown>>;
}

const rowsOf = <Row>(count: number, row: (id: number) => Row) =>
  Array.from({ length: count }, (_, at) => row(at + 1));

/** What a request to an SQL kind holds. */
const sqlOf = (request: MeasuredRequest) =>
  request as { query: string; params: (string | number)[] };

const postgres: MeasuredKind = {
  async fill(url) {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(
      `CREATE TABLE products AS SELECT id, 'product ' || id AS name, (id * 1.25)::numeric(10, 2) AS price,
         timestamptz '2026-01-01' + id * interval '1 hour' AS created_at FROM generate_series(1, 1000) id;
       ALTER TABLE products ADD PRIMARY KEY (id);
       CREATE TABLE wide AS SELECT id, '${PADDING}' AS text, now() AS at FROM generate_series(1, ${LARGE_ROWS}) id`,
    );
    await client.end();
    return url;
  },
  small: { query: 'SELECT id, name, price, created_at FROM products WHERE id = $1', params: [42] },
  large: { query: 'SELECT id, text, at FROM wide', params: [] },
  async bare(url) {
    const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
    return async (request) => {
      const { query, params } = sqlOf(request);
      return (await pool.query(query, params)).rows;
    };
  },
};

const mysqlKind: MeasuredKind = {
  async fill(given) {
    const url = new URL(given);
    const client = await mysql.createConnection(url.href);
    await client.query('CREATE DATABASE bench');
    await client.query('USE bench');
    await client.query(
      'CREATE TABLE products (id int PRIMARY KEY, name varchar(50), price decimal(10, 2), created_at datetime)',
    );
    await client.query('CREATE TABLE wide (id int PRIMARY KEY, text text, at datetime)');
    const products = rowsOf(1000, (id) => [id, `product ${id}`, id * 1.25, '2026-01-01']);
    await client.query('INSERT INTO products VALUES ?', [products]);
    const wide = rowsOf(LARGE_ROWS, (id) => [id, PADDING, '2026-01-01']);
    await client.query('INSERT INTO wide VALUES ?', [wide]);
    await client.end();
    url.pathname = '/bench';
    return url.href;
  },
  small: { query: 'SELECT id, name, price, created_at FROM products WHERE id = ?', params: [42] },
  large: { query: 'SELECT id, text, at FROM wide', params: [] },
  async bare(url) {
    const pool = mysql.createPool({ uri: url, connectionLimit: CONNECTIONS });
    return async (request) => {
      const { query, params } = sqlOf(request);
      return (await pool.execute(query, params))[0];
    };
  },
};

const mongo: MeasuredKind = {
  async fill(given) {
    const url = new URL(given);
    url.pathname = '/bench';
    const client = await MongoClient.connect(url.href);
    const database = client.db();
    const at = new Date('2026-01-01');
    const products = rowsOf(1000, (id) => ({ id, name: `product ${id}`, price: id * 1.25, at }));
    await database.collection('products').insertMany(products);
    await database.collection('products').createIndex({ id: 1 });
    const wide = rowsOf(LARGE_ROWS, (id) => ({ id, text: PADDING }));
    await database.collection('wide').insertMany(wide);
    await client.close();
    return url.href;
  },
  small: { type: 'find', collection: 'products', filter: { id: 42 } },
  large: { type: 'find', collection: 'wide', filter: {} },
  async bare(url) {
    const client = await MongoClient.connect(url, { maxPoolSize: CONNECTIONS });
    return (request) => {
      const { collection, filter } = request as { collection: string; filter: object };
      return client.db().collection(collection).find(filter).toArray();
    };
  },
};

const cassandraKind: MeasuredKind = {
  async fill(given) {
    const client = cassandraClient(given);
    await client.execute(
      "CREATE KEYSPACE bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    );
    await client.execute(
      'CREATE TABLE bench.products (id int PRIMARY KEY, name text, price decimal, created_at timestamp)',
    );
    await client.execute('CREATE TABLE bench.wide (id int PRIMARY KEY, text text)');
    const insert = async (query: string, rows: readonly unknown[][]) => {
      for (let at = 0; at < rows.length; at += 100) {
        const some = rows.slice(at, at + 100);
        await Promise.all(some.map((row) => client.execute(query, row, { prepare: true })));
      }
    };
    const { BigDecimal } = cassandra.types;
    await insert(
      'INSERT INTO bench.products (id, name, price, created_at) VALUES (?, ?, ?, ?)',
      rowsOf(1000, (id) => [id, `product ${id}`, BigDecimal.fromNumber(id * 1.25), new Date()]),
    );
    await insert(
      'INSERT INTO bench.wide (id, text) VALUES (?, ?)',
      rowsOf(LARGE_ROWS, (id) => [id, PADDING]),
    );
    await client.shutdown();
    return `${given}/bench`;
  },
  small: { query: 'SELECT id, name, price, created_at FROM products WHERE id = ?', params: [42] },
  large: { query: 'SELECT id, text FROM wide', params: [], page_size: LARGE_ROWS },
  async bare(url) {
    const client = cassandraClient(url);
    return async (request) => {
      const { query, params } = sqlOf(request);
      const options = { prepare: true, fetchSize: LARGE_ROWS };
      return (await client.execute(query, params, options)).rows;
    };
  },
};

function cassandraClient(url: string): cassandra.Client {
  const { host, username, password, pathname } = new URL(url);
  return new cassandra.Client({
    contactPoints: [host],
    localDataCenter: 'datacenter1',
    credentials: { username, password },
    ...(pathname.length > 1 ? { keyspace: pathname.slice(1) } : {}),
  });
}

const clickhouse: MeasuredKind = {
  async fill(url) {
    const client = clickhouseClient(url);
    for (const query of [
      `CREATE TABLE products ENGINE = MergeTree ORDER BY id AS SELECT toInt32(number + 1) AS id,
         concat('product ', toString(id)) AS name, toDecimal64(id * 1.25, 2) AS price,
         toDateTime('2026-01-01 00:00:00', 'UTC') AS created_at FROM numbers(1000)`,
      `CREATE TABLE wide ENGINE = MergeTree ORDER BY id AS SELECT toInt32(number) AS id,
         '${PADDING}' AS text FROM numbers(${LARGE_ROWS})`,
    ]) {
      await client.command({ query });
    }
    await client.close();
    return url;
  },
  small: {
    query: 'SELECT id, name, price, created_at FROM products WHERE id = {id:Int32}',
    params: { id: 42 },
  },
  large: { query: 'SELECT id, text FROM wide' },
  async bare(url) {
    const client = clickhouseClient(url);
    return async (request) => {
      const { query, params } = request as { query: string; params?: { id: number } };
      const options = { query, format: 'JSONEachRow', ...(params && { query_params: params }) };
      return (await client.query({ ...options, format: 'JSONEachRow' })).json();
    };
  },
};

function clickhouseClient(url: string) {
  const { host, username, password, pathname } = new URL(url);
  return createClient({
    url: `http://${host}`,
    username,
    password,
    database: pathname.slice(1),
    max_open_connections: CONNECTIONS,
  });
}

const redis: MeasuredKind = {
  async fill(url) {
    const client = new Redis(url);
    await client.set('product:42', JSON.stringify({ id: 42, name: 'product 42', price: 52.5 }));
    for (let at = 0; at < LARGE_ROWS; at += 1000) {
      await client.rpush('wide', ...rowsOf(1000, (id) => `${at + id} ${PADDING}`));
    }
    client.disconnect();
    return url;
  },
  small: { type: 'get', key: 'product:42' },
  large: { type: 'lrange', key: 'wide', start: 0, stop: -1 },
  async bare(url) {
    const client = new Redis(url, { enableAutoPipelining: true });
    return ({ type, key }) =>
      type === 'get' ? client.get(String(key)) : client.lrange(String(key), 0, -1);
  },
};

/** Each kind that is measured. */
export const KINDS = {
  postgres,
  mysql: mysqlKind,
  mongo,
  cassandra: cassandraKind,
  clickhouse,
  redis,
};
export type MeasuredName = keyof typeof KINDS;

/** Whether text names one of them. */
export function isMeasured(name: string): name is MeasuredName {
  return Object.hasOwn(KINDS, name);
}
